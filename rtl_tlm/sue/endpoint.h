// The scale-up Ethernet endpoint of an accelerator.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "rtl_tlm/link/port.h"
#include "rtl_tlm/sue/collective_unit.h"
#include "rtl_tlm/sue/endpoint_config.h"
#include "rtl_tlm/sue/endpoint_observer.h"
#include "rtl_tlm/sue/endpoint_statistics.h"
#include "rtl_tlm/sue/pdu.h"
#include "rtl_tlm/sue/plane_set.h"
#include "rtl_tlm/sue/receive_flow.h"
#include "rtl_tlm/sue/transfer.h"
#include "rtl_tlm/sue/transmit_flow.h"
#include "rtl_tlm/switch/network_header.h"

namespace scribeline::sue {

// Moves bytes between ranks: packs transactions into PDUs, sprays them over its planes, and sees to it that every
// transfer arrives once and in order, or says who cannot be reached.
//
//     sue::endpoint a{"a", 0, config, link}, b{"b", 1, config, link};
//     connect(a.ports[0], b.ports[0]);                      // or to a switch
//     b.on_arrival([](const sue::arrival& t) { ... });      // all bytes are here
//     a.on_completion([](const sue::completion& t) { ... });// all bytes are acknowledged
//     a.send(1, base::bytes{1 << 20}, tag);
//
// Why send and receive rather than a memory map: what moves between accelerators is bulk (activations, tokens for an
// expert) that firmware or a DMA engine names by rank, size and tag. A memory-mapped side would carry every
// 256 B transaction as a payload of its own, and no platform needs its data.
//
// Order: transfers to one destination on one channel arrive in the order of their send(), whatever the spraying, the
// errors and the planes that fail. Between destinations and channels there is no order.
//
// Timing. A transfer may be packed bridge_ns after send(). A port holds one PDU per channel ready behind the frame it
// sends (its output stage); a PDU is packed when it enters the stage, from what is there then: it never waits for
// more. Destinations of a channel take turns PDU by PDU, channels frame by frame. An arriving PDU counts at its last
// bit; a transfer is told bridge_ns after that of its last PDU, a completion when its acknowledgement has arrived.
//
// Channels: sends and read requests travel on request_channel, responses and acknowledgements on response_channel.
// Responses are always taken in at once, so they cannot wait for requests, and requests that wait for room for their
// responses hold back requests only. PDUs that wait for those before them lie in the reorder buffer and cost no
// credits.
//
// Faults: a link that goes down (link::port::take_down, its lanes, its replay limit) takes its plane from this rank;
// the others learn of it by lose_path(). What is not acknowledged is sent again over the planes that are left; copies
// are told by their PSN, so that nothing is lost and nothing is delivered twice.
//
// All-reduce in the network: contributions travel on collective_channel, chunk c on plane c mod planes, and are
// protected by the link's retry alone (a switch cannot repeat a result it has forgotten); a plane that goes down with
// contributions on it leaves the operation unfinished, and why_blocked() says so.
//
// Not modelled: encryption, congestion control, loss inside a switch, data contents, the memory behind.
//
// Errors, reported by SC_REPORT_ERROR:
//   /scribeline/sue/config       a parameter that cannot be
//   /scribeline/sue/transfer     no bytes, a destination that is this rank or beyond max_ranks
//   /scribeline/sue/unreachable  retry_limit repetitions without an acknowledgement, or no plane left to a rank
class endpoint : public sc_core::sc_module, private link::frame_handler {
 public:
  sc_core::sc_vector<link::port> ports;  // one a plane

  // Planes: `config.planes` ports of the link's config.
  endpoint(const sc_core::sc_module_name& name, int rank, const endpoint_config& config, const link::link_config& link);

  int rank() const { return rank_; }
  const endpoint_config& config() const { return config_; }

  // Bytes to a rank, begun no earlier than `delay` from now. Never blocks; queues are unbounded.
  transfer_id send(int destination, base::bytes size, std::uint64_t tag = 0,
                   const sc_core::sc_time& delay = sc_core::SC_ZERO_TIME);
  // Asks a rank for bytes: they come as an arrival of kind read_response with this tag.
  transfer_id read(int source, base::bytes size, std::uint64_t tag = 0,
                   const sc_core::sc_time& delay = sc_core::SC_ZERO_TIME);
  // This rank's part of an all-reduce over a group of switch members: the sum of all parts arrives as kind reduced.
  // All members call it in the same order with the same size. `value` stands for the vector.
  void all_reduce(int group, base::bytes size, std::uint64_t tag = 0, std::uint64_t value = 0,
                  const sc_core::sc_time& delay = sc_core::SC_ZERO_TIME);

  // Called from a method process: must not wait, may call send(), read() and all_reduce().
  void on_arrival(std::function<void(const arrival&)> handler) { arrival_handler_ = std::move(handler); }
  void on_completion(std::function<void(const completion&)> handler) { completion_handler_ = std::move(handler); }

  // A rank cannot be reached over a plane any more: its link to that plane is down. What is not acknowledged goes again
  // over the other planes. Of its own links the endpoint knows by itself.
  void lose_path(int peer, int plane);

