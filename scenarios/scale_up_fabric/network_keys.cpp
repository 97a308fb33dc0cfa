#include "scenarios/scale_up_fabric/network_keys.h"

#include <string_view>
#include <utility>

#include "platforms/scale_up_domain/scale_up_presets.h"

namespace scribeline::scenarios {
namespace {

using platforms::scale_up_config;

const char* const bound_of_sue =
    "scale-up Ethernet: bridges < 100 ns, PHYs < 100 ns, switch < 250 ns, taken as values; see "
    "platforms/scale_up_domain/scale_up_config.h";
const char* const assumption = "assumption";

void declare_machine_keys(harness::key_table& keys, network_settings& s) {
  scale_up_config& m = s.machine;
  keys.add_preset(
          "machine.preset", s.preset,
          {{"ethernet_800g_twinax", "8 ranks, a port of 800 Gb/s each, 3 m of twinax",
            [&m] { m = platforms::ethernet_800g_twinax(); }},
           {"ethernet_800g_fibre", "the same over 30 m of fibre", [&m] { m = platforms::ethernet_800g_fibre(); }},
           {"jalapeno_local", "128 ranks, 8 planes of 600 Gb/s, twinax", [&m] { m = platforms::jalapeno_local(); }}})
      .source("platforms/scale_up_domain/scale_up_presets.h")
      .meaning("network whose numbers are used");
  keys.add("machine.ranks", m.ranks).range(2, sue::max_ranks).from_preset().meaning("accelerators");
  keys.add("machine.planes", m.planes)
      .range(1, 64)
      .from_preset()
      .meaning("switches side by side; every accelerator has a port on each");
  keys.add("machine.port_gbps", m.port_gbps).unit("Gb/s").range(1, 1e5).from_preset().meaning("rate of one port");
  keys.add("machine.bridge_ns", m.latency.bridge_ns)
      .unit("ns")
      .range(0, 1e6)
      .from_preset()
      .source(bound_of_sue)
      .meaning("between an accelerator and its ports, at each end");
  keys.add("machine.phy_ns", m.latency.phy_ns)
      .unit("ns")
      .range(0, 1e6)
      .from_preset()
      .source(bound_of_sue)
      .meaning("PHY of an accelerator with error correction, at each end");
  keys.add("machine.switch_ns", m.latency.switch_ns)
      .unit("ns")
      .range(0, 1e6)
      .from_preset()
      .source(bound_of_sue)
      .meaning("first bit in to first bit out of an idle switch, its PHYs included");
  keys.add("machine.cable_m", m.latency.cable_m)
      .unit("m")
      .range(0, 1e6)
      .from_preset()
      .meaning("between an accelerator and a switch");
  keys.add("machine.cable_ns_per_m", m.latency.cable_ns_per_m)
      .unit("ns")
      .range(0, 100)
      .from_preset()
      .source("scale-up Ethernet: twinax 4.6, fibre 4.96")
      .meaning("delay of the cable");
  keys.add("machine.receive_buffer_bytes", m.link.receive_buffer_bytes)
      .unit("B")
      .range(64, 1e9)
      .from_preset()
      .source(assumption)
      .meaning("of each port and virtual channel: the credit of its peer");
  keys.add("machine.switch_buffer_bytes", m.network_switch.buffer_bytes)
      .unit("B")
      .range(1, 1e12)
      .from_preset()
      .source(assumption)
      .meaning("packet memory of a switch; the receive buffers must fit");
}

void declare_link_keys(harness::key_table& keys, network_settings& s) {
  link::link_config& l = s.machine.link;
  const auto retry = [&l] { return l.llr.on; };
  const char* const with_retry = "link.retry is true";
  keys.add("link.bit_error_rate", l.errors.bit_error_rate)
      .range(0, 0.1)
      .used_when([&s] { return s.traffic.pattern != traffic_pattern::bit_error_sweep; },
                 "traffic.pattern is not \"bit_error_sweep\"")
      .meaning("errors per bit, before error correction when there is one (run.seed)");
  keys.add_choice("link.fec", l.errors.fec, {{"none", link::fec_code::none}, {"rs544", link::fec_code::rs544}})
      .source("IEEE 802.3: RS(544,514) corrects 15 of 544 symbols; its latency is part of machine.phy_ns")
      .meaning("error correction; none: link.bit_error_rate is what is left behind it");
  keys.add("link.retry", l.llr.on).meaning("link-layer retry; without it end-to-end retry alone mends errors");
  keys.add("link.replay_buffer_bytes", l.llr.replay_buffer_bytes)
      .unit("B")
      .range(64, 1e9)
      .used_when(retry, with_retry)
      .source(assumption)
      .meaning("frames that a port keeps until they are acknowledged");
  keys.add("link.replay_timeout_ns", l.llr.replay_timeout_ns)
      .unit("ns")
      .range(1, 1e12)
      .used_when(retry, with_retry)
      .source(assumption)
      .meaning("without an acknowledgement for this long, a port sends them again");
  keys.add("link.replay_limit", l.llr.replay_limit)
      .range(1, 1e6)
      .used_when(retry, with_retry)
      .source(assumption)
      .meaning("replays in a row before the link goes down");
  keys.add("link.credit_update_ns", l.flow.credit_update_ns)
      .unit("ns")
      .range(0, 1e9)
      .source(assumption)
      .meaning("credits go back at multiples of this time; 0: at once");
}

void declare_endpoint_keys(harness::key_table& keys, network_settings& s) {
  sue::endpoint_config& e = s.machine.endpoint;
  keys.add_choice("endpoint.spraying", e.spray,
                  {{"per_pdu", sue::spraying::per_pdu}, {"per_destination", sue::spraying::per_destination}})
      .meaning("how PDUs are dealt to the planes: whichever port may send takes the next, or one plane a destination");
  keys.add("endpoint.transaction_bytes", e.transaction_bytes)
      .unit("B")
      .range(1, 65536)
      .source("scale-up Ethernet")
      .meaning("most bytes of a transaction; larger transfers are cut");
  keys.add("endpoint.pdu_bytes", e.pdu_bytes)
      .unit("B")
      .range(1, 65536)
      .source("scale-up Ethernet")
      .meaning("most transaction bytes in a PDU")
      .must([&e] { return e.pdu_bytes >= e.transaction_bytes; }, "be at least endpoint.transaction_bytes");
  keys.add("endpoint.header_bytes", e.header_bytes)
      .unit("B")
      .range(1, 1000)
      .source("scale-up Ethernet: 46 B of Ethernet, IPv4 and UDP, compressed to 10")
      .meaning("network header of a PDU, besides 8 B for reliability and 20 B of preamble and gap");
  keys.add("endpoint.window_pdus", e.window_pdus)
      .range(1, sue::max_window - 1)
      .source(assumption)
      .meaning("PDUs to one destination that may be unacknowledged");
  keys.add("endpoint.reorder_pdus", e.reorder_pdus)
      .range(0, sue::max_window - 1)
      .source(assumption)
      .meaning("PDUs of one source that a receiver keeps out of order");
  keys.add("endpoint.ack_every", e.ack_every)
      .range(1, sue::max_window - 1)
      .source(assumption)
      .meaning("PDUs that are acknowledged together at the latest")
      .must([&e] { return e.ack_every <= e.window_pdus; }, "be at most endpoint.window_pdus");
  keys.add("endpoint.ack_delay_ns", e.ack_delay_ns)
      .unit("ns")
      .range(0, 1e9)
      .source(assumption)
      .meaning("after which an acknowledgement goes alone");
  keys.add("endpoint.retry_timeout_ns", e.retry_timeout_ns)
      .unit("ns")
      .range(1, 1e12)
      .source(assumption)
      .meaning("without an acknowledgement for this long, PDUs are sent again")
      .must([&e] { return e.retry_timeout_ns > e.ack_delay_ns; }, "be more than endpoint.ack_delay_ns");
  keys.add("endpoint.retry_limit", e.retry_limit)
      .range(0, 1000)
      .source(assumption)
      .meaning("repetitions in a row before a rank counts as unreachable");
}

void declare_traffic_keys(harness::key_table& keys, network_settings& s) {
  traffic_settings& t = s.traffic;
  const auto is = [&t](traffic_pattern p) { return [&t, p] { return t.pattern == p; }; };
  keys.add_choice("traffic.pattern", t.pattern,
                  {{"ping", traffic_pattern::ping},
                   {"line_rate", traffic_pattern::line_rate},
                   {"incast", traffic_pattern::incast},
                   {"credit_sweep", traffic_pattern::credit_sweep},
                   {"bit_error_sweep", traffic_pattern::bit_error_sweep},
                   {"all_reduce", traffic_pattern::all_reduce},
                   {"all_to_all", traffic_pattern::all_to_all}})
      .meaning("what the ranks do");
  keys.add("traffic.bytes", t.bytes)
      .unit("B")
      .range(1, 1e12)
      .used_when([&t] { return t.pattern != traffic_pattern::all_to_all; }, "traffic.pattern is not \"all_to_all\"")
      .meaning("of a ping, of what a rank sends (line_rate, incast, sweeps), of the vector (all_reduce)");
  keys.add("traffic.repeat", t.repeat)
      .range(1, 1e6)
      .used_when(is(traffic_pattern::ping), "traffic.pattern = \"ping\"")
      .meaning("pings there and back");
  keys.add("traffic.victims", t.victims)
      .used_when(is(traffic_pattern::incast), "traffic.pattern = \"incast\"")
      .meaning("one sender also sends to a rank that is not in the incast, and one rank reads through its output");
  const auto all_to_all = is(traffic_pattern::all_to_all);
  const char* const moe = "traffic.pattern = \"all_to_all\"";
  keys.add("traffic.tokens", t.tokens).range(1, 1e6).used_when(all_to_all, moe).meaning("tokens of each rank");
  keys.add("traffic.hidden", t.hidden).range(1, 1e6).used_when(all_to_all, moe).meaning("elements of a token");
  keys.add("traffic.bytes_per_element", t.bytes_per_element)
      .unit("B")
      .range(0.25, 16)
      .used_when(all_to_all, moe)
      .meaning("1: fp8, 2: bf16");
  keys.add("traffic.experts_per_token", t.experts_per_token)
      .range(1, 1024)
      .used_when(all_to_all, moe)
      .meaning("ranks drawn for each token (run.seed), evenly; a rank drawn twice gets the token once");
}

void declare_sweep_keys(harness::key_table& keys, network_settings& s) {
  const auto credit = [&s] { return s.traffic.pattern == traffic_pattern::credit_sweep; };
  const auto errors = [&s] { return s.traffic.pattern == traffic_pattern::bit_error_sweep; };
  keys.add("sweep.round_trip_ns", s.sweep.round_trip_ns)
      .unit("ns")
      .range(0, 1e9)
      .used_when([=] { return credit() || errors(); }, "a sweep runs")
      .meaning("there and back between the two ports of a point of the sweep, which have no switch between them");
  keys.add("sweep.receive_buffer_bytes", s.sweep.receive_buffer_bytes)
      .unit("B")
      .range(64, 1e9)
      .used_when(credit, "traffic.pattern = \"credit_sweep\"")
      .meaning("credits of each point");
  keys.add("sweep.bit_error_rates", s.sweep.bit_error_rates)
      .range(0, 0.1)
      .used_when(errors, "traffic.pattern = \"bit_error_sweep\"")
      .meaning("errors per bit of each point, behind error correction");
}

}  // namespace

void declare_network_keys(harness::key_table& keys, network_settings& settings) {
  declare_machine_keys(keys, settings);
  declare_link_keys(keys, settings);
  declare_endpoint_keys(keys, settings);
  declare_traffic_keys(keys, settings);
  declare_sweep_keys(keys, settings);
  keys.add("trace.ranks", settings.trace.ranks)
      .range(1, sue::max_ranks)
      .observes_only()
      .meaning("ranks that waves show, from 0 on, with the switch ports to them");
  keys.add("trace.planes", settings.trace.planes)
      .range(1, 64)
      .observes_only()
      .meaning("planes that waves show, from 0 on");
}

std::string in_keys(const std::string& problem) {
  static const std::vector<std::pair<std::string_view, std::string_view>> keys_of_fields = {
      {"link: receive_buffer_bytes", "machine.receive_buffer_bytes"},
      {"link: lane_gbps", "machine.port_gbps"},
      {"link: llr.", "link."},
      {"link: flow.", "link."},
      {"link: errors.", "link."},
      {"switch: buffer_bytes", "machine.switch_buffer_bytes"},
      {"switch: latency_ns", "machine.switch_ns"},
      {"endpoint: planes", "machine.planes"},
      {"endpoint: bridge_ns", "machine.bridge_ns"},
      {"endpoint: ", "endpoint."},
      {"", "machine."}};
  for (const auto& [field, key] : keys_of_fields) {
    if (problem.rfind(field, 0) == 0) return std::string(key) + problem.substr(field.size());
  }
  return problem;
}

}  // namespace scribeline::scenarios
