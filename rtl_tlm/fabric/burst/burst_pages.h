// A growing array whose elements never move: pages of a power of two of elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace scribeline::fabric {

template <class T, unsigned PageBits>
class burst_pages {
 public:
  T& operator[](std::uint32_t i) { return pages_[i >> PageBits][i & (page_size - 1)]; }
  const T& operator[](std::uint32_t i) const { return pages_[i >> PageBits][i & (page_size - 1)]; }
  std::uint32_t size() const { return size_; }

  // The number of a new element with default contents.
  std::uint32_t append() {
    if (size_ >> PageBits == pages_.size()) pages_.push_back(std::make_unique<T[]>(page_size));
    return size_++;
  }
  std::size_t memory_bytes() const { return pages_.size() * (page_size * sizeof(T) + sizeof(pages_[0])); }

 private:
  static constexpr std::uint32_t page_size = 1u << PageBits;
  std::vector<std::unique_ptr<T[]>> pages_;
  std::uint32_t size_ = 0;
};

}  // namespace scribeline::fabric