  // Every transfer is acknowledged, every response sent, every reduction finished.
  bool is_idle() const;
  // Why transfers wait here and on whom, one line each; empty when idle.
  std::string why_blocked() const;
  endpoint_statistics statistics() const { return statistics_; }
  // At most one observer, nullptr for none; it outlives the simulation.
  void observe(endpoint_observer* observer) { observer_ = observer; }

 private:
  struct connection {
    connection(const endpoint_config& c, base::object_pool<pdu>& pool, int peer_rank, int on_channel)
        : out(c, pool), in(c, c.planes), peer(peer_rank), channel(on_channel) {}
    transmit_flow out;
    receive_flow in;
    int peer;
    int channel;
    plane_set planes;  // that lead to the peer
  };
  // A transfer on its way through the bridge.
  struct begun_transfer {
    int destination = 0;
    int channel = 0;
    segment whole;
  };
  struct begun_reduction {
    int group = 0;
    base::bytes size;
    std::uint64_t tag = 0;
    std::uint64_t value = 0;
    sc_core::sc_time began_at;
  };
  // A PDU in order whose requests wait for room among the responses.
  struct waiting_request {
    connection* from = nullptr;
    pdu* what = nullptr;
    int plane = 0;
    std::int64_t buffer_bytes = 0;  // of the port it came through; 0: freed already
  };

  // Words of a message's header behind those that switches read.
  static constexpr std::size_t reliability_word = switching::network_header::first_free_word;
  static constexpr std::size_t pdu_word = reliability_word + 1;

  // Packing and sending.
  transfer_id begin(transfer_kind kind, int destination, base::bytes size, std::int64_t asked_bytes, int channel,
                    std::uint64_t tag, const sc_core::sc_time& began_at, const sc_core::sc_time& delay);
  void admit();
  void activate(connection& c);
  int queue_of(const connection& c) const;
  void fill_all();
  void fill_any(int channel);
  void fill(int plane, int channel);
  bool fill_with_ack(int plane);
  bool fill_with_data(int plane, int channel);
  bool fill_with_contribution(int plane);
  void count_pdu(pdu& p, int plane, int channel);
  void transmit(int plane, int channel, int destination, std::int64_t bytes, const reliability_header& h, pdu* p);
  void hand_over(int plane, int channel, std::int64_t bytes, const reliability_header& h, pdu* p);

  // Arriving frames.
  void frame_is_in(int plane, link::frame& f) override;
  void frame_departs(int plane, const link::frame& f, const sc_core::sc_time& last_bit) override;
  void take_acknowledgement(connection& c, const reliability_header& h);
  // False if the PDU keeps its room in the receive buffer: a request that waits for room in the queue of responses.
  bool take_data(connection& c, const link::frame& f, const reliability_header& h, int plane);
  bool take_in_order(connection& c, pdu& p, int plane, std::int64_t buffer_bytes);
  void take_result(const link::frame& f, int plane);
  void consume(connection& c, const pdu& p);
  void serve_waiting_requests();
  void owe_acknowledgement(connection& c, bool at_once);
  reliability_header acknowledgement_to(connection& c);

  // Timers.
  void deliver();
  void acknowledge_late();
  void arm_retry(const sc_core::sc_time& in);
  void retry();
  void give_up(const connection& c);

  // Faults.
  void link_is_down(int plane) override;
  void reroute();

  connection& connect_to(int peer, int channel);
  bool check_transfer(int destination, base::bytes size) const;
  void error(const char* id, const std::string& problem) const;

  const endpoint_config config_;
  const int rank_;
  const sc_core::sc_time bridge_;
  const sc_core::sc_time ack_delay_;
  const sc_core::sc_time retry_timeout_;
  endpoint_statistics statistics_;
  endpoint_observer* observer_ = nullptr;
  std::function<void(const arrival&)> arrival_handler_;
  std::function<void(const completion&)> completion_handler_;

  base::object_pool<pdu> pdus_;
  std::vector<std::unique_ptr<connection>> by_peer_;   // at peer x max_channels + channel; empty until used
  std::vector<connection*> connections_;               // in order of first use
  std::vector<link::ring_queue<connection*>> active_;  // may send; at plane (or 0) x max_channels + channel
  link::ring_queue<connection*> acks_;                 // owe an acknowledgement
  std::vector<bool> stage_full_;                       // at plane x max_channels + channel
  plane_set planes_up_;                                // own links
  plane_set planes_of_all_;                            // over which every rank can be reached
  std::vector<std::pair<int, int>> lost_paths_;        // rank and plane
  int next_plane_ = 0;
  collective_unit collectives_;
  link::frame outgoing_;
  transfer_id last_id_ = 0;
  std::int64_t response_backlog_ = 0;       // bytes of responses that are not packed yet
  std::vector<std::int64_t> queued_bytes_;  // by channel

  link::timed_queue<begun_transfer> begun_;
  link::timed_queue<begun_reduction> begun_reductions_;
  link::timed_queue<arrival> arrivals_;
  link::timed_queue<connection*> late_acks_;
  link::ring_queue<waiting_request> waiting_requests_;
  sc_core::sc_event admit_due_{"admit_due"};
  sc_core::sc_event deliver_due_{"deliver_due"};
  sc_core::sc_event serve_due_{"serve_due"};
  sc_core::sc_event ack_due_{"ack_due"};
  sc_core::sc_event retry_due_{"retry_due"};
  bool retry_armed_ = false;
};

}  // namespace scribeline::sue
