// Files that a scenario names: where they are looked for, and what identifies them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace scribeline::harness {

// The named file beside the scenario file, else in the current directory. Absolute names stand for themselves.
// Throws value_problem saying where it looked.
std::filesystem::path find_input_file(const std::string& name, const std::filesystem::path& scenario_folder);

// The whole file. Throws base::bad_input with the reason the system gives.
std::string read_file(const std::filesystem::path& file);

// FNV-1a, 64 bit: an identity, not a protection.
std::uint64_t fnv1a_64(std::string_view text);

}  // namespace scribeline::harness
