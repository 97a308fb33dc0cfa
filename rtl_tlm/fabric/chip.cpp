#include "rtl_tlm/fabric/chip.h"

namespace scribeline::fabric {

fabric_chip wse2_chip() {
  fabric_chip chip;
  chip.name = "wse2";
  chip.columns = 750;
  chip.rows = 994;
  chip.hop_cycles = 1;
  chip.ramp_send_cycles = 2;
  chip.ramp_receive_cycles = 2;
  chip.ramp_send_register_words = 2;
  chip.ramp_receive_register_words = 2;
  chip.output_queues = 6;
  chip.input_queue_words = {6, 6, 4, 4, 2, 2, 2, 2};
  chip.output_queue_words = {2, 2, 6, 6, 2, 2};
  chip.core = core::wse2_core();
  return chip;
}

fabric_chip wse3_chip() {
  fabric_chip chip;
  chip.name = "wse3";
  chip.columns = 755;
  chip.rows = 1170;
  chip.hop_cycles = 2;
  chip.ramp_send_cycles = 6;
  chip.ramp_receive_cycles = 3;
  chip.ramp_send_register_words = 0;
  chip.ramp_receive_register_words = 3;
  chip.input_queue_words = {8, 8, 4, 4, 4, 4, 4, 4};
  chip.output_queue_words = {8, 8, 8, 8, 8, 8, 8, 8};
  chip.core = core::wse3_core();
  return chip;
}

fabric_timing ideal_timing(const fabric_chip& chip) {
  fabric_timing t{};
  t.hop_cycles = static_cast<double>(chip.hop_cycles);
  t.ramp_send_cycles = static_cast<double>(chip.ramp_send_cycles);
  t.ramp_receive_cycles = static_cast<double>(chip.ramp_receive_cycles);
  t.execute_cycles = static_cast<double>(chip.core.execute_cycles);
  t.word_cycles = 1;
  t.relay_word_cycles = 1;
  return t;
}

}  // namespace scribeline::fabric
