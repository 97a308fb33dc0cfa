#include "firmware_stubs/batch_serving/batch_host.h"

#include <algorithm>

#include "rtl_tlm/base/units.h"

namespace scribeline::batch_serving {

namespace {
std::uint64_t now_ps() {
  return sc_core::sc_time_stamp().value();
}
}  // namespace

batch_host::batch_host(const sc_core::sc_module_name& name, const host_config& config, pass_channel& to_first,
                       pass_channel& from_last)
    : sc_module(name),
      config_(config),
      to_first_(to_first),
      from_last_(from_last),
      sequences_(config.load.users / config.replicas),
      records_(sequences_),
      last_emit_ps_(sequences_, 0),
      step_(base::picoseconds(config.step_ns * 1000)) {
  const batch_workload& load = config.load;
  for (std::uint64_t i = 0; i < sequences_; ++i)
    records_[i].what = {i, load.prompt_tokens, load.cached_tokens, load.output_tokens};
  SC_HAS_PROCESS(batch_host);
  SC_THREAD(run);
}

void batch_host::run() {
  prefill();
  if (config_.load.output_tokens > 1) decode();
  done_ = true;
}

// As many passes are under way as there are stages to work on them.
void batch_host::prefill() {
  const batch_workload& load = config_.load;
  const std::uint64_t to_compute = load.prompt_tokens - load.cached_tokens;
  const std::uint64_t together = std::max<std::uint64_t>(1, load.chunk_tokens / to_compute);
  for (std::uint64_t first = 0; first < sequences_; first += together) {
    const std::uint64_t sequences = std::min(together, sequences_ - first);
    for (std::uint64_t i = first; i < first + sequences; ++i)
      records_[i].started_ps = now_ps();
    for (std::uint64_t computed = 0; computed < to_compute;) {
      const std::uint64_t each =
          std::min(to_compute - computed, std::max<std::uint64_t>(1, load.chunk_tokens / sequences));
      batch_pass p;
      p.first_request = first;
      p.sequences = sequences;
      p.tokens = each * sequences;
      p.context = load.cached_tokens + computed;
      p.prefill = true;
      computed += each;
      p.emits = computed == to_compute;
      if (passes_out_ == config_.stages) emit(receive());
      send(p);
    }
  }
  while (passes_out_ > 0)
    emit(receive());
}

void batch_host::decode() {
  const std::uint64_t batches = std::min(config_.stages, sequences_);
  const std::uint64_t each = base::ceil_div(sequences_, batches);
  std::vector<std::uint64_t> left(sequences_, config_.load.output_tokens - 1);
  const auto next = [&](std::uint64_t first) {
    batch_pass p;
    p.first_request = first;
    p.sequences = std::min(each, sequences_ - first);
    p.tokens = p.sequences;
    p.context = config_.load.prompt_tokens + config_.load.output_tokens - 1 - left[first];
    p.emits = true;
    send(p);
  };
  wait(step_);
  for (std::uint64_t first = 0; first < sequences_; first += each)
    next(first);
  while (passes_out_ > 0) {
    const batch_pass p = receive();
    emit(p);
    ++decode_passes_;
    decode_hops_ps_ += p.hops_ps;
    decode_steps_ps_ += step_.value();
    if (--left[p.first_request] == 0) continue;
    wait(step_);
    next(p.first_request);
  }
}

void batch_host::send(batch_pass p) {
  ++passes_out_;
  for (std::uint64_t i = p.first_request; i < p.first_request + p.sequences; ++i)
    records_[i].passes += p.prefill ? 0 : 1;
  to_first_.send(p, config_.hop(p));
}

batch_pass batch_host::receive() {
  while (!from_last_.ready())
    wait(from_last_.arrived());
  --passes_out_;
  return from_last_.take();
}

void batch_host::emit(const batch_pass& p) {
  if (!p.emits) return;
  for (std::uint64_t i = p.first_request; i < p.first_request + p.sequences; ++i) {
    serving::request_record& r = records_[i];
    if (r.emitted == 0) {
      r.first_token_ps = now_ps();
      r.transfer_ps = p.hops_ps;
      r.first_decode_ps = p.last_stage_ps;
    } else {
      token_gaps_ps_.push_back(now_ps() - last_emit_ps_[i]);
    }
    ++r.emitted;
    r.last_token_ps = last_emit_ps_[i] = now_ps();
    tokens_emitted_ += config_.replicas;
  }
}

}  // namespace scribeline::batch_serving
