#include "firmware_stubs/kernels/mesh_machine.h"

#include <fmt/format.h>

#include "firmware_stubs/collectives/collective.h"
#include "rtl_tlm/base/error.h"

namespace scribeline::kernels {
namespace {

std::unique_ptr<fabric::wavelet_engine> engine_for(const fabric::program& p, const fabric::fabric_chip& chip) {
  fabric::run_options options;
  options.values = true;
  return std::make_unique<fabric::wavelet_engine>(p, chip, options);
}

}  // namespace

mesh_machine::mesh_machine(const fabric::fabric_chip& chip, int columns, int rows, const all_reduce_style& style)
    : chip_(chip),
      columns_(columns),
      rows_(rows),
      style_(style),
      engine_(engine_for(fabric::program("nothing", columns, rows), chip)) {}

base::cycles mesh_machine::run(const mesh_kernel& kernel) {
  return run(program_of(kernel, chip_, columns_, rows_, style_));
}

base::cycles mesh_machine::run(const std::vector<mesh_kernel>& kernels) {
  base::cycles sum;
  for (const mesh_kernel& kernel : kernels)
    sum = sum + run(kernel);
  return sum;
}

base::cycles mesh_machine::run(const std::vector<mesh_step>& steps) {
  base::cycles sum;
  for (const mesh_step& step : steps)
    sum = sum + std::visit([this](const auto& work) { return run(work); }, step);
  return sum;
}

base::cycles mesh_machine::run(const fabric::program& p, const std::function<void(fabric::wavelet_engine&)>& prepare) {
  std::unique_ptr<fabric::wavelet_engine> next = engine_for(p, chip_);
  next->take_sram_of(*engine_);
  if (prepare) prepare(*next);
  engine_ = std::move(next);
  const fabric::run_result result = engine_->run();
  if (result.outcome != fabric::run_outcome::finished)
    throw base::no_progress(fmt::format("{}: {}", p.name, result.explanation));
  return collectives::cycles_between_marks(result);
}

}  // namespace scribeline::kernels
