// Speed of the link model, as a Markdown table: frames per minute of processor time of one core.
//
//     bench_link [FRAMES]
//
// Each row is a saturated 800 Gb/s path with 4 or 32 virtual channels: one link, or two with a cut-through relay
// between them. A frame counts once, however many links it crosses.
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <systemc>

#include "rtl_tlm/link/port.h"

using namespace scribeline;

namespace {

link::link_config path_config(int channels = 4) {
  link::link_config c = link::scale_up_ethernet(800);
  c.latency_ns = 100;
  c.credit_latency_ns = 100;
  c.virtual_channels = channels;
  c.receive_buffer_bytes = 128 * 1024;
  c.errors.fec = link::fec_code::none;
  c.flow.credit_update_ns = 200;
  return c;
}

// What a switch does at least: forwards at the first bit, frees the buffer when the last bit has left.
class relay : public link::frame_handler {
 public:
  link::port in, out;

  explicit relay(const link::link_config& c) : in("in", c), out("out", c) {
    in.attach(*this, 0);
    out.attach(*this, 1);
  }

 private:
  void frame_arrives(int, link::frame& f, const sc_core::sc_time&) override {
    out.forward(f, f.virtual_channel, cut_through_);
  }
  void frame_departs(int, const link::frame& f, const sc_core::sc_time& last_bit) override {
    in.free_buffer(f.virtual_channel, f.payload_bytes, last_bit - sc_core::sc_time_stamp());
  }

  const sc_core::sc_time cut_through_{250, sc_core::SC_NS};
};

// Keeps `a` saturated until so many frames have arrived at `b`.
class traffic {
 public:
  traffic(link::port& a, link::port& b, std::int64_t payload, std::int64_t frames)
      : a_(a), payload_(payload), left_(frames) {
    b.on_message([this, &b](link::delivery& d) {
      ++arrived_;
      b.release(d);
      send(d.content.virtual_channel);
    });
    for (int i = 0; i < 2000; ++i)
      send(i % a.config().virtual_channels);
  }
  std::int64_t arrived() const { return arrived_; }

 private:
  void send(int channel) {
    if (left_ == 0) return;
    --left_;
    link::message m;
    m.size = base::bytes{payload_};
    m.virtual_channel = channel;
    a_.send(m);
  }

  link::port& a_;
  const std::int64_t payload_;
  std::int64_t left_;
  std::int64_t arrived_ = 0;
};

void measure(const std::string& name, const link::link_config& c, bool relayed, std::int64_t payload,
             std::int64_t frames) {
  link::port a{"a", c}, b{"b", c};
  std::unique_ptr<relay> between;
  if (relayed) {
    between = std::make_unique<relay>(c);
    connect(a, between->in);
    connect(between->out, b);
  } else {
    connect(a, b);
  }
  traffic t{a, b, payload, frames};
  const std::clock_t start = std::clock();
  sc_core::sc_start();
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  const double simulated_us = sc_core::sc_time_stamp().to_seconds() * 1e6;
  fmt::print("| {} | {} | {} | {:.2f} | {:.1f} | {:.0f} | {:.1f} | {} |\n", name, payload, t.arrived(), seconds,
             static_cast<double>(t.arrived()) / seconds * 60e-6, seconds * 1e9 / static_cast<double>(t.arrived()),
             simulated_us, a.statistics().replays);
  std::fflush(stdout);
}

}  // namespace

// One simulation per process: this runs itself once for each row, with the row's number behind FRAMES.
int sc_main(int argc, char* argv[]) {
  const std::int64_t frames = argc > 1 ? std::atoll(argv[1]) : 2'000'000;
  const int only = argc > 2 ? std::atoi(argv[2]) : -1;
  if (frames < 1) {
    fmt::print(stderr, "usage: {} [FRAMES]\n", argv[0]);
    return 2;
  }
  link::link_config plain = path_config();
  plain.llr.on = false;
  link::link_config retry = path_config();
  const link::link_config many = path_config(32);
  link::link_config errors = path_config();
  errors.errors.bit_error_rate = 1e-8;

  struct row {
    std::string name;
    link::link_config config;
    bool relayed;
    std::int64_t payload;
  };
  const std::array<row, 8> rows = {{{"one link, credits", plain, false, 4096},
                                    {"one link, credits and retry", retry, false, 4096},
                                    {"two links, credits", plain, true, 4096},
                                    {"two links, credits and retry", retry, true, 4096},
                                    {"two links, credits and retry", retry, true, 256},
                                    {"two links, credits and retry", retry, true, 54},
                                    {"the same, 32 channels", many, true, 256},
                                    {"two links, bit error rate 1e-8", errors, true, 4096}}};
  if (only >= 0) {
    const row& r = rows.at(static_cast<std::size_t>(only));
    measure(r.name, r.config, r.relayed, r.payload, frames);
    return 0;
  }
  fmt::print("| path | payload B | frames | CPU s | M frames/min | ns/frame | simulated us | replays |\n");
  fmt::print("|---|--:|--:|--:|--:|--:|--:|--:|\n");
  std::fflush(stdout);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (std::system(fmt::format("'{}' {} {} 2>/dev/null", argv[0], frames, i).c_str()) != 0) return 1;
  return 0;
}
