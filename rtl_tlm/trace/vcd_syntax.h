// How names and values are spelled in a VCD file (IEEE 1364-2005, 18.2; string variables as GTKWave reads them).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "rtl_tlm/trace/vcd_writer.h"

namespace scribeline::trace {

// Identifiers count in the 94 printable characters: 0 is "!".
std::string identifier_code(std::size_t number);
// Binary digits without leading zeros.
std::string binary_digits(std::uint64_t value);
// Spaces end a value: they and other unprintable characters become \040 and the like.
std::string escaped_text(std::string_view text);
// "$var wire 16 ! token [15:0] $end\n"
std::string declaration(const signal_info& info, const std::string& code);
// The name in a viewer: "chain.wafer0.token[15:0]".
std::string viewer_name(const signal_info& info);
// Throws std::logic_error for names that a viewer would take apart.
void check_signal_name(const std::string& scope, const std::string& name);

}  // namespace scribeline::trace
