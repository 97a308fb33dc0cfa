#include "scenarios/data_mode/data_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scenarios/data_mode/host_check.h"
#include "scenarios/harness/csv_writer.h"

namespace scribeline::scenarios {
namespace {

using platforms::data_pipeline;
using platforms::data_wafer;
using platforms::step_times;

// Where fp16 has decided about experts, a logit may be far off for a reason that is no mistake.
constexpr double near_call = 0.004;

double microseconds(const sc_core::sc_time& t) {
  return t.to_seconds() * 1e6;
}

std::int64_t cycles_of(const platforms::wafer_step& s) {
  return (s.entry + s.compute + s.exit).value();
}

class data_report {
 public:
  data_report(const data_settings& settings, const tiny_model::tiny_decoder& decoder, const data_pipeline& pipeline,
              harness::run_context& context)
      : settings_(settings),
        decoder_(decoder),
        pipeline_(pipeline),
        context_(context),
        checked_(check_on_host(decoder.spec(), pipeline.host.steps())) {}

  void write() {
    write_tokens();
    write_wafers();
    report_values();
    report_time();
    for (std::size_t w = 0; w < pipeline_.wafers.size(); ++w)
      report_wafer(w);
    report_links();
  }

 private:
  std::size_t tokens() const { return checked_.size(); }

  void write_tokens() {
    std::vector<std::string> columns = {"position", "token", "next", "host's next", "largest difference"};
    for (std::size_t w = 0; w < pipeline_.wafers.size(); ++w)
      columns.push_back(fmt::format("wafer {} cycles", w));
    columns.insert(columns.end(), {"links us", "total us"});
    harness::text_table table(columns);
    for (std::size_t column = 0; column < columns.size(); ++column)
      table.align_right(column);
    harness::csv_writer file(context_.results, "tokens.csv",
                             {"position", "token", "next_token", "host_next_token", "largest_difference", "links_us",
                              "waiting_us", "firmware_us", "fabric_us", "total_us"});
    for (std::size_t i = 0; i < tokens(); ++i) {
      write_token(i, file);
      table.add_row(token_cells(i));
    }
    file.close();
    context_.show("Tokens: what the wafers computed, beside the host", std::move(table));
  }

  void write_token(std::size_t i, harness::csv_writer& file) const {
    const platforms::host_step& s = pipeline_.host.steps()[i];
    const step_times t = pipeline_.times_of(i);
    file.row(s.step.position, s.step.token, s.next, checked_[i].host_choice, checked_[i].difference,
             microseconds(t.links), microseconds(t.waiting), microseconds(t.firmware), microseconds(t.fabric),
             microseconds(t.total()));
  }

  std::vector<std::string> token_cells(std::size_t i) const {
    const platforms::host_step& s = pipeline_.host.steps()[i];
    const step_times t = pipeline_.times_of(i);
    std::vector<std::string> cells = {std::to_string(s.step.position), std::to_string(s.step.token),
                                      std::to_string(s.next), std::to_string(checked_[i].host_choice),
                                      fmt::format("{:.5f}", checked_[i].difference)};
    for (const data_wafer& w : pipeline_.wafers)
      cells.push_back(std::to_string(cycles_of(w.steps()[i])));
    cells.push_back(fmt::format("{:.3f}", microseconds(t.links)));
    cells.push_back(fmt::format("{:.3f}", microseconds(t.total())));
    return cells;
  }

  void write_wafers() {
    harness::csv_writer file(
        context_.results, "wafers.csv",
        {"position", "wafer", "arrived_us", "begun_us", "left_us", "entry_cycles", "compute_cycles", "exit_cycles"});
    for (std::size_t i = 0; i < tokens(); ++i)
      for (std::size_t w = 0; w < pipeline_.wafers.size(); ++w) {
        const platforms::wafer_step& s = pipeline_.wafers[w].steps()[i];
        file.row(s.step.position, w, microseconds(s.arrived), microseconds(s.begun), microseconds(s.left),
                 s.entry.value(), s.compute.value(), s.exit.value());
      }
    file.close();
  }

