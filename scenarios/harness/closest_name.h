// "did you mean ...": the known name nearest to a misspelt one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace scribeline::harness {

// Edits (insert, delete, replace, swap of neighbours) that turn one text into the other.
int edit_distance(std::string_view a, std::string_view b);

// The known name nearest to a dotted name, or "" when none is near enough to be a likely slip: a few edits
// apart, or the same last part under another table. The first one listed wins a draw.
std::string closest_name(std::string_view name, const std::vector<std::string>& known);

// "; did you mean "x"?" or "".
std::string suggestion(std::string_view name, const std::vector<std::string>& known);

}  // namespace scribeline::harness
