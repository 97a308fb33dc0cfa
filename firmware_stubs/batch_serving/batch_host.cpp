#include "firmware_stubs/batch_serving/batch_host.h"

#include <algorithm>

#include "rtl_tlm/base/units.h"

namespace scribeline::batch_serving {

namespace {
std::uint64_t now_ps() {
  return sc_core::sc_time_stamp().value();
}
}  // namespace

std::vector<batch_pass> plan_prefill(const host_config& config) {
  const batch_workload& load = config.load;
  const std::uint64_t all = load.users / config.replicas;
  const std::uint64_t to_compute = load.prompt_tokens - load.cached_tokens;
  const std::uint64_t together = std::max<std::uint64_t>(1, load.chunk_tokens / to_compute);
  std::vector<batch_pass> passes;
  for (std::uint64_t first = 0; first < all; first += together) {
    const std::uint64_t sequences = std::min(together, all - first);
    const std::uint64_t most_each = std::max<std::uint64_t>(1, load.chunk_tokens / sequences);
    for (std::uint64_t computed = 0; computed < to_compute;) {
      const std::uint64_t each = std::min(to_compute - computed, most_each);
      batch_pass p;
      p.first_request = first;
      p.sequences = sequences;
      p.tokens = each * sequences;
      p.context = load.cached_tokens + computed;
      p.prefill = true;
      computed += each;
      p.emits = computed == to_compute;
      passes.push_back(p);
    }
  }
  return passes;
}

std::vector<batch_pass> plan_decode(const host_config& config) {
  const std::uint64_t all = config.load.users / config.replicas;
  const std::uint64_t each = base::ceil_div(all, std::min(config.stages, all));
  std::vector<batch_pass> passes;
  for (std::uint64_t first = 0; first < all; first += each) {
    batch_pass p;
    p.first_request = first;
    p.sequences = std::min(each, all - first);
    p.tokens = p.sequences;
    p.context = config.load.prompt_tokens;
    p.emits = true;
    passes.push_back(p);
  }
  return passes;
}

batch_host::batch_host(const sc_core::sc_module_name& name, const host_config& config, pass_channel& to_first,
                       pass_channel& from_last)
    : sc_module(name),
      config_(config),
      to_first_(to_first),
      from_last_(from_last),
      records_(config.load.users / config.replicas),
      last_emit_ps_(records_.size(), 0),
      step_(base::picoseconds(config.step_ns * 1000)) {
  const batch_workload& load = config.load;
  for (std::uint64_t i = 0; i < records_.size(); ++i)
    records_[i].what = {i, load.prompt_tokens, load.cached_tokens, load.output_tokens};
  SC_HAS_PROCESS(batch_host);
  SC_THREAD(run);
}

void batch_host::begin() {
  begun_ = true;
  begin_.notify(sc_core::SC_ZERO_TIME);
}

void batch_host::run() {
  while (!begun_)
    wait(begin_);
  began_ps_ = now_ps();
  for (auto& r : records_)
    r.arrival_ps = began_ps_;
  prefill();
  if (config_.load.output_tokens > 1) decode();
  done_ = true;
}

// As many passes are under way as there are stages to work on them.
void batch_host::prefill() {
  for (const batch_pass& p : plan_prefill(config_)) {
    if (passes_out_ == config_.stages) emit(receive());
    if (p.context == config_.load.cached_tokens) {
      for (std::uint64_t i = p.first_request; i < p.first_request + p.sequences; ++i)
        records_[i].started_ps = now_ps();
    }
    send(p);
  }
  while (passes_out_ > 0)
    emit(receive());
}

void batch_host::decode() {
  wait(step_);
  for (const batch_pass& p : plan_decode(config_))
    send(p);
  while (passes_out_ > 0) {
    const batch_pass p = receive();
    emit(p);
    ++decode_passes_;
    decode_hops_ps_ += p.hops_ps;
    decode_steps_ps_ += step_.value();
    if (records_[p.first_request].finished()) continue;
    wait(step_);
    batch_pass next = p;
    ++next.context;
    next.hops_ps = 0;
    send(next);
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