  void report_values() {
    double worst = 0;
    std::int64_t same = 0;
    for (std::size_t i = 0; i < tokens(); ++i) {
      worst = std::isnan(checked_[i].difference) ? std::nan("") : std::max(worst, checked_[i].difference);
      if (std::isnan(worst)) break;
      same += pipeline_.host.steps()[i].next == checked_[i].host_choice ? 1 : 0;
    }
    harness::metrics& m = context_.metrics;
    m.add("tokens", static_cast<std::int64_t>(tokens())).headline("tokens through all wafers");
    m.add("difference.largest", tokens() > 0 ? worst : std::nan(""))
        .headline("largest difference of a logit to the host's");
    m.add("tokens.as_host", same).headline("tokens that the host would have picked, too");
    m.add("logits.fingerprint", fmt::format("{:016x}", fingerprint(pipeline_.host.steps())));
    context_.require({"difference.largest", std::nullopt, settings_.tolerance, "check.tolerance"});
    const double closest = checked_.empty() ? 1e9 : checked_.back().closest_call;
    if (closest >= 1e9) return;
    m.add("routing.closest_call", closest);
    if (closest < near_call && !(worst <= settings_.tolerance))
      context_.notes << fmt::format(
          "note: a router chose an expert by {:.2g} only: there the mesh, in fp16, may choose otherwise than the host, "
          "and logits differ by more than roundings; another run.seed avoids it\n",
          closest);
  }

  // No machine is faster than its links without anything before or beside the message.
  double least_us() const {
    const auto& config = pipeline_.host.to_wafers.config();
    const auto hop = [&config](std::size_t vector) {
      return link::zero_load_latency(config,
                                     base::bytes{static_cast<std::int64_t>(platforms::data_header_bytes + vector)});
    };
    sc_core::sc_time least = hop(0);
    for (const data_wafer& w : pipeline_.wafers)
      least += hop(w.stage().leaves.bytes());
    return microseconds(least);
  }

  void report_time() {
    std::vector<double> totals;
    step_times sum;
    for (std::size_t i = 0; i < tokens(); ++i) {
      const step_times t = pipeline_.times_of(i);
      totals.push_back(microseconds(t.total()));
      sum.links += t.links;
      sum.waiting += t.waiting;
      sum.firmware += t.firmware;
      sum.fabric += t.fabric;
    }
    harness::metrics& m = context_.metrics;
    m.add_percentiles("token_us", totals, "us");
    m.at("token_us.p50").headline("time of a token, p50").at_least(least_us(), "links without load");
    const double count = std::max<double>(1, static_cast<double>(tokens()));
    m.add("links_us.mean", microseconds(sum.links) / count).unit("us");
    m.add("waiting_us.mean", microseconds(sum.waiting) / count).unit("us");
    m.add("firmware_us.mean", microseconds(sum.firmware) / count).unit("us");
    m.add("fabric_us.mean", microseconds(sum.fabric) / count).unit("us");
    m.add("simulated_us", microseconds(sc_core::sc_time_stamp())).unit("us");
  }

  void report_wafer(std::size_t w) {
    const data_wafer& wafer = pipeline_.wafers[w];
    const std::string name = fmt::format("wafer_{}.", w);
    std::vector<double> cycles;
    for (const platforms::wafer_step& s : wafer.steps())
      cycles.push_back(static_cast<double>(cycles_of(s)));
    context_.metrics.add_percentiles(name + "cycles", cycles, "cycles");
    context_.metrics.add(name + "word_hops", wafer.cores.statistics().word_hops);
    context_.metrics.add(name + "sram_bytes_per_core", decoder_.sram_bytes(static_cast<int>(w)))
        .unit("B")
        .at_most(static_cast<double>(settings_.data_bytes_per_core), "SRAM of a core");
  }

  void report_links() {
    std::int64_t bad = pipeline_.host.to_wafers.statistics().frames_corrupted;
    std::int64_t again = pipeline_.host.to_wafers.statistics().frames_replayed;
    std::int64_t bytes = pipeline_.host.to_wafers.statistics().message_bytes_sent;
    for (const data_wafer& w : pipeline_.wafers) {
      const link::port_statistics s = w.downstream.statistics();
      bad += s.frames_corrupted;
      again += s.frames_replayed;
      bytes += s.message_bytes_sent;
    }
    context_.metrics.add("links.message_bytes", bytes).unit("B");
    context_.metrics.add("links.frames_bad", bad);
    context_.metrics.add("links.frames_replayed", again);
  }

  const data_settings& settings_;
  const tiny_model::tiny_decoder& decoder_;
  const data_pipeline& pipeline_;
  harness::run_context& context_;
  std::vector<checked_step> checked_;
};

}  // namespace

void report(const data_settings& settings, const tiny_model::tiny_decoder& decoder,
            const platforms::data_pipeline& pipeline, harness::run_context& context) {
  data_report(settings, decoder, pipeline, context).write();
}

}  // namespace scribeline::scenarios
