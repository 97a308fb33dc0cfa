// The host of a pipeline: takes requests, sends their passes into the first stage, gets tokens from the last.
//
// A request waits in arrival order until its cache is granted and fewer than `most_in_flight` requests run. Its
// prompt goes out in chunks, at most `chunks_in_flight` of them unanswered; the chunk that completes the prompt
// brings the first token, and every token that comes back sends the next pass. With speculation a pass carries
// the last token and `draft_tokens` guesses, and brings back the accepted guesses and one token more.
//
// Poisson arrivals beyond the end of simulated time throw base::bad_input.
//
// Ports: `to_chain` sends passes, `from_chain` receives them; both are ends of ordinary links.
// Drafts come back with the tokens when a stage of the chain makes them; the host itself takes draft_latency_ns.
// Not modelled: tokenisation, network to the user.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <systemc>
#include <vector>

#include "firmware_stubs/serving/request.h"
#include "rtl_tlm/link/port.h"
#include "rtl_tlm/wafer/message.h"

namespace scribeline::serving {

enum class arrival_process {
  closed,   // `users` requests at a time: when one ends, the next arrives
  poisson,  // seeded, `rate_per_s` on average, however many are running
};

struct workload {
  arrival_process arrivals = arrival_process::closed;
  std::uint64_t users = 1;
  double rate_per_s = 1;
  std::uint64_t requests = 1;
  std::uint64_t prompt_tokens = 1024;
  std::uint64_t cached_tokens = 0;
  std::uint64_t output_tokens = 128;
  std::uint64_t most_in_flight = 0;  // 0 = no limit but the cache
  std::uint64_t chunk_tokens = 16;
  std::uint64_t chunks_in_flight = 256;
  // Speculative decoding: acceptance[i] is the probability that guess i is accepted once those before it were.
  // Empty = off.
  std::vector<double> acceptance;
  double draft_latency_ns = 0;  // before each pass with guesses, for the host to make them
  std::uint64_t seed = 1;
};

// Grants cache space. Implemented by the platform, which knows the memories.
class cache_admission {
 public:
  // Reserves the cache of the whole request on every stage, or changes nothing and returns false.
  virtual bool admit(const request& r) = 0;
  virtual void retire(const request& r) = 0;

 protected:
  ~cache_admission() = default;
};

// Sees tokens come and go, for waves and timelines.
class host_observer {
 public:
  virtual void request_arrived(const request_record& r, std::size_t queued) = 0;
  virtual void request_started(const request_record& r, std::size_t running, std::size_t queued) = 0;
  virtual void tokens_received(const request_record& r, std::uint64_t tokens) = 0;
  virtual void request_finished(const request_record& r, std::size_t running) = 0;

 protected:
  ~host_observer() = default;
};

class serving_host : public sc_core::sc_module {
 public:
  link::port to_chain;
  link::port from_chain;

  serving_host(const sc_core::sc_module_name& name, const workload& load, const link::link_config& link,
               cache_admission& admission);

  bool done() const { return finished_ == load_.requests; }
  std::uint64_t finished() const { return finished_; }
  std::uint64_t tokens_emitted() const { return tokens_emitted_; }
  // In order of request number. Gaps between the arrivals of tokens of one request, in order of arrival.
  const std::vector<request_record>& records() const { return records_; }
  const std::vector<std::uint64_t>& token_gaps_ps() const { return token_gaps_ps_; }

  // Last stage to host, over all decode passes that came back.
  std::uint64_t decode_passes() const { return decode_passes_; }
  std::uint64_t decode_return_ps() const { return decode_return_ps_; }

  void observe(host_observer& observer) { observer_ = &observer; }

  // Which requests wait and for what; empty when nothing waits.
  std::string why_blocked() const;

 private:
  struct progress {
    std::uint64_t prefilled = 0;  // prompt tokens sent
    std::uint64_t chunks_out = 0;
    std::uint64_t context = 0;  // positions cached once everything sent has been processed
    std::uint64_t last_emit_ps = 0;
    std::uint64_t draft_draws = 0;
    bool decoding = false;
  };

  void arrive();
  void add_arrival();
  void admit_waiting();
  void send_chunks(std::uint64_t id);
  void send_decode(std::uint64_t id);
  void send(std::uint64_t id, std::uint64_t tokens, std::uint64_t flags, const sc_core::sc_time& delay);
  void returned(link::delivery& d);
  void emit(request_record& r, std::uint64_t tokens);
  void finish(std::uint64_t id);
  std::uint64_t draw_accepted(std::uint64_t id);

  const workload load_;
  cache_admission& admission_;
  std::vector<request_record> records_;
  std::vector<progress> progress_;
  std::deque<std::uint64_t> waiting_;
  std::uint64_t running_ = 0;
  std::uint64_t finished_ = 0;
  std::uint64_t tokens_emitted_ = 0;
  std::uint64_t decode_passes_ = 0;
  std::uint64_t decode_return_ps_ = 0;
  double next_arrival_ps_ = 0;
  std::vector<std::uint64_t> token_gaps_ps_;
  sc_core::sc_event arrival_{"arrival"};
  host_observer* observer_ = nullptr;
};

}  // namespace scribeline::serving
