// Exchanges between ranks by closed form: what an accelerator asks unless a network is simulated.
#pragma once

#include "firmware_stubs/network_collectives/dense_collectives.h"
#include "firmware_stubs/network_collectives/token_exchange.h"
#include "rtl_tlm/accelerator/network_timing.h"

namespace scribeline::network_collectives {

class closed_form_network final : public accelerator::network_timing {
 public:
  explicit closed_form_network(const accelerator::scale_up_config& network) : network_(network) {}

  double nanoseconds(const accelerator::exchange& what) override {
    using accelerator::opcode;
    const token_load load = load_of(what);
    switch (what.op) {
      case opcode::all_reduce:
        return best_all_reduce(network_, what.ranks, what.bytes).ns;
      case opcode::dispatch: {
        const auto& library = fastest_library(network_, load);
        return prepare_ns(library, load) + dispatch_ns(network_, library, load);
      }
      case opcode::combine:
        return combine_ns(network_, fastest_library(network_, load), load);
      default:
        return best_gather(network_, what.ranks, what.bytes).ns;
    }
  }

  double bytes_sent(const accelerator::exchange& what) override {
    using accelerator::opcode;
    if (what.op == opcode::dispatch || what.op == opcode::combine) return what.bytes;
    if (what.op == opcode::all_reduce) return best_all_reduce(network_, what.ranks, what.bytes).bytes_sent;
    return best_gather(network_, what.ranks, what.bytes).bytes_sent;
  }

 private:
  static token_load load_of(const accelerator::exchange& what) {
    return {what.ranks, what.tokens, what.bytes, what.round_trip_bytes, what.low_precision};
  }

  accelerator::scale_up_config network_;
};

}  // namespace scribeline::network_collectives
