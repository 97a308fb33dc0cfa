// The fast engine: a fabric program event by event, with one record per stream and pipe instead of its words.
//
// A stream is a number of words that move at a rate. Lines of routers in which nothing can happen to a stream are one
// pipe; at the rest of the routers (forks, switched routes, sides that several colors use) and at the cores, streams
// are looked at again when one of them begins, ends, runs dry or finds the queues behind it full:
//   * Streams that want one side of a router, and operations that want the datapath or the ramp of a core, share it
//     evenly; what one of them cannot use goes to the others (the word-by-word turns of the hardware, on average).
//   * A multicast stream has the rate of its slowest branch.
//   * A pipe holds as many words as its queues. While it is full its feeder has the rate at which words leave it.
//   * Starts and ends are exact in cycles where nothing is shared, and so are tasks, set-ups, completions and ramps.
// Control words travel as words of their own behind the data; they take the place of a word, but a full pipe does not
// stop them.
// Not modelled: values (use the wavelet engine). SRAM bank conflicts slow an operation by their average. Streams that
// merge are reported when they overlap, even if their words would have missed each other.
//
//   burst_engine engine(program, wse3_chip());
//   run_result result = engine.run();
//
// The constructor throws program_error when the program is invalid, std::invalid_argument when values are asked for.
#pragma once

#include <memory>

#include "rtl_tlm/fabric/chip.h"
#include "rtl_tlm/fabric/program/program.h"
#include "rtl_tlm/fabric/run.h"

namespace scribeline::fabric {

struct burst_state;

class burst_engine {
 public:
  burst_engine(const program& p, const fabric_chip& chip, const run_options& options = {});
  ~burst_engine();
  burst_engine(burst_engine&&) noexcept;
  burst_engine& operator=(burst_engine&&) noexcept;

  // Runs until nothing moves any more or a limit is reached. Calling it again continues after a cycle limit.
  run_result run();
  // The same, but not beyond a cycle.
  run_result run_until(base::cycles cycle);
  // Without the result; false when nothing moves any more.
  bool advance_to(base::cycles cycle);
  // When something happens next: all before has been run. Of a run in which something still moves.
  base::cycles next_cycle() const;

  // Words that left through the edge: how many, and when the first and the last.
  struct edge_record {
    std::int64_t words = 0;
    base::cycles first, last;
  };
  edge_record edge_output_record(coordinate core, port side, color_id color) const;

  const program& code() const;

  // Words over a link of the rectangle, when the run has ended; before, a stream counts for the whole of its way.
  // Throws std::logic_error unless run_options::link_loads was set, std::out_of_range for a core outside.
  std::uint32_t words_over(coordinate from, port side) const;

  // Events so far, and the memory of the run's arrays.
  std::uint64_t events() const;
  std::size_t memory_bytes() const;

 private:
  std::unique_ptr<burst_state> state_;
  bool started_ = false;
  bool links_settled_ = false;
};

}  // namespace scribeline::fabric
