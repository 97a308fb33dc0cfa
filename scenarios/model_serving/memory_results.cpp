#include "scenarios/model_serving/memory_results.h"

#include <fmt/format.h>

#include <utility>

namespace scribeline::scenarios {

namespace {

double gigabytes(base::bytes b) {
  return static_cast<double>(b.value()) / 1e9;
}

}  // namespace

memory_results::memory_results(std::string kind, const std::string& title, base::bytes capacity,
                               harness::run_context& context)
    : kind_(std::move(kind)), capacity_(capacity), context_(context), table_({title, "GB", "share"}) {
  table_.align_right(1).align_right(2);
}

void memory_results::row(const std::string& name, base::bytes held) {
  const double gb = gigabytes(held);
  context_.metrics.add(fmt::format("{}.{}_gb", kind_, name), gb).unit("GB");
  table_.add_row({name, fmt::format("{:.3f}", gb), fmt::format("{:.1f} %", 100 * gb / gigabytes(capacity_))});
}

void memory_results::show(std::int64_t requests_that_fit) {
  context_.metrics.add(fmt::format("{}.requests_that_fit", kind_), requests_that_fit);
  context_.show(fmt::format("Memory: {} requests of this workload fit beside the weights", requests_that_fit), table_);
}

}  // namespace scribeline::scenarios
