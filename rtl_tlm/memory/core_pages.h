// Backing store of a wafer's SRAM: one page per core, in a two-level table that fills as cores are touched.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "rtl_tlm/memory/sram_address.h"

namespace scribeline::memory {

// An untouched wafer costs one pointer per row; a row with a touched core adds one pointer per column.
class core_pages {
 public:
  core_pages(std::uint32_t rows, std::uint32_t columns, std::int64_t bytes_per_core);

  // The bytes of a core, or nullptr while it is untouched and reads as zeros.
  const unsigned char* find(core_coordinates core) const;

  // The bytes of a core, zeroed on first touch. The pointer stays valid as long as the store.
  unsigned char* touch(core_coordinates core);

  std::int64_t touched() const { return touched_; }

  // Host memory of the table and of the pages as allocated. The operating system backs a page only where it
  // was used, so residency can be lower.
  std::int64_t host_bytes() const;

 private:
  struct free_deleter {
    void operator()(unsigned char* p) const { std::free(p); }
  };
  using page = std::unique_ptr<unsigned char[], free_deleter>;

  std::vector<std::unique_ptr<page[]>> rows_;
  std::uint32_t columns_;
  std::int64_t bytes_per_core_;
  std::int64_t touched_ = 0;
  std::int64_t touched_rows_ = 0;
};

}  // namespace scribeline::memory
