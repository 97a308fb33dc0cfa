// The keys of a wafer fabric scenario.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rtl_tlm/fabric/chip.h"
#include "rtl_tlm/fabric/defects.h"
#include "scenarios/harness/key_table.h"
#include "scenarios/wafer_fabric/collective_choice.h"

namespace scribeline::scenarios {

struct defect_settings {
  std::int64_t random_cores = 0;
  std::int64_t random_links = 0;
  std::vector<std::string> cores;  // "column,row" of the wafer
  std::vector<std::string> links;  // "column,row,side"
  int spare_columns = 7;
  int spare_rows = 2;

  bool any() const { return random_cores > 0 || random_links > 0 || !cores.empty() || !links.empty(); }
};

struct trace_settings {
  int column = 0;
  int row = 0;
  int columns = 4;
  int rows = 4;
};

enum class link_results {
  automatic,  // when they cost nothing: the wavelet engine counts words anyway
  on,
  off,
};

struct fabric_settings {
  std::string preset = "wse3";
  fabric::fabric_chip chip = fabric::wse3_chip();  // columns and rows: those of the run
  double clock_ghz = 0;
  std::string program_file;  // a program instead of a collective; empty: none
  collective_settings collective;
  bool values = false;
  bool bank_conflicts = false;
  std::int64_t limit_cycles = 100'000'000;
  defect_settings defects;
  trace_settings trace;
  link_results links = link_results::automatic;
  bool write_program = false;

  fabric_settings();
};

void declare_fabric_keys(harness::key_table& keys, fabric_settings& settings);

// The defects of a scenario on a wafer that holds the run's rectangle and the spares. Throws base::bad_input for text
// that is not a place.
fabric::defect_map defects_of(const fabric_settings& settings, std::uint64_t seed);

}  // namespace scribeline::scenarios
