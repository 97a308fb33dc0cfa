#include "scenarios/harness/closest_name.h"

#include <algorithm>
#include <limits>

namespace scribeline::harness {
namespace {

std::string_view last_part(std::string_view dotted) {
  const auto dot = dotted.rfind('.');
  return dot == std::string_view::npos ? dotted : dotted.substr(dot + 1);
}

// A slip leaves most of the name standing.
int tolerated_edits(std::string_view name) {
  return std::max(1, static_cast<int>(name.size()) / 3);
}

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the distance table: swapping neighbours looks back two.
  std::vector<int> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j)
    above[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

std::string closest_name(std::string_view name, const std::vector<std::string>& known) {
  const std::string* best = nullptr;
  int best_distance = std::numeric_limits<int>::max();
  const auto consider = [&](const std::string& candidate, int distance, int tolerated) {
    if (distance > tolerated || distance >= best_distance) return;
    best = &candidate;
    best_distance = distance;
  };
  for (const std::string& candidate : known)
    consider(candidate, edit_distance(name, candidate), tolerated_edits(name));
  if (best == nullptr) {
    const std::string_view part = last_part(name);
    for (const std::string& candidate : known) {
      consider(candidate, edit_distance(part, last_part(candidate)), tolerated_edits(part));
    }
  }
  return best == nullptr ? "" : *best;
}

std::string suggestion(std::string_view name, const std::vector<std::string>& known) {
  const std::string nearest = closest_name(name, known);
  return nearest.empty() ? "" : "; did you mean \"" + nearest + "\"?";
}

}  // namespace scribeline::harness
