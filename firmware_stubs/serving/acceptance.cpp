#include "firmware_stubs/serving/acceptance.h"

#include <fmt/format.h>

#include <algorithm>

#include "rtl_tlm/base/error.h"

namespace scribeline::serving {

namespace {

// Neighbours that share a mean reach.
struct run_of_drafts {
  double sum;
  std::size_t count;
  double mean() const { return sum / static_cast<double>(count); }
};

void join_last_two(std::vector<run_of_drafts>& runs) {
  const run_of_drafts last = runs.back();
  runs.pop_back();
  runs.back().sum += last.sum;
  runs.back().count += last.count;
}

void check_length(double length, std::size_t drafts) {
  if (length >= 1 && length <= static_cast<double>(drafts) + 1) return;
  throw base::bad_input(
      fmt::format("accepted lengths: {} tokens with {} drafts; possible are 1 to {}", length, drafts, drafts + 1));
}

}  // namespace

// Mean accepted lengths, the additional token included, with 1 .. 8 drafts.
const std::vector<acceptance_table>& acceptance_tables() {
  static const std::vector<acceptance_table> tables = {
      {"kimi-k2.5-eagle3",
       "published accepted lengths of an EAGLE3 head on Kimi-K2.5",
       {1.83, 2.43, 2.88, 3.24, 3.46, 3.62, 3.71, 3.77}},
      {"deepseek-v4-pro-mtp",
       "published accepted lengths of the multi-token-prediction module of DeepSeek-V4-Pro",
       {1.79, 2.27, 2.49, 2.54, 2.55, 2.55, 2.54, 2.58}},
  };
  return tables;
}

std::vector<double> acceptance_from_lengths(const std::vector<double>& lengths, std::size_t drafts) {
  if (lengths.size() < drafts) {
    throw base::bad_input(
        fmt::format("accepted lengths: {} drafts were asked for, the table ends at {}", drafts, lengths.size()));
  }
  std::vector<run_of_drafts> runs;
  for (std::size_t i = 0; i < drafts; ++i) {
    check_length(lengths[i], i + 1);
    runs.push_back({lengths[i] - (i == 0 ? 1 : lengths[i - 1]), 1});
    while (runs.size() > 1 && runs.back().mean() > runs[runs.size() - 2].mean())
      join_last_two(runs);
  }
  while (runs.size() > 1 && runs.back().mean() < 0)
    join_last_two(runs);

  std::vector<double> acceptance;
  double reached = 1;
  for (const run_of_drafts& run : runs) {
    for (std::size_t i = 0; i < run.count; ++i) {
      const double reach = std::max(0.0, run.mean());
      acceptance.push_back(reached > 0 ? std::min(1.0, reach / reached) : 0);
      reached = reach;
    }
  }
  return acceptance;
}

double expected_length(const std::vector<double>& acceptance) {
  double length = 1;
  double reach = 1;
  for (const double a : acceptance)
    length += reach *= a;
  return length;
}

}  // namespace scribeline::serving
