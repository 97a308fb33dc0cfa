#include "platforms/data_pipeline/data_waves.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "rtl_tlm/fabric/wavelet/wavelet_state.h"

namespace scribeline::platforms {

namespace {

constexpr const char* idle = "idle";

}  // namespace

edge_recorder::edge_recorder(trace::vcd_writer& vcd, const std::string& scope, const data_wafer& wafer)
    : wafer_(wafer), clock_(wafer.cores.config().clock) {
  const kernels::mesh_stage& stage = wafer.stage();
  if (stage.enters) enters_ = declare(vcd, scope + ".enters", entry_gates(*stage.enters, stage.columns, stage.rows));
  leaves_ = declare(vcd, scope + ".leaves", exit_gates(stage.leaves, stage.columns, stage.rows));
}

edge_recorder::side edge_recorder::declare(trace::vcd_writer& vcd, const std::string& scope,
                                           std::vector<kernels::edge_gate> gates) const {
  side s;
  s.words = vcd.add_unsigned(scope, "words", 32);
  for (int row = 0; row < wafer_.stage().rows; ++row)
    s.rows.push_back(vcd.add_unsigned(scope, fmt::format("row_{:02}", row), 32));
  s.seen.resize(gates.size(), 0);
  s.gates = std::move(gates);
  return s;
}

void edge_recorder::show(trace::gtkw_view& view) const {
  for (const side* s : {&enters_, &leaves_}) {
    if (s->gates.empty()) continue;
    view.comment(s == &enters_ ? "words that enter" : "words that leave").show(s->words);
    for (const trace::unsigned_signal& row : s->rows)
      view.show(row, trace::display::hexadecimal);
  }
}

void edge_recorder::restart() {
  for (side* s : {&enters_, &leaves_})
    std::fill(s->seen.begin(), s->seen.end(), 0);
}

base::cycles edge_recorder::last_cycle() const {
  return base::cycles{std::numeric_limits<std::int32_t>::max() - 1};
}

void edge_recorder::before_cycle(const fabric::wavelet_engine& engine, const sc_core::sc_time& start) {
  const sc_core::sc_time at = start + clock_.duration(engine.now());
  const fabric::wavelet_state& state = engine.state();
  for (const fabric::edge_source& source : state.sources)
    update(enters_, static_cast<std::size_t>(state.place_of(source.core).row), source.values, source.sent, at);
  if (state.sinks.empty()) return;
  for (std::size_t gate = 0; gate < leaves_.gates.size(); ++gate) {
    const kernels::edge_gate& g = leaves_.gates[gate];
    const auto record = engine.edge_output_record(g.core, fabric::port::east, g.color);
    update(leaves_, gate, record.values, record.values.size(), at);
  }
}

void edge_recorder::update(side& s, std::size_t gate, const std::vector<std::uint32_t>& words, std::size_t passed,
                           const sc_core::sc_time& at) {
  if (passed == s.seen[gate]) return;
  s.passed += passed - s.seen[gate];
  s.seen[gate] = passed;
  s.words.set(s.passed, at);
  s.rows[static_cast<std::size_t>(s.gates[gate].core.row)].set(words[passed - 1], at);
}

data_wafer_recorder::data_wafer_recorder(trace::vcd_writer& vcd, trace::timeline_writer& timeline,
                                         const std::string& scope, const std::string& track, const data_wafer& wafer)
    : activity_(vcd.add_text(scope, "activity", idle)),
      position_(vcd.add_unsigned(scope, "position", 32)),
      token_(vcd.add_unsigned(scope, "token", 32)),
      programs_(timeline.add_track(track, "programs")),
      steps_(timeline.add_track(track, "tokens")),
      edge_(vcd, scope, wafer) {}

void data_wafer_recorder::show(trace::gtkw_view& view) const {
  view.show(activity_).show(position_).show(token_);
  edge_.show(view);
}

void data_wafer_recorder::step_begun(const wafer_step& s) {
  activity_.set("firmware");
  position_.set(static_cast<std::uint64_t>(s.step.position));
  token_.set(static_cast<std::uint64_t>(s.step.token));
}

void data_wafer_recorder::program_started(const std::string& name) {
  end_program();
  program_ = name;
  program_began_ = sc_core::sc_time_stamp();
  activity_.set(name);
  edge_.restart();
}

void data_wafer_recorder::end_program() {
  if (!program_.empty()) programs_.span(program_, program_began_, sc_core::sc_time_stamp());
  program_.clear();
}

void data_wafer_recorder::step_left(const wafer_step& s) {
  end_program();
  activity_.set(idle);
  steps_.span(fmt::format("position {}", s.step.position), s.begun, s.left,
              {{"position", s.step.position}, {"token", s.step.token}});
}

data_waves::data_waves(data_pipeline& pipeline, const std::string& vcd_file, const std::string& view_file,
                       const std::string& timeline_file, const trace::vcd_options& options)
    : view_file_(view_file), vcd_(vcd_file, options), timeline_(timeline_file) {
  links_.emplace_back(vcd_, timeline_, "pipeline.host.link", "host", pipeline.host.to_wafers.config());
  pipeline.host.to_wafers.observe(&links_.back());
  for (std::size_t w = 0; w < pipeline.wafers.size(); ++w) {
    data_wafer& wafer = pipeline.wafers[w];
    const std::string scope = fmt::format("pipeline.wafer_{}", w);
    const std::string track = fmt::format("wafer {}", w);
    wafers_.emplace_back(vcd_, timeline_, scope, track, wafer);
    wafer.observe(&wafers_.back());
    links_.emplace_back(vcd_, timeline_, scope + ".link", track, wafer.downstream.config());
    wafer.downstream.observe(&links_.back());
  }
}

void data_waves::close() {
  trace::gtkw_view view(vcd_.path().filename().string());
  view.group("pipeline: what every wafer does");
  for (const data_wafer_recorder& wafer : wafers_)
    view.show(wafer.activity());
  view.group("host link");
  links_[0].show(view);
  for (std::size_t w = 0; w < wafers_.size(); ++w) {
    view.group(fmt::format("wafer {}", w));
    wafers_[w].show(view);
    links_[w + 1].show(view);
  }
  const sc_core::sc_time& from = vcd_.options().window_start;
  view.open_at(from, std::max(std::min(vcd_.options().window_end, sc_core::sc_time_stamp()),
                              from + sc_core::sc_time(1, sc_core::SC_NS)));
  view.write(view_file_, vcd_);
  vcd_.close();
  timeline_.close();
}

}  // namespace scribeline::platforms
