// Hands out the colors, queues, tasks and microthreads of a program that several phases share.
//
// Colors and tasks are used once; running out throws std::length_error with what was asked for. Queues and microthreads
// of a core are reused in turn, deepest queues first, because phases follow each other at a core.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "rtl_tlm/fabric/chip.h"
#include "rtl_tlm/fabric/program/program.h"

namespace scribeline::collectives {

class resources {
 public:
  explicit resources(const fabric::fabric_chip& chip)
      : chip_(chip),
        inputs_(by_depth(chip.input_queue_words, chip.input_queues)),
        outputs_(by_depth(chip.output_queue_words, chip.output_queues)) {}

  fabric::color_id color() { return take(color_, chip_.colors, "colors"); }
  // Ids below the number of colors are left to data tasks.
  fabric::task_id task() { return chip_.colors + take(task_, chip_.task_ids - chip_.colors, "local tasks"); }
  fabric::queue_id input() { return inputs_[input_++ % inputs_.size()]; }
  fabric::queue_id output() { return outputs_[output_++ % outputs_.size()]; }
  // Microthread 0 is left to programs.
  fabric::microthread_id thread() { return 1 + thread_++ % (chip_.microthreads - 1); }

  const fabric::fabric_chip& chip() const { return chip_; }

 private:
  static int take(int& next, int limit, const char* what) {
    if (next >= limit) throw std::length_error(fmt::format("the collective needs more than {} {}", limit, what));
    return next++;
  }
  static std::vector<int> by_depth(const std::array<int, 8>& words, int count) {
    std::vector<int> ids(static_cast<std::size_t>(count));
    std::iota(ids.begin(), ids.end(), 0);
    std::stable_sort(ids.begin(), ids.end(), [&](int a, int b) {
      return words[static_cast<std::size_t>(a)] > words[static_cast<std::size_t>(b)];
    });
    return ids;
  }

  fabric::fabric_chip chip_;
  std::vector<int> inputs_;
  std::vector<int> outputs_;
  int color_ = 0;
  int task_ = 0;
  std::size_t input_ = 0;
  std::size_t output_ = 0;
  int thread_ = 0;
};

}  // namespace scribeline::collectives
