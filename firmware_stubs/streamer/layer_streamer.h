// The firmware of one pipeline stage: waits for an activation, launches the layer, sends the result on.
//
// It knows its wafer only through the register map: at boot it checks ID and VERSION, stores its launch
// descriptors and unmasks its interrupts; then, for every pass,
//
//     interrupt -> claim, read the message -> launch -> interrupt -> claim, send on
//
// Of several causes claimed at once, arrivals need no answer of their own: they are seen in RX_COUNT.
//
// Time: loosely timed with a quantum keeper. Register accesses cost what the wafer annotates, an interrupt
// `interrupt_latency_ns`. Errors and more: hal/chip_interrupt.h and hal/register_window.h.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/tlm_quantumkeeper.h>

#include <cstdint>
#include <functional>
#include <systemc>
#include <vector>

#include "firmware_stubs/hal/chip_interrupt.h"
#include "firmware_stubs/hal/wafer_driver.h"

namespace scribeline::streamer {

enum class stage_role {
  layer,  // works on every token
  head,   // turns the last token of a prompt and all tokens of a decode pass into logits; others only pass through
  draft,  // works on every token, and behind those that emit makes guesses, one after the other
};

struct streamer_config {
  std::uint32_t bank = 0;              // register bank of the wafer
  std::uint64_t first_descriptor = 0;  // where this stage's descriptors start in descriptor memory
  std::vector<wafer::descriptor> descriptors;
  std::uint64_t output_bytes_per_token = 0;
  stage_role role = stage_role::layer;
  // draft: guesses after each pass that emits, and the first of the descriptors that turn a token into a guess. The
  // tokens of the pass go through those before it; then each guess takes the whole list, but for the first, whose
  // token has just been worked on.
  std::uint64_t draft_tokens = 0;
  std::uint64_t first_logit_descriptor = 0;
  double interrupt_latency_ns = 200;
  // Fills in how a pass loads the busiest expert group; empty for stages without experts.
  std::function<void(const wafer::pass&, wafer::launch_arguments&)> expert_load;
};

class layer_streamer : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<layer_streamer, 64> mmio{"mmio"};
  sc_core::sc_in<bool> irq{"irq"};

  layer_streamer(const sc_core::sc_module_name& name, const streamer_config& config);

 private:
  using driver = hal::wafer_driver<tlm_utils::simple_initiator_socket<layer_streamer, 64>>;

  void run();
  void boot();
  void handle(const wafer::pass& p);
  void draft(const wafer::pass& p);
  // Launches `count` descriptors from `first` of this stage on `p` and waits for the end.
  void launch(std::uint64_t first, std::uint64_t count, const wafer::pass& p);

  streamer_config config_;
  tlm_utils::tlm_quantumkeeper keeper_;
  driver driver_;
  hal::chip_interrupt<driver> interrupt_;
};

}  // namespace scribeline::streamer
