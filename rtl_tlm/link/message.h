// What the upper layers hand to a link and get from it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "rtl_tlm/base/units.h"

namespace scribeline::link {

using message_data = std::vector<std::uint8_t>;

// A unit of work of the layer above: an activation, a transaction, a PDU. The link looks at `size`, `virtual_channel`
// and `data` only; the header words arrive unchanged and cost nothing on the wire, so `size` must include whatever
// header the layer above really sends.
struct message {
  base::bytes size;
  int virtual_channel = 0;
  std::uint64_t request = 0;  // the request it serves: for waves, traces and diagnostics
  std::array<std::uint64_t, 8> header{};
  // The bytes themselves, `size` of them; null: only their number matters. What arrives is put together from the pieces
  // that the frames carried.
  std::shared_ptr<const message_data> data;
};

// A message that has fully arrived. Under buffer_policy::hold_until_release it occupies the receive buffer until
// it is given to port::release.
struct delivery {
  message content;
  sc_core::sc_time sent_at;     // when it was handed to the sending port, delay included
  sc_core::sc_time arrived_at;  // last bit of its last frame
  std::int64_t held_bytes = 0;  // in the receive buffer, per lane; 0 once released
};

}  // namespace scribeline::link
