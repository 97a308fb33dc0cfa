#include "scenarios/wafer_chain/placement_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "firmware_stubs/plan/work.h"
#include "scenarios/harness/csv_writer.h"
#include "scenarios/wafer_chain/floor_plan.h"

namespace scribeline::scenarios {

namespace {

constexpr std::size_t operations_shown = 8;

// One operation of a pass, or several of one name.
struct cost {
  double fabric = 0, compute = 0, sram = 0;  // cycles
  double macs = 0;                           // as the cores do them
  double macs_asked = 0;                     // by the plan

  double cycles() const { return fabric + compute + sram; }
  cost& operator+=(const cost& other) {
    fabric += other.fabric;
    compute += other.compute;
    sram += other.sram;
    macs += other.macs;
    macs_asked += other.macs_asked;
    return *this;
  }
};

class reporter {
 public:
  reporter(const platforms::chain_config& config, const platforms::chain_plan& plan, harness::run_context& context)
      : config_(config), plan_(plan), context_(context), timing_(config.wafer) {}

  void run() {
    write_operations();
    show_largest();
    padding();
    // One picture for all wafers that look alike, under the number of the first.
    for (const floor_plan& which : floor_plans(plan_)) {
      context_.results.write(fmt::format("floor_plans/wafer_{:03}.svg", which.wafer),
                             floor_plan_svg(config_, plan_, which));
    }
  }

 private:
  // A decode pass right after the prompt with a typical routing of experts; of a draft stage, one draft.
  wafer::launch_arguments typical_pass(const platforms::stage_site& site) const {
    const bool drafts = site.layer.what == plan::layer_plan::stage::draft;
    return {drafts ? 1 : config_.tokens_per_decode_pass(), config_.load.prompt_tokens, site.placed.planned_load.pairs,
            site.placed.planned_load.matrices};
  }

  // In the order of the stage's operations, what enters first and what leaves last.
  std::vector<cost> costs_of(const platforms::stage_site& site) {
    const auto pass = typical_pass(site);
    std::vector<cost> costs(site.placed.program.operations.size());
    const auto& descriptors = site.placed.program.descriptors;
    std::vector<wafer::descriptor_cost> of_descriptors(descriptors.size());
    for (std::size_t i = 0, length = 0; i < descriptors.size(); i += length) {
      length = wafer::kernel_length(&descriptors[i], descriptors.size() - i);
      timing_.costs_of_kernel(&descriptors[i], length, pass, &of_descriptors[i]);
    }
    for (std::size_t i = 0; i < descriptors.size(); ++i) {
      const wafer::descriptor_cost& one = of_descriptors[i];
      cost& c = costs[descriptors[i].operation];
      (one.binds == wafer::bound_by::fabric ? c.fabric
       : one.binds == wafer::bound_by::sram ? c.sram
                                            : c.compute) += one.cycles;
      c.macs += one.macs;
    }
    for (std::size_t i = 0; i < site.layer.operations.size(); ++i)
      costs[i + 1].macs_asked = plan::work_of(site.layer.operations[i], pass.tokens, pass.context).macs;
    return costs;
  }

  void write_operations() {
    harness::csv_writer file(
        context_.results, "operations.csv",
        {"stage", "name", "operation", "fabric_cycles", "compute_cycles", "sram_cycles", "macs", "macs_asked"});
    for (std::size_t s = 0; s < plan_.stages.size(); ++s) {
      const auto& site = plan_.stages[s];
      const auto costs = costs_of(site);
      for (std::size_t i = 0; i < costs.size(); ++i) {
        const cost& c = costs[i];
        const std::string& name = site.placed.program.operations[i];
        file.row(s, site.layer.name, name, c.fabric, c.compute, c.sram, c.macs, c.macs_asked);
        by_name_[name] += c;
        all_ += c;
      }
    }
    file.close();
  }

  double us(double cycles) const { return cycles / config_.wafer.clock_ghz / 1000; }

  void show_largest() {
    std::vector<std::pair<std::string, cost>> sorted(by_name_.begin(), by_name_.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.second.cycles() > b.second.cycles(); });
    harness::text_table table({"operation", "us, all stages", "share", "of it fabric", "compute"});
    for (std::size_t column = 1; column < 5; ++column)
      table.align_right(column);
    const auto percent = [](double part, double whole) { return fmt::format("{:.1f} %", 100 * part / whole); };
    for (std::size_t i = 0; i < std::min(operations_shown, sorted.size()); ++i) {
      const cost& c = sorted[i].second;
      table.add_row({sorted[i].first, fmt::format("{:.1f}", us(c.cycles())), percent(c.cycles(), all_.cycles()),
                     percent(c.fabric, c.cycles()), percent(c.compute, c.cycles())});
    }
    context_.show("The largest operations of a decode pass, on an average routing", table);
    context_.metrics.add("mapping.largest_operation", sorted.front().first);
    context_.metrics.add("mapping.largest_operation_us", us(sorted.front().second.cycles())).unit("us");
  }

  void padding() {
    base::bytes places{0};
    for (const auto& site : plan_.stages)
      places += site.placed.program.memory.padding;
    context_.metrics.add("mapping.macs_over_plan", all_.macs / all_.macs_asked);
    context_.metrics.add("mapping.expert_padding_bytes", places.value()).unit("B");
    harness::text_table table({"padding of", "more than asked", "because of"});
    table.align_right(1);
    table.add_row({"multiply-accumulates", fmt::format("{:+.1f} %", 100 * (all_.macs / all_.macs_asked - 1)),
                   "slices that do not divide evenly among cores"});
    table.add_row({"weights", fmt::format("{:.3f} GB", static_cast<double>(places.value()) / 1e9),
                   "places of expert groups that no expert fills"});
    context_.show("What the mapping wastes in a decode pass", table);
  }

  const platforms::chain_config& config_;
  const platforms::chain_plan& plan_;
  harness::run_context& context_;
  wafer::launch_timing timing_;
  std::map<std::string, cost> by_name_;
  cost all_;
};

}  // namespace

void report_placement(const platforms::chain_config& config, const platforms::chain_plan& plan,
                      harness::run_context& context) {
  reporter(config, plan, context).run();
}

}  // namespace scribeline::scenarios
