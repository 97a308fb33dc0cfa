// The host of a data pipeline: sends tokens to the first wafer, gets a vector from the last one, and picks the next
// token.
//
// Tokens of the prompt are known and go out at once, so that wafers work on several of them at the same time; each of
// the others goes out when the one before it has come back. Picking takes no time.
#pragma once

#include <functional>
#include <systemc>
#include <vector>

#include "platforms/data_pipeline/data_message.h"
#include "rtl_tlm/link/port.h"

namespace scribeline::platforms {

struct data_host_config {
  std::vector<int> prompt = {0};
  int generated = 1;  // tokens behind the prompt
  // The token that follows a vector.
  std::function<int(const std::vector<std::uint8_t>&)> pick;
};

// One token that went round.
struct host_step {
  kernels::token_step step;
  sc_core::sc_time sent;       // by the host
  sc_core::sc_time left;       // sent by the last wafer
  sc_core::sc_time came_back;  // to the host
  std::vector<std::uint8_t> vector;
  int next = 0;  // the token picked
};

class data_host : public sc_core::sc_module {
 public:
  link::port to_wafers;
  link::port from_wafers;

  // Throws std::invalid_argument without a prompt, a token to generate or a way to pick one.
  data_host(const sc_core::sc_module_name& name, const data_host_config& config, const link::link_config& link);

  // Tokens that go round: the last one generated does not.
  int steps_in_all() const { return static_cast<int>(config_.prompt.size()) + config_.generated - 1; }
  bool done() const { return static_cast<int>(steps_.size()) == steps_in_all(); }
  // Those that came back, in order.
  const std::vector<host_step>& steps() const { return steps_; }

 private:
  void run();
  void send(int token);
  void receive(link::delivery& d);

  data_host_config config_;
  std::vector<sc_core::sc_time> sent_at_;
  std::vector<host_step> steps_;
};

}  // namespace scribeline::platforms
