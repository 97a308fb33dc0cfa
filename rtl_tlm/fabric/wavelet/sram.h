// The SRAM contents of all cores. Pages come into being when they are first written; what was never written reads zero.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

namespace scribeline::fabric {

class sram_pages {
 public:
  static constexpr std::uint32_t page_bytes = 1024;

  sram_pages(std::size_t cores, int bytes_per_core)
      : pages_per_core_((static_cast<std::uint32_t>(bytes_per_core) + page_bytes - 1) / page_bytes),
        table_of_(cores, 0) {
    tables_.resize(pages_per_core_);  // table 0: no pages
    pages_.resize(1);                 // page 0: not there
  }

  void read(std::size_t core, std::uint32_t address, void* to, std::uint32_t count) const {
    auto* out = static_cast<std::uint8_t*>(to);
    while (count > 0) {
      const std::uint32_t offset = address % page_bytes;
      const std::uint32_t piece = count < page_bytes - offset ? count : page_bytes - offset;
      const std::uint32_t number = tables_[table_of_[core] * pages_per_core_ + address / page_bytes];
      if (number == 0)
        std::memset(out, 0, piece);
      else
        std::memcpy(out, pages_[number].data() + offset, piece);
      out += piece;
      address += piece;
      count -= piece;
    }
  }

  void write(std::size_t core, std::uint32_t address, const void* from, std::uint32_t count) {
    const auto* in = static_cast<const std::uint8_t*>(from);
    while (count > 0) {
      const std::uint32_t offset = address % page_bytes;
      const std::uint32_t piece = count < page_bytes - offset ? count : page_bytes - offset;
      std::memcpy(page_for_writing(core, address / page_bytes).data() + offset, in, piece);
      in += piece;
      address += piece;
      count -= piece;
    }
  }

  std::size_t allocated_bytes() const { return (pages_.size() - 1) * page_bytes; }

 private:
  using page = std::array<std::uint8_t, page_bytes>;

  page& page_for_writing(std::size_t core, std::uint32_t number) {
    if (table_of_[core] == 0) {
      table_of_[core] = static_cast<std::uint32_t>(tables_.size() / pages_per_core_);
      tables_.resize(tables_.size() + pages_per_core_, 0);
    }
    std::uint32_t& index = tables_[table_of_[core] * pages_per_core_ + number];
    if (index == 0) {
      index = static_cast<std::uint32_t>(pages_.size());
      pages_.emplace_back();
      pages_.back().fill(0);
    }
    return pages_[index];
  }

  std::uint32_t pages_per_core_;
  std::vector<std::uint32_t> table_of_;  // of each core
  std::vector<std::uint32_t> tables_;
  std::vector<page> pages_;
};

}  // namespace scribeline::fabric
