// The search for why a run stands still, the same for every engine: chains of who waits for whom.
//
// An engine names its waiters and explains one at a time: what it waits for, as text, and whose turn it is. A cyclic
// chain is preferred; otherwise the first chain is kept, which ends with what never comes.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rtl_tlm/fabric/run.h"

namespace scribeline::fabric {

template <class Waiter>
struct wait_step {
  wait_link link;
  std::optional<Waiter> next;
  bool in_transit = false;  // only passes the wait on; left out of the chain
};

// Waiter::key() is a number of its own for every waiter.
template <class Waiter>
class wait_search {
 public:
  // Fills waits, cyclic_wait and explanation. `explain` makes a wait_step of a waiter.
  template <class Explain>
  void find(const std::vector<Waiter>& starts, Explain&& explain, run_result& result) {
    for (const Waiter& start : starts) {
      std::vector<wait_link> chain;
      const bool cyclic = follow(start, explain, chain);
      if (cyclic || (result.waits.empty() && !chain.empty())) result.waits = std::move(chain);
      if (cyclic) {
        result.cyclic_wait = true;
        break;
      }
    }
    result.explanation = result.cyclic_wait ? "cyclic wait:" : "no progress:";
    for (const wait_link& link : result.waits)
      result.explanation += fmt::format("\n  {}: {}", to_string(link.where), link.text);
    if (result.cyclic_wait) result.explanation += "\n  and so on in a circle";
  }

 private:
  // Follows a chain to its end, or to a waiter of an earlier chain, or around a circle: then only the circle is kept.
  template <class Explain>
  bool follow(Waiter at, Explain& explain, std::vector<wait_link>& chain) {
    const std::size_t begin = seen_.size();
    std::vector<wait_step<Waiter>> steps;
    while (seen_.emplace(at.key(), seen_.size()).second) {
      steps.push_back(explain(at));
      if (!steps.back().next) break;
      at = *steps.back().next;
    }
    const std::size_t end = seen_.at(at.key());
    const bool cyclic = !steps.empty() && steps.back().next && end >= begin;
    for (std::size_t i = cyclic ? end - begin : 0; i < steps.size(); ++i)
      if (!steps[i].in_transit) chain.push_back(std::move(steps[i].link));
    return cyclic;
  }

  std::unordered_map<std::uint64_t, std::size_t> seen_;  // waiters, numbered in the order of their visits
};

}  // namespace scribeline::fabric
