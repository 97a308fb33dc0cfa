#include <array>
#include <string>

#include "scenarios/harness/csv_writer.h"
#include "scenarios/model_serving/fidelity_results.h"
#include "scenarios/wafer_chain/chain_results.h"

namespace scribeline::scenarios {

namespace {

fidelity_results write_collectives(const kernels::simulated_kernels& kernels, harness::run_context& context) {
  static constexpr std::array<const char*, 6> names = {"", "", "reduce", "broadcast", "all_reduce", "transfer"};
  harness::csv_writer file(context.results, "collectives.csv",
                           {"collective", "words", "line", "distance", "simulated_cycles", "closed_form_cycles"});
  fidelity_results all;
  for (const auto& row : kernels.collectives()) {
    file.row(std::string_view(names[static_cast<std::size_t>(row.op)]), row.words, row.line, row.distance,
             row.simulated, row.closed_form);
    all.add(row.simulated, row.closed_form);
  }
  file.close();
  return all;
}

fidelity_results write_kernels(const kernels::simulated_kernels& kernels, harness::run_context& context) {
  harness::csv_writer file(context.results, "kernels.csv",
                           {"kernel", "vector_operations", "work_cycles", "communication_cycles", "simulated_cycles",
                            "closed_form_work_cycles", "closed_form_communication_cycles", "closed_form_cycles"});
  fidelity_results all;
  for (const auto& kernel : kernels.kernels()) {
    file.row(kernel.what, kernel.vector_operations, kernel.work, kernel.communication, kernel.total(),
             kernel.closed_form_work, kernel.closed_form_communication, kernel.closed_form());
    all.add(kernel.total(), kernel.closed_form());
  }
  file.close();
  return all;
}

}  // namespace

void report_fidelity(const kernels::simulated_kernels& kernels, harness::run_context& context) {
  const fidelity_results of_kernels = write_kernels(kernels, context);
  const fidelity_results of_collectives = write_collectives(kernels, context);
  context.metrics.add("kernels.simulated", static_cast<std::int64_t>(of_kernels.count()));
  of_kernels.add_metrics("kernels", context.metrics);
  context.metrics.add("fabric.simulated_collectives", static_cast<std::int64_t>(of_collectives.count()));
  of_collectives.add_metrics("fabric", context.metrics);
  harness::text_table table({"simulated", "distinct", "mean over closed form", "worst"});
  table.align_right(1).align_right(2).align_right(3);
  const auto row = [&](const char* what, const fidelity_results& all) {
    table.add_row({what, std::to_string(all.count()), all.mean_text(), all.worst_text()});
  };
  row("kernels", of_kernels);
  row("of them collectives", of_collectives);
  context.show("Simulated kernels, see kernels.csv", table);
}

}  // namespace scribeline::scenarios
