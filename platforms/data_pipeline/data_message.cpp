#include "platforms/data_pipeline/data_message.h"

#include <memory>
#include <stdexcept>

namespace scribeline::platforms {

namespace {

void append(link::message_data& bytes, int number) {
  for (int shift = 0; shift < 32; shift += 8)
    bytes.push_back(static_cast<std::uint8_t>(static_cast<std::uint32_t>(number) >> shift));
}

int number_at(const link::message_data& bytes, std::size_t first) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i)
    number |= static_cast<std::uint32_t>(bytes[first + i]) << (8 * i);
  return static_cast<int>(number);
}

}  // namespace

link::message to_link(const data_message& m) {
  link::message_data bytes;
  append(bytes, m.step.position);
  append(bytes, m.step.token);
  bytes.insert(bytes.end(), m.vector.begin(), m.vector.end());
  link::message to;
  to.size = base::bytes{static_cast<std::int64_t>(bytes.size())};
  to.data = std::make_shared<const link::message_data>(std::move(bytes));
  return to;
}

data_message from_link(const link::message& m) {
  if (!m.data || m.data->size() < data_header_bytes)
    throw std::invalid_argument("a message of a data pipeline has a position and a token in its first 8 bytes");
  return {{number_at(*m.data, 0), number_at(*m.data, 4)}, {m.data->begin() + data_header_bytes, m.data->end()}};
}

}  // namespace scribeline::platforms
