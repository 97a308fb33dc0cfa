// What travels between the host and wafers in data mode: a step, and a vector behind it, all of it in the bytes of a
// link message.
//
// Bytes 0..3 are the position and 4..7 the token, low byte first; the vector follows.
#pragma once

#include <cstdint>
#include <vector>

#include "firmware_stubs/kernels/mesh_stage.h"
#include "rtl_tlm/link/message.h"

namespace scribeline::platforms {

struct data_message {
  kernels::token_step step;
  std::vector<std::uint8_t> vector;  // empty from the host, which sends tokens only
};

inline constexpr std::size_t data_header_bytes = 8;

link::message to_link(const data_message& m);
// Throws std::invalid_argument for a message without data or shorter than the header.
data_message from_link(const link::message& m);

}  // namespace scribeline::platforms
