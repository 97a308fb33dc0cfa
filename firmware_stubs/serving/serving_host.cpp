#include "firmware_stubs/serving/serving_host.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rtl_tlm/base/error.h"
#include "rtl_tlm/base/random.h"
#include "rtl_tlm/base/units.h"
#include "rtl_tlm/wafer/register_map.h"

namespace scribeline::serving {

namespace {

// Half of what simulated time can hold in picoseconds.
constexpr double latest_arrival_ps = 0x1p63;

constexpr std::uint64_t token_bytes = 4;  // a token number on the way to the first stage

// Streams of random numbers that must not coincide.
enum random_purpose : std::uint64_t { arrival_times = 1, acceptance_draws = 2 };

std::uint64_t now_ps() {
  return sc_core::sc_time_stamp().value();
}

}  // namespace

serving_host::serving_host(const sc_core::sc_module_name& name, const workload& load, const link::link_config& link,
                           cache_admission& admission)
    : sc_module(name), to_chain("to_chain", link), from_chain("from_chain", link), load_(load), admission_(admission) {
  from_chain.on_message([this](link::delivery& d) { returned(d); });
  SC_HAS_PROCESS(serving_host);
  SC_METHOD(arrive);
  sensitive << arrival_;
}

// Closed: the first users arrive together at time zero, the others when one finishes. Poisson: one after another.
void serving_host::arrive() {
  if (load_.arrivals == arrival_process::closed) {
    const std::uint64_t target = std::min(load_.requests, load_.users + finished_);
    while (records_.size() < target)
      add_arrival();
  } else {
    if (now_ps() > 0 || next_arrival_ps_ > 0) add_arrival();
    if (records_.size() < load_.requests) {
      auto stream = base::random_stream::of(load_.seed, arrival_times, records_.size());
      next_arrival_ps_ += stream.exponential(1e12 / load_.rate_per_s);
      if (next_arrival_ps_ > latest_arrival_ps) {
        throw base::bad_input(fmt::format(
            "at {} requests per second, request {} of {} arrives after more than {} days, "
            "the end of simulated time",
            load_.rate_per_s, records_.size(), load_.requests, std::floor(latest_arrival_ps / 1e12 / 86400)));
      }
      arrival_.notify(base::picoseconds(std::max(0.0, next_arrival_ps_ - static_cast<double>(now_ps()))));
    }
  }
  admit_waiting();
}

void serving_host::add_arrival() {
  request_record r;
  r.what.id = records_.size();
  r.what.prompt_tokens = load_.prompt_tokens;
  r.what.cached_tokens = std::min(load_.cached_tokens, load_.prompt_tokens - 1);
  r.what.output_tokens = load_.output_tokens;
  r.arrival_ps = now_ps();
  records_.push_back(r);
  progress_.emplace_back();
  waiting_.push_back(r.what.id);
  if (observer_) observer_->request_arrived(r, waiting_.size());
}

void serving_host::admit_waiting() {
  while (!waiting_.empty()) {
    const std::uint64_t id = waiting_.front();
    request_record& r = records_[id];
    if (load_.most_in_flight != 0 && running_ >= load_.most_in_flight) return;
    if (!admission_.admit(r.what)) return;
    waiting_.pop_front();
    ++running_;
    r.started_ps = now_ps();
    progress_[id].prefilled = progress_[id].context = r.what.cached_tokens;
    if (observer_) observer_->request_started(r, running_, waiting_.size());
    send_chunks(id);
  }
}

void serving_host::send_chunks(std::uint64_t id) {
  const request& r = records_[id].what;
  progress& p = progress_[id];
  while (p.prefilled < r.prompt_tokens && p.chunks_out < load_.chunks_in_flight) {
    const std::uint64_t tokens = std::min(load_.chunk_tokens, r.prompt_tokens - p.prefilled);
    p.prefilled += tokens;
    std::uint64_t flags = wafer::message_flag::prefill;
    if (p.prefilled == r.prompt_tokens) flags |= wafer::message_flag::emits | wafer::message_flag::last_chunk;
    ++p.chunks_out;
    send(id, tokens, flags, sc_core::SC_ZERO_TIME);
    p.context += tokens;
  }
}

void serving_host::send_decode(std::uint64_t id) {
  const std::uint64_t remaining = records_[id].what.output_tokens - records_[id].emitted;
  const std::uint64_t drafts = std::min<std::uint64_t>(load_.acceptance.size(), remaining - 1);
  ++records_[id].passes;
  const double draft_ps = drafts > 0 ? load_.draft_latency_ns * 1000 : 0;
  send(id, 1 + drafts, wafer::message_flag::emits, base::picoseconds(draft_ps));
}

void serving_host::send(std::uint64_t id, std::uint64_t tokens, std::uint64_t flags, const sc_core::sc_time& delay) {
  wafer::pass p;
  p.request = id;
  p.tokens = tokens;
  p.context = progress_[id].context;
  p.flags = flags;
  link::message m;
  m.size = base::bytes{static_cast<std::int64_t>(tokens * token_bytes)};
  m.request = id;
  m.header = p.to_words();
  to_chain.send(m, delay);
}

void serving_host::returned(link::delivery& d) {
  const auto p = wafer::pass::from_words(d.content.header, static_cast<std::uint64_t>(d.content.size.value()));
  const std::uint64_t return_ps = (d.arrived_at - d.sent_at).value();
  from_chain.release(d);
  const std::uint64_t id = p.request;
  request_record& r = records_[id];
  progress& state = progress_[id];

  if (p.flags & wafer::message_flag::prefill) {
    --state.chunks_out;
    if (!(p.flags & wafer::message_flag::last_chunk)) return send_chunks(id);
    r.first_token_ps = now_ps();
    r.transfer_ps = p.link_ps + return_ps;
    r.first_decode_ps = p.last_stage_ps;
    state.decoding = true;
    emit(r, 1);
  } else {
    ++decode_passes_;
    decode_return_ps_ += return_ps;
    const std::uint64_t accepted = std::min(draw_accepted(id), p.tokens - 1);
    state.context += 1 + accepted;
    emit(r, 1 + accepted);
  }
  if (r.finished()) return finish(id);
  send_decode(id);
}

std::uint64_t serving_host::draw_accepted(std::uint64_t id) {
  if (load_.acceptance.empty()) return 0;
  auto stream = base::random_stream::of(load_.seed, acceptance_draws, id, progress_[id].draft_draws++);
  std::uint64_t accepted = 0;
  while (accepted < load_.acceptance.size() && stream.uniform() < load_.acceptance[accepted])
    ++accepted;
  return accepted;
}

void serving_host::emit(request_record& r, std::uint64_t tokens) {
  progress& state = progress_[r.what.id];
  r.last_token_ps = now_ps();
  if (r.emitted > 0) {
    // Tokens of one pass arrive together: one gap, then gaps of zero.
    token_gaps_ps_.push_back(now_ps() - state.last_emit_ps);
    token_gaps_ps_.insert(token_gaps_ps_.end(), tokens - 1, 0);
  }
  state.last_emit_ps = now_ps();
  r.emitted += tokens;
  tokens_emitted_ += tokens;
  if (observer_) observer_->tokens_received(r, tokens);
}

void serving_host::finish(std::uint64_t id) {
  --running_;
  ++finished_;
  admission_.retire(records_[id].what);
  if (observer_) observer_->request_finished(records_[id], running_);
  if (load_.arrivals == arrival_process::closed) arrival_.notify(sc_core::SC_ZERO_TIME);
  admit_waiting();
}

std::string serving_host::why_blocked() const {
  std::string text;
  if (!waiting_.empty()) {
    const bool full = load_.most_in_flight != 0 && running_ >= load_.most_in_flight;
    text +=
        fmt::format("host: {} requests wait for {}, request {} first\n", waiting_.size(),
                    full ? fmt::format("one of the {} that may run to finish", load_.most_in_flight) : "cache space",
                    waiting_.front());
  }
  for (const auto& r : records_) {
    if (r.started_ps == 0 && r.emitted == 0 && progress_[r.what.id].chunks_out == 0) continue;
    if (r.finished()) continue;
    text += fmt::format("host: request {} waits for {} ({} of {} tokens out)\n", r.what.id,
                        progress_[r.what.id].decoding ? "a token from the last stage" : "its prompt to be processed",
                        r.emitted, r.what.output_tokens);
  }
  for (const auto* port : {&to_chain, &from_chain}) {
    const std::string reason = port->why_blocked();
    if (!reason.empty()) text += reason + "\n";
  }
  return text;
}

}  // namespace scribeline::serving
