#include "scenarios/scale_up_fabric/network_run.h"

#include <algorithm>

#include "rtl_tlm/base/error.h"

namespace scribeline::scenarios {

using platforms::scale_up_config;
using platforms::scale_up_domain;

network_run::~network_run() = default;

scale_up_domain& network_run::add_domain(const char* name, const scale_up_config& config) {
  domains_.push_back(std::make_unique<scale_up_domain>(name, config));
  scale_up_domain& domain = *domains_.back();
  if (domains_.size() == 1 && context_.settings.waves != harness::waves::off)
    waves_ = std::make_unique<platforms::domain_waves>(
        domain, context_.results.stream("waves.vcd").string(), context_.results.stream("waves.gtkw").string(),
        context_.results.stream("timeline.json").string(), harness::wave_options(context_.settings),
        settings_.trace.ranks, settings_.trace.planes);
  return domain;
}

bool network_run::run(double total, const char* what, const std::function<double()>& done) {
  const sc_core::sc_time slice(20, sc_core::SC_US);
  try {
    while (sc_core::sc_pending_activity() && !context_.interrupted()) {
      sc_core::sc_start(slice);
      context_.bar.update(done(), total, what);
    }
  } catch (const sc_core::sc_report& report) {
    context_.bar.finish();
    if (waves_) waves_->close();
    if (std::string(report.get_msg_type()) != "/scribeline/sue/unreachable") throw;
    throw base::no_progress(report.get_msg());
  }
  context_.bar.finish();
  if (waves_) waves_->close();
  if (context_.interrupted()) return false;
  std::string waiting;
  for (const auto& d : domains_)
    if (!d->is_idle()) waiting += d->why_blocked();
  if (!waiting.empty()) throw base::no_progress("transfers are left and nothing moves any more:\n" + waiting);
  return true;
}

void network_run::report_counters(const scale_up_domain& domain, const std::string& prefix) const {
  harness::metrics& m = context_.metrics;
  // Beside each other, two networks of one run would show the same labels.
  const auto add = [&](const char* name, auto value, const char* unit, const char* headline) {
    harness::metric& one = m.add(prefix + name, value).unit(unit);
    if (prefix.empty() && *headline != 0) one.headline(headline);
  };
  sue::endpoint_statistics e;
  std::int64_t replayed = 0;
  std::int64_t corrupted = 0;
  sc_core::sc_time stall;
  const auto count_link = [&](const link::port_statistics& s) {
    replayed += s.frames_replayed;
    corrupted += s.frames_corrupted;
  };
  for (int r = 0; r < domain.ranks(); ++r) {
    e += domain.rank(r).statistics();
    for (int p = 0; p < domain.planes(); ++p) {
      const link::port_statistics s = domain.rank(r).ports[p].statistics();
      count_link(s);
      stall += s.credit_stall;
      count_link(domain.plane(p).ports[r].statistics());
    }
  }
  std::int64_t frames = 0;
  std::int64_t dropped = 0;
  std::int64_t peak = 0;
  for (int p = 0; p < domain.planes(); ++p) {
    const switching::switch_statistics s = domain.plane(p).statistics();
    frames += s.frames_out;
    dropped += s.frames_dropped;
    peak = std::max(peak, s.peak_buffer_bytes);
  }
  add("bytes_arrived", e.bytes_arrived, "B", "");
  add("pdus.sent", e.pdus_sent, "", "");
  add("pdus.repeated", e.pdus_repeated, "", "");
  add("pdus.packing_depth", e.packing_depth(), "transactions/PDU", "transactions per PDU");
  add("pdus.out_of_order", e.held, "", "");
  add("pdus.duplicates", e.duplicates, "", "");
  add("acks.alone", e.acks_sent, "", "");
  add("nacks", e.nacks_sent, "", "");
  add("timeouts", e.timeouts, "", "");
  add("switch.frames", frames, "", "frames through switches");
  add("switch.frames_dropped", dropped, "", "");
  add("switch.peak_buffer_bytes", peak, "B", "packet memory in use, peak of a switch");
  add("link.frames_corrupted", corrupted, "", "");
  add("link.frames_replayed", replayed, "", "");
  add("credit_stall_us", stall.to_seconds() * 1e6, "us", "ranks waiting for credit, sum");
}

double nanoseconds(const sc_core::sc_time& t) {
  return t.to_seconds() * 1e9;
}

double wire_ns(const scale_up_config& c, std::int64_t bytes) {
  const link::link_config l = domain_link(c);
  const std::int64_t full = (bytes - 1) / c.endpoint.pdu_bytes;
  const std::int64_t rest = bytes - full * c.endpoint.pdu_bytes;
  return static_cast<double>(full) * nanoseconds(frame_time(l, frame_bytes(c.endpoint, c.endpoint.pdu_bytes))) +
         nanoseconds(frame_time(l, frame_bytes(c.endpoint, rest)));
}

double least_ns(const scale_up_config& c, std::int64_t bytes) {
  return c.latency.one_way_ns() + wire_ns(c, std::min(bytes, c.endpoint.pdu_bytes));
}

}  // namespace scribeline::scenarios
