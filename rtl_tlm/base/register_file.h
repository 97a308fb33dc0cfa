// A window of 64-bit registers behind a TLM-2.0 target.
//
// What it models: named registers with a reset value and one of four access kinds, addressed by byte offset.
// Accesses are multiples of 8 bytes, aligned to 8; a burst touches consecutive registers in ascending order, so
// that a doorbell placed last in a block takes effect after its arguments.
// What a bad access gets: an address outside the window or between registers TLM_ADDRESS_ERROR_RESPONSE, a
// length or alignment that is not a multiple of 8 or a streaming burst TLM_BURST_ERROR_RESPONSE, byte enables
// TLM_BYTE_ENABLE_ERROR_RESPONSE, TLM_IGNORE_COMMAND or a write to a read-only register
// TLM_COMMAND_ERROR_RESPONSE. A refused access changes nothing.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <tlm>
#include <vector>

namespace scribeline::base {

enum class register_access : std::uint8_t {
  read_only,      // firmware reads, hardware writes
  read_write,     // firmware reads and writes
  read_to_clear,  // a read returns what hardware has set and clears it; the debug transport leaves it alone
  write_only,     // reads as zero: doorbells
};

// One line of a register map. Both sides of the bus share the table that holds these.
struct register_spec {
  std::uint32_t offset;  // bytes from the start of the window, a multiple of 8
  std::string_view name;
  register_access access;
  std::uint64_t reset;
  std::string_view meaning;
};

// The name of a register by its offset, "" if there is none.
inline std::string_view register_name(const std::vector<register_spec>& map, std::uint64_t offset) {
  for (const auto& r : map) {
    if (r.offset == offset) return r.name;
  }
  return "";
}

// Called when firmware touches a register that does something.
class register_listener {
 public:
  // `offset` now holds `value`: it was written, or cleared by a read. `when` is the time annotated on the
  // transaction.
  virtual void register_changed(std::uint32_t offset, std::uint64_t value, const sc_core::sc_time& when) = 0;

 protected:
  ~register_listener() = default;
};

class register_file {
 public:
  // `map` is sorted by offset and outlives the register file.
  register_file(const std::vector<register_spec>& map, std::uint32_t window_bytes)
      : slot_of_word_(window_bytes / 8, no_register), specs_(&map), values_(map.size()) {
    for (std::size_t slot = 0; slot < map.size(); ++slot) {
      slot_of_word_.at(map[slot].offset / 8) = static_cast<std::uint16_t>(slot);
      values_[slot] = map[slot].reset;
    }
  }

  // Executes a transaction whose address has been reduced to an offset in this window. `side_effects` false is
  // the debug transport: it reads and writes the stored values and rings no bells.
  void access(tlm::tlm_generic_payload& payload, std::uint64_t offset, const sc_core::sc_time& when,
              register_listener* side_effects) {
    const auto status = check(payload, offset);
    payload.set_response_status(status);
    if (status != tlm::TLM_OK_RESPONSE) return;
    const std::size_t words = payload.get_data_length() / 8;
    for (std::size_t i = 0; i < words; ++i) {
      const auto register_offset = static_cast<std::uint32_t>(offset + 8 * i);
      std::uint64_t word = 0;
      if (payload.is_read()) {
        const auto kind = spec_of(register_offset).access;
        if (kind != register_access::write_only) word = value(register_offset);
        std::memcpy(payload.get_data_ptr() + 8 * i, &word, 8);
        if (kind == register_access::read_to_clear && side_effects) {
          set(register_offset, 0);
          side_effects->register_changed(register_offset, 0, when);
        }
      } else {
        std::memcpy(&word, payload.get_data_ptr() + 8 * i, 8);
        set(register_offset, word);
        if (side_effects) side_effects->register_changed(register_offset, word, when);
      }
    }
  }

  // The hardware's side of a register.
  std::uint64_t value(std::uint32_t offset) const { return values_[slot_of_word_[offset / 8]]; }
  void set(std::uint32_t offset, std::uint64_t value) { values_[slot_of_word_[offset / 8]] = value; }

 private:
  static constexpr std::uint16_t no_register = 0xffff;

  const register_spec& spec_of(std::uint32_t offset) const { return (*specs_)[slot_of_word_[offset / 8]]; }

  tlm::tlm_response_status check(const tlm::tlm_generic_payload& payload, std::uint64_t offset) const {
    const std::uint64_t length = payload.get_data_length();
    if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return tlm::TLM_COMMAND_ERROR_RESPONSE;
    if (payload.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    if (length == 0 || length % 8 != 0 || offset % 8 != 0 || payload.get_streaming_width() < length) {
      return tlm::TLM_BURST_ERROR_RESPONSE;
    }
    if (offset + length > 8 * slot_of_word_.size()) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    for (std::uint64_t at = offset; at < offset + length; at += 8) {
      if (slot_of_word_[at / 8] == no_register) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
      const auto kind = spec_of(static_cast<std::uint32_t>(at)).access;
      if (payload.is_write() && (kind == register_access::read_only || kind == register_access::read_to_clear)) {
        return tlm::TLM_COMMAND_ERROR_RESPONSE;
      }
    }
    return tlm::TLM_OK_RESPONSE;
  }

  std::vector<std::uint16_t> slot_of_word_;
  const std::vector<register_spec>* specs_;
  std::vector<std::uint64_t> values_;
};

}  // namespace scribeline::base
