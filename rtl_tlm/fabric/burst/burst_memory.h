// An allocator for arrays of a hundred megabytes that are visited all over: asks for large pages, where the system has
// them, so that a visit does not cost a walk through page tables as well.
#pragma once

#include <cstddef>
#include <new>

namespace scribeline::fabric {

// Lets the system use large pages for a range; does nothing where it cannot.
void prefer_large_pages(void* begin, std::size_t bytes);

template <class T>
class large_page_allocator {
 public:
  using value_type = T;

  large_page_allocator() = default;
  template <class U>
  large_page_allocator(const large_page_allocator<U>&) {}  // NOLINT: allocators convert

  T* allocate(std::size_t n) {
    void* memory = ::operator new(n * sizeof(T), alignment(n));
    if (n * sizeof(T) >= large) prefer_large_pages(memory, n * sizeof(T));
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t n) { ::operator delete(memory, alignment(n)); }

  template <class U>
  bool operator==(const large_page_allocator<U>&) const {
    return true;
  }
  template <class U>
  bool operator!=(const large_page_allocator<U>&) const {
    return false;
  }

 private:
  static constexpr std::size_t large = std::size_t{1} << 21;
  static constexpr std::align_val_t alignment(std::size_t n) {
    return std::align_val_t{n * sizeof(T) >= large ? large : alignof(T)};
  }
};

}  // namespace scribeline::fabric
