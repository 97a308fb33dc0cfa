// A host whose chain is ideal: every pass comes back after a fixed time, whatever else is under way.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "firmware_stubs/serving/serving_host.h"
#include "rtl_tlm/wafer/register_map.h"

namespace scribeline::serving {

inline sc_core::sc_time ns(double n) {
  return base::picoseconds(n * 1000);
}

inline std::uint64_t ps(double nanoseconds) {
  return ns(nanoseconds).value();
}

// One lane, 80 ps per byte, 1000 ns of latency. A frame of up to 46 B takes 84 x 0.08 = 6.72 ns, one of 64 B
// 102 x 0.08 = 8.16 ns.
inline link::link_config echo_link() {
  link::link_config c;
  c.lane_gbps = 100;
  c.latency_ns = 1000;
  c.credit_latency_ns = 1000;
  return c;
}

// Answers every pass with 4 B, `latency` after it arrived, of which the last stage is said to have taken 700 ns.
class echo_chain : public sc_core::sc_module {
 public:
  link::port in;
  link::port out;
  std::vector<wafer::pass> seen;
  std::int64_t most_under_way = 0;

  echo_chain(const sc_core::sc_module_name& name, double latency_ns)
      : sc_module(name), in("in", echo_link()), out("out", echo_link()), latency_(ns(latency_ns)) {
    in.on_message([this](link::delivery& d) { echo(d); });
  }

  static constexpr std::uint64_t last_stage_ps = 700000;

 private:
  void echo(link::delivery& d) {
    wafer::pass p = wafer::pass::from_words(d.content.header, static_cast<std::uint64_t>(d.content.size.value()));
    seen.push_back(p);
    in.release(d);
    p.link_ps += (d.arrived_at - d.sent_at).value();
    p.last_stage_ps = last_stage_ps;
    link::message answer;
    answer.size = base::bytes{4};
    answer.header = p.to_words();
    out.send(answer, latency_);
    most_under_way = std::max(most_under_way, out.queued_messages());
  }

  sc_core::sc_time latency_;
};

// Room for so many requests at a time.
class counted_admission : public cache_admission {
 public:
  explicit counted_admission(std::uint64_t room) : room_(room) {}
  virtual ~counted_admission() = default;
  bool admit(const request&) override {
    if (now == room_) return false;
    ++now;
    ++admitted;
    most = std::max(most, now);
    return true;
  }
  void retire(const request&) override {
    --now;
    ++retired;
  }
  std::uint64_t now = 0, most = 0, admitted = 0, retired = 0;

 private:
  std::uint64_t room_;
};

struct serving_bench {
  counted_admission admission;
  std::unique_ptr<serving_host> host;
  std::unique_ptr<echo_chain> chain;

  explicit serving_bench(const workload& load, double latency_ns = 5000, std::uint64_t room = 1000000,
                         const std::string& name = "bench")
      : admission(room),
        host(std::make_unique<serving_host>((name + "_host").c_str(), load, echo_link(), admission)),
        chain(std::make_unique<echo_chain>((name + "_chain").c_str(), latency_ns)) {
    link::connect(host->to_chain, chain->in);
    link::connect(chain->out, host->from_chain);
  }

  // Until nothing happens any more.
  void run() { sc_core::sc_start(); }
  const request_record& record(std::size_t i) const { return host->records().at(i); }
};

// There and back of a pass of few tokens through a chain of 5000 ns, in ns.
constexpr double round_trip = 1006.72 + 5000 + 1006.72;

}  // namespace scribeline::serving
