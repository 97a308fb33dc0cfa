#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "scenarios/harness/csv_writer.h"
#include "scenarios/wafer_chain/chain_results.h"

namespace scribeline::scenarios {

namespace {

// Of simulated times against closed forms.
struct differences {
  std::size_t count = 0;
  double sum = 0, worst = 0;

  void add(double simulated, double closed_form) {
    if (closed_form == 0) return;
    const double difference = simulated / closed_form - 1;
    ++count;
    sum += difference;
    if (std::abs(difference) > std::abs(worst)) worst = difference;
  }
  double mean() const {
    return count == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / static_cast<double>(count);
  }
};

std::string percent(double part) {
  return fmt::format("{:+.1f} %", 100 * part);
}

void add_metrics(harness::metrics& metrics, const std::string& group, const differences& all) {
  metrics.add(group + ".over_closed_form_mean", all.mean());
  metrics.add(group + ".over_closed_form_worst", all.worst);
}

differences write_collectives(const kernels::simulated_kernels& kernels, harness::run_context& context) {
  static constexpr std::array<const char*, 6> names = {"", "", "reduce", "broadcast", "all_reduce", "transfer"};
  harness::csv_writer file(context.results, "collectives.csv",
                           {"collective", "words", "line", "distance", "simulated_cycles", "closed_form_cycles"});
  differences all;
  for (const auto& row : kernels.collectives()) {
    file.row(std::string_view(names[static_cast<std::size_t>(row.op)]), row.words, row.line, row.distance,
             row.simulated, row.closed_form);
    all.add(row.simulated, row.closed_form);
  }
  file.close();
  return all;
}

differences write_kernels(const kernels::simulated_kernels& kernels, harness::run_context& context) {
  harness::csv_writer file(context.results, "kernels.csv",
                           {"kernel", "vector_operations", "work_cycles", "communication_cycles", "simulated_cycles",
                            "closed_form_work_cycles", "closed_form_communication_cycles", "closed_form_cycles"});
  differences all;
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
  const differences of_kernels = write_kernels(kernels, context);
  const differences of_collectives = write_collectives(kernels, context);
  context.metrics.add("kernels.simulated", static_cast<std::int64_t>(of_kernels.count));
  add_metrics(context.metrics, "kernels", of_kernels);
  context.metrics.add("fabric.simulated_collectives", static_cast<std::int64_t>(of_collectives.count));
  add_metrics(context.metrics, "fabric", of_collectives);
  harness::text_table table({"simulated", "distinct", "mean over closed form", "worst"});
  table.align_right(1).align_right(2).align_right(3);
  const auto row = [&](const char* what, const differences& all) {
    table.add_row({what, std::to_string(all.count), percent(all.mean()), percent(all.worst)});
  };
  row("kernels", of_kernels);
  row("of them collectives", of_collectives);
  context.show("Simulated kernels, see kernels.csv", table);
}

}  // namespace scribeline::scenarios
