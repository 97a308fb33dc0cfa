// The WSE-3 microbenchmarks as fabric programs.
#pragma once

#include "tests/validation/fabric/wse2_reduce.h"

namespace scribeline::validation {

// Both the sender and the last receiver read the cycle counter; the clocks of the cores are aligned. Sending is a call.
inline std::vector<fabric::instruction> timed_call(const fabric::fabric_chip& chip) {
  return {fabric::timestamp{collectives::begin_mark}, fabric::scalar_work{chip.core.branch_taken_cycles}};
}

// `words` words over `hops` links, both ends on microthreads; the receiver's completion task reads the counter.
inline std::int64_t message_cycles(const fabric::fabric_chip& chip, int hops, int words) {
  using namespace fabric;
  constexpr element_type f32 = element_type::fp32;
  program p("message", hops + 1, 1);
  p.add_route(core_at(0, 0), 0, port::ramp, port::east);
  p.add_route(rectangle(1, 0, hops - 1, 1), 0, port::west, port::east);
  p.add_route(core_at(hops, 0), 0, port::west, port::ramp);
  p.bind_output(core_at(0, 0), 2, 0).bind_input(core_at(hops, 0), 0, 0);
  std::vector<instruction> send = timed_call(chip);
  send.push_back(copy(f32, fabric_out(2), sram(0), words).on_thread(1));
  p.add_start_task(core_at(0, 0), 24, "send", send);
  p.add_start_task(core_at(hops, 0), 24, "receive",
                   {copy(f32, sram(0), fabric_in(0), words).on_thread(1).then_activate(25)});
  p.add_local_task(core_at(hops, 0), 25, "received", {timestamp{collectives::end_mark}});
  const run_result result = run_to_the_end(p, chip);
  return (result.at({hops, 0}, collectives::end_mark) - result.at({0, 0}, collectives::begin_mark)).value();
}

// Every core stores the vector before it sends it on, with synchronous operations; the last one returns from its call
// and reads the counter.
inline std::int64_t relay_cycles(const fabric::fabric_chip& chip, int hops, int words) {
  using namespace fabric;
  constexpr element_type f32 = element_type::fp32;
  program p("relay", hops + 1, 1);
  for (int parity = 0; parity < 2; ++parity) {  // core i sends on color i mod 2
    const region senders{{parity, 0}, (hops - 1 - parity) / 2 + (hops > parity ? 1 : 0), 1, 2, 1};
    const region receivers{{parity + 1, 0}, senders.columns, 1, 2, 1};
    p.add_route(senders, parity, port::ramp, port::east).bind_output(senders, 2, parity);
    p.add_route(receivers, parity, port::west, port::ramp).bind_input(receivers, 0, parity);
  }
  const vector_op receive = copy(f32, sram(0), fabric_in(0), words);
  const vector_op send = copy(f32, fabric_out(2), sram(0), words);
  std::vector<instruction> first = timed_call(chip);
  first.push_back(send);
  p.add_start_task(core_at(0, 0), 24, "send", first);
  p.add_start_task(rectangle(1, 0, hops - 1, 1), 24, "relay", {receive, send});
  p.add_start_task(core_at(hops, 0), 24, "receive",
                   {receive, scalar_work{chip.core.branch_taken_cycles}, timestamp{collectives::end_mark}});
  const run_result result = run_to_the_end(p, chip);
  return (result.at({hops, 0}, collectives::end_mark) - result.at({0, 0}, collectives::begin_mark)).value();
}

// `sources` cores in a row send `words` words each, on a color each, to the same core through one link. Cycles until it
// has them all.
inline std::int64_t contention_cycles(const fabric::fabric_chip& chip, int sources, int words) {
  using namespace fabric;
  constexpr element_type f32 = element_type::fp32;
  program p("contention", sources + 2, 1);
  const int last = sources + 1;
  std::vector<instruction> receive;
  for (int s = 0; s < sources; ++s) {
    p.add_route(core_at(s, 0), s, port::ramp, port::east).bind_output(core_at(s, 0), 2, s);
    p.add_route(rectangle(s + 1, 0, last - s - 1, 1), s, port::west, port::east);
    p.add_route(core_at(last, 0), s, port::west, port::ramp).bind_input(core_at(last, 0), s, s);
    std::vector<instruction> send = timed_call(chip);
    send.push_back(copy(f32, fabric_out(2), sram(0), words).on_thread(1));
    p.add_start_task(core_at(s, 0), 24, "send", send);
    receive.push_back(copy(f32, sram(4 * words * s), fabric_in(s), words).on_thread(s));
  }
  p.add_start_task(core_at(last, 0), 24, "receive", receive);
  const run_result result = run_to_the_end(p, chip);
  return result.cycles.value();
}

}  // namespace scribeline::validation
