// The facts of a wafer that its fabric programs must respect and its engines run by.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "rtl_tlm/core/core_timing.h"
#include "rtl_tlm/fabric/formula/formula.h"

namespace scribeline::fabric {

// Timing rules of both engines:
//   * Every link and every ramp carries one word per cycle and direction.
//   * A word that a router sends in cycle t can be sent on by the neighbour in cycle t + hop_cycles, or is seen by the
//     router's own core in cycle t + ramp_receive_cycles. A word that a core's vector step produces in cycle t can
//     leave its router in cycle t + execute_cycles + ramp_send_cycles.
//   * A word that leaves a queue in cycle t makes room for one sent in cycle t + 1 or later.
//   * Words of one color never overtake each other. Colors that want one output port take turns, word by word. A
//     multicast word leaves to all its ports in the same cycle, so it waits for the slowest of them.
struct fabric_chip {
  std::string name;
  int columns = 0;  // program rectangle
  int rows = 0;
  int colors = 24;
  int switch_positions = 4;
  int microthreads = 8;
  int task_ids = 64;
  std::int64_t hop_cycles = 0;
  std::int64_t ramp_send_cycles = 0;
  std::int64_t ramp_receive_cycles = 0;
  // Words of one color that a router holds per receive direction, besides the hop_cycles words on the link itself
  // (assumption: not published; 2 is the least that keeps a stalled stream from losing cycles when it resumes).
  int router_queue_words = 2;
  // Words that the ramps hold besides the queue of the core (assumption: see the presets).
  int ramp_send_register_words = 0;
  int ramp_receive_register_words = 0;
  int input_queues = 8;
  int output_queues = 8;
  std::array<int, 8> input_queue_words{};
  std::array<int, 8> output_queue_words{};
  int sram_bytes = 48 * 1024;
  int sram_banks = 8;
  core::core_timing core{};
};

// WSE-2: hop 1, ramp 2 (HPDC'24), queues from the vendor's documentation. Both ramps are elastic: chains of one word
// per cycle were measured, which a queue of two words alone could not feed.
fabric_chip wse2_chip();

// WSE-3: hop 2, about 7 cycles to send of which one is the datapath, 3 to receive, queues from the vendor's
// documentation. The send ramp holds nothing: see core::wse3_core().
fabric_chip wse3_chip();

// The closed forms' view of a chip: streaming at one word per cycle, launch and phase gap of zero.
fabric_timing ideal_timing(const fabric_chip& chip);

}  // namespace scribeline::fabric
