#include "firmware_stubs/collectives/reduce_tree.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace scribeline::collectives {
namespace {

constexpr int max_messages = 12;
constexpr int max_depth = 256;

// E(P, D, C): least energy over trees of P cores with depth at most D and at most C messages per core.
// E(P, D, C) = min over i of E(i, D, C - 1 at the root) + E(P - i, D - 1, C) + i, where the root keeps its earlier
// children with one message less to spare. energy(c, d)[p] allows c messages at the root and `messages` elsewhere.
class tree_search {
 public:
  tree_search(int cores, int messages, int depth) : cores_(cores), messages_(messages) {
    table_.assign(static_cast<std::size_t>(depth + 1) * static_cast<std::size_t>(messages + 1), {});
    for (int d = 0; d <= depth; ++d)
      for (int c = 0; c <= messages; ++c)
        fill(d, c);
  }

  std::int32_t energy(int d) const { return row(d, messages_)[static_cast<std::size_t>(cores_)]; }

  reduce_tree build(int d) const {
    reduce_tree tree;
    tree.parent.assign(static_cast<std::size_t>(cores_), -1);
    place(tree, 0, cores_, d, messages_);
    return tree;
  }

 private:
  static constexpr std::int32_t impossible = std::numeric_limits<std::int32_t>::max() / 4;

  const std::vector<std::int32_t>& row(int d, int c) const {
    return table_[static_cast<std::size_t>(d) * static_cast<std::size_t>(messages_ + 1) + static_cast<std::size_t>(c)];
  }

  std::int32_t with_last_child(int p, int i, int d, int c) const {
    const std::int64_t sum = std::int64_t{row(d, c - 1)[static_cast<std::size_t>(i)]} +
                             row(d - 1, messages_)[static_cast<std::size_t>(p - i)] + i;
    return static_cast<std::int32_t>(std::min<std::int64_t>(sum, impossible));
  }

  // The best place of the last child only moves outwards with p; a miss of this search costs energy, not correctness.
  int last_child(int p, int d, int c, int from) const {
    int best = from;
    for (int i = from + 1; i < p; ++i) {
      if (with_last_child(p, i, d, c) <= with_last_child(p, best, d, c)) best = i;
      if (i > best + 8 && with_last_child(p, best, d, c) < impossible) break;
    }
    return best;
  }

  void fill(int d, int c) {
    std::vector<std::int32_t>& energies =
        table_[static_cast<std::size_t>(d) * static_cast<std::size_t>(messages_ + 1) + static_cast<std::size_t>(c)];
    energies.assign(static_cast<std::size_t>(cores_) + 1, impossible);
    energies[1] = 0;
    if (d == 0 || c == 0) return;
    int from = 1;
    for (int p = 2; p <= cores_; ++p) {
      from = last_child(p, d, c, from);
      energies[static_cast<std::size_t>(p)] = with_last_child(p, from, d, c);
    }
  }

  // The tree of `p` cores that begins at core `root`.
  void place(reduce_tree& tree, int root, int p, int d, int c) const {
    while (p > 1) {
      int best = 1;
      for (int i = 2; i < p; ++i)
        if (with_last_child(p, i, d, c) <= with_last_child(p, best, d, c)) best = i;
      tree.parent[static_cast<std::size_t>(root + best)] = root;
      place(tree, root + best, p - best, d - 1, messages_);
      p = best;
      --c;
    }
  }

  int cores_;
  int messages_;
  std::vector<std::vector<std::int32_t>> table_;  // by depth, messages at the root
};

reduce_tree chain_tree(int cores) {
  reduce_tree tree;
  for (int i = 0; i < cores; ++i)
    tree.parent.push_back(i - 1);
  return tree;
}

reduce_tree star_tree(int cores) {
  reduce_tree tree;
  tree.parent.assign(static_cast<std::size_t>(cores), 0);
  tree.parent[0] = -1;
  return tree;
}

}  // namespace

std::vector<std::vector<int>> reduce_tree::children() const {
  std::vector<std::vector<int>> of(parent.size());
  for (int i = 1; i < size(); ++i)
    of[static_cast<std::size_t>(parent[static_cast<std::size_t>(i)])].push_back(i);
  return of;
}

std::vector<int> reduce_tree::depth() const {
  std::vector<int> depths(parent.size(), 0);
  for (std::size_t i = 1; i < parent.size(); ++i)
    depths[i] = depths[static_cast<std::size_t>(parent[i])] + 1;
  return depths;
}

reduce_tree binary_tree(int cores) {
  reduce_tree tree;
  for (int i = 0; i < cores; ++i)
    tree.parent.push_back(i == 0 ? -1 : i & (i - 1));
  return tree;
}

double predicted_cycles(const fabric::fabric_timing& timing, const reduce_tree& tree, int words) {
  if (tree.size() < 2) return 0;
  const std::vector<int> depths = tree.depth();
  const int depth = *std::max_element(depths.begin(), depths.end());
  double energy = 0;
  std::size_t contention = 0;
  for (int i = 1; i < tree.size(); ++i)
    energy += i - tree.parent[static_cast<std::size_t>(i)];
  for (const std::vector<int>& children : tree.children())
    contention = std::max(contention, children.size());
  const double links = tree.size() - 1;
  const double through_core = timing.word_cycles * words * static_cast<double>(contention);
  const double over_links = timing.word_cycles * words * energy / links + timing.hop_cycles * links;
  return timing.launch_cycles + std::max(through_core, over_links) + timing.stage_cycles() * depth;
}

reduce_tree generated_tree(const fabric::fabric_timing& timing, int cores, int words) {
  reduce_tree best = chain_tree(cores);
  double best_cycles = predicted_cycles(timing, best, words);
  const auto consider = [&](const reduce_tree& tree) {
    const double cycles = predicted_cycles(timing, tree, words);
    if (cycles >= best_cycles) return;
    best = tree;
    best_cycles = cycles;
  };
  consider(star_tree(cores));
  for (int messages = 1; messages <= std::min(max_messages, cores - 1); ++messages) {
    // A core that receives so many messages takes longer than the best tree already.
    if (timing.word_cycles * words * messages >= best_cycles) break;
    const int depth = std::min(max_depth, cores - 1);
    const tree_search search(cores, messages, depth);
    int best_depth = 0;
    double best_bound = best_cycles;
    for (int d = 1; d <= depth; ++d) {
      const double energy = search.energy(d);
      const double streaming =
          std::max(timing.word_cycles * words * messages,
                   timing.word_cycles * words * energy / (cores - 1) + timing.hop_cycles * (cores - 1));
      const double bound = timing.launch_cycles + streaming + timing.stage_cycles() * d;
      if (bound >= best_bound) continue;
      best_bound = bound;
      best_depth = d;
    }
    if (best_depth > 0) consider(search.build(best_depth));
  }
  return best;
}

}  // namespace scribeline::collectives
