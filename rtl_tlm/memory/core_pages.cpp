#include "rtl_tlm/memory/core_pages.h"

#include <new>

namespace scribeline::memory {

core_pages::core_pages(std::uint32_t rows, std::uint32_t columns, std::int64_t bytes_per_core)
    : rows_(rows), columns_(columns), bytes_per_core_(bytes_per_core) {}

const unsigned char* core_pages::find(core_coordinates core) const {
  const auto& row = rows_[core.row];
  return row ? row[core.column].get() : nullptr;
}

unsigned char* core_pages::touch(core_coordinates core) {
  auto& row = rows_[core.row];
  if (!row) {
    row = std::make_unique<page[]>(columns_);
    ++touched_rows_;
  }
  page& p = row[core.column];
  if (!p) {
    // calloc rather than a value-initialised array: zero pages fresh from the operating system stay unbacked
    // until they are used, and a kernel that stores a few words per core would otherwise cost 48 KiB each.
    p.reset(static_cast<unsigned char*>(std::calloc(static_cast<std::size_t>(bytes_per_core_), 1)));
    if (!p) throw std::bad_alloc{};
    ++touched_;
  }
  return p.get();
}

std::int64_t core_pages::host_bytes() const {
  const auto pointer_bytes = static_cast<std::int64_t>(sizeof(page));
  return static_cast<std::int64_t>(rows_.size()) * pointer_bytes + touched_rows_ * columns_ * pointer_bytes +
         touched_ * bytes_per_core_;
}

}  // namespace scribeline::memory
