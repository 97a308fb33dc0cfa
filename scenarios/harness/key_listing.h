// --list-keys: every key with type, unit, default, meaning and source.
#pragma once

#include <string>

#include "scenarios/harness/key_table.h"

namespace scribeline::harness {

// For a terminal: the key with its default, then the rest, indented.
std::string list_keys(const key_table& keys);
// The same as a markdown table, from which the documentation of a scenario is made.
std::string list_keys_markdown(const key_table& keys);

}  // namespace scribeline::harness
