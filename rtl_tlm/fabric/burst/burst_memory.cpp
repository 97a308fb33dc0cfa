#include "rtl_tlm/fabric/burst/burst_memory.h"

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

namespace scribeline::fabric {

void prefer_large_pages([[maybe_unused]] void* begin, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  // Only a wish: without it everything works, slower.
  static_cast<void>(madvise(begin, bytes, MADV_HUGEPAGE));
#endif
}

}  // namespace scribeline::fabric
