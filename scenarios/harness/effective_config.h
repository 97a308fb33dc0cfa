// The configuration a run really used: as a scenario file that reproduces it, and as an identity.
#pragma once

#include <string>
#include <vector>

#include "scenarios/harness/budgets.h"
#include "scenarios/harness/key_table.h"
#include "scenarios/harness/result_directory.h"

namespace scribeline::harness {

// The keys of the effective configuration: those that have an effect, and those that were set without having one
// (so that a run of the effective configuration says the same about them).
std::vector<const key*> effective_keys(const key_table& keys);

// What the value is called outside this machine: files by their place in the result folder.
config_value portable_value(const key& one);

// A scenario file with these keys and budgets. Files are named as copy_inputs() stores them.
std::string effective_toml(const key_table& keys, const std::vector<budget>& budgets, const std::string& scenario);

// Copies every file that a used key names to inputs/KEY/FILE of the result folder, which makes the folder complete.
void copy_inputs(const key_table& keys, result_directory& results);

// 16 hexadecimal digits over everything that can change a result: used keys with their values, and the contents of
// the files they name. Not over where results go, what is recorded, or budgets.
std::string config_hash(const key_table& keys, const std::string& scenario);

}  // namespace scribeline::harness
