// Plain storage in a chip's control window that firmware fills with launch descriptors.
//
// Accesses take any length and alignment within the capacity; no byte enables, no streaming. What was never written
// reads as zero. A refused access changes nothing: beyond the capacity TLM_ADDRESS_ERROR_RESPONSE, byte enables
// TLM_BYTE_ENABLE_ERROR_RESPONSE, an empty or streaming burst TLM_BURST_ERROR_RESPONSE, TLM_IGNORE_COMMAND
// TLM_COMMAND_ERROR_RESPONSE.
#pragma once

#include <algorithm>
#include <cstring>
#include <tlm>
#include <type_traits>
#include <vector>

#include "rtl_tlm/base/units.h"

namespace scribeline::base {

template <class Descriptor>
class descriptor_memory {
  static_assert(std::is_trivially_copyable_v<Descriptor>, "descriptors are bytes on a bus");

 public:
  explicit descriptor_memory(std::uint64_t capacity_bytes) : capacity_bytes_(capacity_bytes) {}

  // Executes a transaction whose address has been reduced to an offset in this memory.
  void access(tlm::tlm_generic_payload& payload, std::uint64_t offset) {
    const auto status = check(payload, offset);
    payload.set_response_status(status);
    if (status != tlm::TLM_OK_RESPONSE) return;
    const std::uint64_t length = payload.get_data_length();
    if (payload.is_write()) {
      reserve(offset + length);
      std::memcpy(bytes() + offset, payload.get_data_ptr(), length);
      return;
    }
    std::memset(payload.get_data_ptr(), 0, length);
    const std::uint64_t held = list_.size() * sizeof(Descriptor);
    if (offset < held) std::memcpy(payload.get_data_ptr(), bytes() + offset, std::min(length, held - offset));
  }

  // Every descriptor written so far and the zeros between them.
  const std::vector<Descriptor>& list() const { return list_; }

 private:
  tlm::tlm_response_status check(const tlm::tlm_generic_payload& payload, std::uint64_t offset) const {
    const std::uint64_t length = payload.get_data_length();
    if (offset + length > capacity_bytes_) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    if (payload.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    if (length == 0 || payload.get_streaming_width() < length) return tlm::TLM_BURST_ERROR_RESPONSE;
    if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return tlm::TLM_COMMAND_ERROR_RESPONSE;
    return tlm::TLM_OK_RESPONSE;
  }

  // Zeros of every byte, those of reserved fields included.
  void reserve(std::uint64_t end) {
    const std::uint64_t held = list_.size() * sizeof(Descriptor);
    if (end <= held) return;
    list_.resize(ceil_div<std::uint64_t>(end, sizeof(Descriptor)));
    std::memset(bytes() + held, 0, list_.size() * sizeof(Descriptor) - held);
  }

  unsigned char* bytes() { return reinterpret_cast<unsigned char*>(list_.data()); }

  std::uint64_t capacity_bytes_;
  std::vector<Descriptor> list_;
};

}  // namespace scribeline::base
