// The host of a rack: one batch of requests, prompts first, then decode in lockstep.
//
// `users` requests arrive together and are dealt evenly to the replicas of a group, which do the same at the same time.
// Prompts are computed in passes of at most `chunk_tokens` tokens per replica: several whole prompts in one pass where
// they fit, else chunk by chunk. Then the batch decodes in as many micro-batches as there are pipeline stages, each
// pass bringing every sequence of its micro-batch a token. `step_ns` passes between a result at the host and the next
// pass that needs it (sampling, scheduling). Not modelled: requests that join or leave the batch, tokenisation, the
// network to the user, speculation.
#pragma once

#include <cstdint>
#include <functional>
#include <systemc>
#include <vector>

#include "firmware_stubs/batch_serving/pass_channel.h"
#include "firmware_stubs/serving/request.h"

namespace scribeline::batch_serving {

struct batch_workload {
  std::uint64_t users = 1;
  std::uint64_t prompt_tokens = 1024;
  std::uint64_t cached_tokens = 0;  // of every prompt, in the cache before it arrives
  std::uint64_t output_tokens = 128;
  std::uint64_t chunk_tokens = 2048;
};

struct host_config {
  batch_workload load;
  std::uint64_t replicas = 1;
  std::uint64_t stages = 1;
  double step_ns = 0;
  std::function<sc_core::sc_time(const batch_pass&)> hop;  // to the first stage
};

// The passes that compute the prompts, in order, and the first decode pass of each micro-batch.
std::vector<batch_pass> plan_prefill(const host_config& config);
std::vector<batch_pass> plan_decode(const host_config& config);

class batch_host : public sc_core::sc_module {
 public:
  // The channels outlive the host. Users are a multiple of the replicas.
  batch_host(const sc_core::sc_module_name& name, const host_config& config, pass_channel& to_first,
             pass_channel& from_last);

  // The batch arrives, now or when the simulation starts.
  void begin();
  bool done() const { return done_; }
  std::uint64_t began_ps() const { return began_ps_; }
  std::uint64_t tokens_emitted() const { return tokens_emitted_; }
  // One record for the requests that are alike on every replica, in order of their number on a replica.
  const std::vector<serving::request_record>& records() const { return records_; }
  const std::vector<std::uint64_t>& token_gaps_ps() const { return token_gaps_ps_; }
  std::uint64_t decode_passes() const { return decode_passes_; }
  // Hops of the decode passes that came back, and their steps at the host.
  std::uint64_t decode_hops_ps() const { return decode_hops_ps_; }
  std::uint64_t decode_steps_ps() const { return decode_steps_ps_; }
  std::uint64_t passes_out() const { return passes_out_; }

 private:
  void run();
  void prefill();
  void decode();
  void send(batch_pass p);
  batch_pass receive();
  void emit(const batch_pass& p);

  host_config config_;
  pass_channel& to_first_;
  pass_channel& from_last_;
  std::vector<serving::request_record> records_;
  std::vector<std::uint64_t> last_emit_ps_;
  std::vector<std::uint64_t> token_gaps_ps_;
  std::uint64_t tokens_emitted_ = 0, passes_out_ = 0;
  std::uint64_t decode_passes_ = 0, decode_hops_ps_ = 0, decode_steps_ps_ = 0;
  sc_core::sc_time step_;
  bool begun_ = false, done_ = false;
  std::uint64_t began_ps_ = 0;
  sc_core::sc_event begin_{"begin"};
};

}  // namespace scribeline::batch_serving
