#include "scenarios/wafer_chain/stage_results.h"

#include <fmt/format.h>

#include <array>

#include "scenarios/harness/csv_writer.h"
#include "scenarios/model_serving/pass_results.h"
#include "scenarios/model_serving/request_results.h"

namespace scribeline::scenarios {

using harness::not_measured;

namespace {

// The parts of a pass's time, with the name users see and how to read them from a stage.
struct part {
  const char* name;
  const char* label;
  std::uint64_t wafer::pass_statistics::*field;
};
constexpr std::array<part, 7> parts = {{{"fabric", "fabric", &wafer::pass_statistics::fabric_ps},
                                        {"compute", "compute", &wafer::pass_statistics::compute_ps},
                                        {"sram", "SRAM", &wafer::pass_statistics::sram_ps},
                                        {"firmware", "firmware", &wafer::pass_statistics::firmware_ps},
                                        {"link", "off-wafer link", &wafer::pass_statistics::link_ps},
                                        {"handoff", "hand-off on the wafer", &wafer::pass_statistics::handoff_ps},
                                        {"waiting", "waiting for the stage", &wafer::pass_statistics::waiting_ps}}};

void report_slowest_stage(const platforms::wafer_chain& chain, harness::run_context& context) {
  const auto& plan = chain.plan();
  std::size_t slowest = 0;
  double busiest_us = -1, shortest_us = -1;
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const auto& decode = chain.stage(s).decode;
    const double busy = per_pass_us(decode.launch_ps() + decode.firmware_ps, decode.passes);
    if (busy > busiest_us) {
      busiest_us = busy;
      slowest = s;
    }
    if (shortest_us < 0 || busy < shortest_us) shortest_us = busy;
  }
  context.metrics.add("stage.count", static_cast<std::int64_t>(plan.stages.size()));
  context.metrics.add("stage.slowest", busiest_us < 0 ? "" : plan.stages[slowest].layer.name);
  context.metrics.add("stage.slowest_us", busiest_us < 0 ? not_measured : busiest_us).unit("us");
  context.metrics.add("stage.fastest_us", shortest_us < 0 ? not_measured : shortest_us).unit("us");
}

}  // namespace

double per_pass_us(std::uint64_t ps, std::uint64_t passes) {
  return passes == 0 ? not_measured : static_cast<double>(ps) / static_cast<double>(passes) / ps_per_us;
}

void report_passes(const platforms::wafer_chain& chain, harness::run_context& context) {
  const auto& plan = chain.plan();
  std::vector<pass_part_time> times;
  for (const part& p : parts) {
    double us = 0;
    for (std::size_t s = 0; s < plan.stages.size(); ++s) {
      const auto& decode = chain.stage(s).decode;
      if (decode.passes) us += per_pass_us(decode.*p.field, decode.passes);
    }
    if (p.field == &wafer::pass_statistics::link_ps && chain.host.decode_passes()) {
      us += per_pass_us(chain.host.decode_return_ps(), chain.host.decode_passes());
    }
    times.push_back({p.name, p.label, us});
  }
  report_pass(times, "us, all stages", "us per stage", static_cast<double>(plan.stages.size()), context);
  report_slowest_stage(chain, context);
}

void write_stages(const platforms::wafer_chain& chain, harness::run_context& context) {
  const auto& plan = chain.plan();
  std::vector<std::string> columns = {"stage",       "name",          "wafer",        "region_columns",
                                      "region_rows", "expert_groups", "decode_passes"};
  for (const auto& p : parts)
    columns.push_back(fmt::format("decode_{}_us", p.name));
  columns.push_back("prefill_passes");
  for (const auto& p : parts)
    columns.push_back(fmt::format("prefill_{}_us", p.name));
  for (const char* name : {"weights_bytes", "cache_peak_bytes", "state_peak_bytes", "buffers_bytes", "queue_peak"}) {
    columns.emplace_back(name);
  }
  harness::csv_writer file(context.results, "stages.csv", columns);
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const auto& site = plan.stages[s];
    const auto& d = chain.stage(s).decode;
    const auto& p = chain.stage(s).prefill;
    const auto us = [](const wafer::pass_statistics& of, std::size_t i) {
      return per_pass_us(of.*parts[i].field, of.passes);
    };
    using memory::owner;
    file.row(s, site.layer.name, site.wafer, site.placed.map.region.columns, site.placed.map.region.rows,
             site.placed.map.groups(), d.passes, us(d, 0), us(d, 1), us(d, 2), us(d, 3), us(d, 4), us(d, 5), us(d, 6),
             p.passes, us(p, 0), us(p, 1), us(p, 2), us(p, 3), us(p, 4), us(p, 5), us(p, 6),
             chain.memory.held(s, owner::weights).held.value(), chain.memory.held(s, owner::cache).peak.value(),
             chain.memory.held(s, owner::state).peak.value(), chain.memory.held(s, owner::buffers).held.value(),
             chain.stage(s).queue_peak);
  }
  file.close();
}

}  // namespace scribeline::scenarios
