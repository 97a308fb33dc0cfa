// What a switch reads of a frame: where it goes, and whether it is copied or combined on the way.
//
// Words of link::message::header, by index. The network header occupies the first two and, for reductions, the third;
// the rest belongs to the endpoints.
#pragma once

#include <cstdint>

#include "rtl_tlm/link/message.h"

namespace scribeline::switching {

enum class operation : std::uint8_t {
  unicast,    // to the port of `destination`
  multicast,  // to all members of group `destination` but the one it came from
  reduce,     // a contribution to a reduction over group `destination`; the result goes to all members
  result      // of a reduction, on its way to the members
};

struct network_header {
  operation what = operation::unicast;
  int destination = 0;         // rank, or group
  std::uint64_t sequence = 0;  // of a reduction: contributions of the same number are combined
  // Stands for the vector of a reduction: the switch adds it up, so that a wrong or repeated contribution shows.
  std::uint64_t value = 0;

  static constexpr std::size_t address_word = 0;
  static constexpr std::size_t sequence_word = 1;
  static constexpr std::size_t value_word = 2;
  static constexpr std::size_t first_free_word = 3;

  void write_to(link::message& m) const {
    m.header[address_word] = static_cast<std::uint64_t>(what) | static_cast<std::uint64_t>(destination) << 8;
    m.header[sequence_word] = sequence;
    m.header[value_word] = value;
  }
  static network_header read_from(const link::message& m) {
    network_header h;
    h.what = static_cast<operation>(m.header[address_word] & 0xff);
    h.destination = static_cast<int>(m.header[address_word] >> 8);
    h.sequence = m.header[sequence_word];
    h.value = m.header[value_word];
    return h;
  }
};

}  // namespace scribeline::switching
