// How many drafts a verification believes: tables for speculative decoding.
//
// A pass carries the last token and k drafts; it brings back the drafts accepted before the first one that is not, and
// one token more. Publications give the mean of that length, the additional token included, for each k. From them comes
// the probability that draft i is accepted once those before it were: with reach r_i = the probability that drafts
// 1 .. i are all accepted, the length with k drafts is 1 + r_1 + .. + r_k, so that r_i is the growth from k = i - 1 to
// i. Measured lengths do not always grow by less and less. Where growth rises again or turns negative, neighbours get
// their mean (isotonic regression), which leaves the length with all k drafts as published.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace scribeline::serving {

struct acceptance_table {
  std::string_view name;
  std::string_view meaning;
  std::vector<double> lengths;  // with 1, 2, .. drafts
};

// Published tables: "kimi-k2.5-eagle3" and "deepseek-v4-pro-mtp".
const std::vector<acceptance_table>& acceptance_tables();

// Conditional probabilities for `drafts` drafts. Throws base::bad_input when `lengths` has fewer entries, or a length
// is below 1 or above one token more than its drafts.
std::vector<double> acceptance_from_lengths(const std::vector<double>& lengths, std::size_t drafts);

// Mean tokens of a pass, the additional one included.
double expected_length(const std::vector<double>& acceptance);

}  // namespace scribeline::serving
