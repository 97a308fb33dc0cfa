#include "scenarios/wafer_fabric/fabric_keys.h"

#include <fmt/format.h>

#include <charconv>

#include "rtl_tlm/base/error.h"
#include "rtl_tlm/wafer/wafer_config.h"

namespace scribeline::scenarios {
namespace {

constexpr int most_traced_cores = 256;
const char* const from_chip = "chip preset; the source of each number is in rtl_tlm/fabric/chip.h";

double clock_of(const char* preset) {
  return wafer::find_wafer_preset(preset)->config.clock_ghz;
}

// The numbers of a chip, for the rectangle that the run uses.
void take_chip(fabric_settings& s, const fabric::fabric_chip& chip, const char* preset) {
  const int columns = s.chip.columns;
  const int rows = s.chip.rows;
  s.chip = chip;
  s.chip.columns = columns;
  s.chip.rows = rows;
  s.clock_ghz = clock_of(preset);
}

void declare_machine_keys(harness::key_table& keys, fabric_settings& s) {
  keys.add_preset("machine.preset", s.preset,
                  {{"wse2", "WSE-2", [&s] { take_chip(s, fabric::wse2_chip(), "wse2"); }},
                   {"wse3", "WSE-3", [&s] { take_chip(s, fabric::wse3_chip(), "wse3"); }}})
      .meaning("chip whose timing is used");
  keys.add("machine.columns", s.chip.columns)
      .unit("cores")
      .range(1, 1024)
      .used_when([&s] { return s.program_file.empty(); }, "there is no program.file")
      .meaning("columns of the rectangle of cores; a whole wafer has 750 (WSE-2) or 755 (WSE-3)");
  keys.add("machine.rows", s.chip.rows)
      .unit("cores")
      .range(1, 2048)
      .used_when([&s] { return s.program_file.empty(); }, "there is no program.file")
      .meaning("rows of the rectangle of cores; a whole wafer has 994 (WSE-2) or 1170 (WSE-3)");
  keys.add("machine.clock_ghz", s.clock_ghz)
      .unit("GHz")
      .range(1e-6, 1000)
      .from_preset()
      .source("chip preset; see rtl_tlm/wafer/wafer_config.cpp")
      .meaning("clock of cores and fabric");
  const auto add = [&](const char* path, auto& field, const char* unit, double smallest, double largest,
                       const char* meaning) {
    keys.add(path, field).unit(unit).range(smallest, largest).from_preset().source(from_chip).meaning(meaning);
  };
  add("machine.hop_cycles", s.chip.hop_cycles, "cycles", 1, 100, "router to neighbouring router");
  add("machine.ramp_send_cycles", s.chip.ramp_send_cycles, "cycles", 1, 100, "core to its router");
  add("machine.ramp_receive_cycles", s.chip.ramp_receive_cycles, "cycles", 1, 100, "router to its core");
  add("machine.router_queue_words", s.chip.router_queue_words, "words", 1, 100,
      "words of a color that a router holds per receive side, besides those on the link");
  keys.add("machine.bank_conflicts", s.bank_conflicts)
      .meaning(
          "a step whose operands meet in one of the eight SRAM banks of its core takes a cycle more "
          "(wavelet fidelity)");
}

void declare_collective_keys(harness::key_table& keys, fabric_settings& s) {
  collective_settings& c = s.collective;
  const auto any = [&s] { return s.program_file.empty(); };
  const auto rows = [&c] { return c.has_pattern(); };
  const auto columns = [&c] { return c.has_column_pattern(); };
  const auto groups = [](collectives::reduce_kind pattern) { return pattern == collectives::reduce_kind::two_phase; };
  keys.add("program.file", s.program_file)
      .names_file()
      .meaning("fabric program to run instead of a collective, as text (docs/modules/fabric.md); its size is its own");
  keys.add_choice("collective.name", c.what, collective_names())
      .used_when(any, "there is no program.file")
      .meaning(
          "what the cores do together; reduces and gathers end at column 0 (and row 0), broadcasts and scatters begin "
          "there");
  keys.add_choice("collective.pattern", c.pattern, pattern_names())
      .used_when(rows, "the collective reduces along rows")
      .meaning("how the vectors of a row are reduced");
  keys.add("collective.group", c.group)
      .range(0, 2048)
      .word("best", 0)
      .used_when([=, &c] { return rows() && groups(c.pattern); }, "rows are reduced in two phases")
      .meaning("cores per group of the two-phase pattern; \"best\": of the closed form");
  keys.add_choice("collective.column_pattern", c.column_pattern, pattern_names())
      .used_when(columns, "the collective reduces along columns, too")
      .meaning("how the vectors of the rows are reduced along column 0");
  keys.add("collective.column_group", c.column_group)
      .range(0, 2048)
      .word("best", 0)
      .used_when([=, &c] { return columns() && groups(c.column_pattern); }, "columns are reduced in two phases")
      .meaning("as collective.group, along column 0");
  keys.add("collective.groups", c.groups)
      .range(0, 2048)
      .word("best", 0)
      .used_when([&c] { return c.what == collective::all_reduce_two_tree; }, "the collective is all_reduce_two_tree")
      .meaning("groups of a line; \"best\": the divisor of its length nearest to its root");
  keys.add_choice("collective.along", c.along,
                  {{"rows", collectives::axis::row}, {"columns", collectives::axis::column}})
      .used_when([&c] { return c.has_axis(); }, "the collective works on lines of either kind")
      .meaning("every row, or every column, is a collective of its own");
  keys.add("collective.words", c.words)
      .unit("words")
      .range(1, 12'000)
      .meaning("length of the vector on every core, or of the chunk for every core, in words of 32 bit");
  keys.add_choice("collective.type", c.type,
                  {{"fp32", fabric::element_type::fp32},
                   {"fp16", fabric::element_type::fp16},
                   {"bf16", fabric::element_type::bf16},
                   {"int32", fabric::element_type::int32},
                   {"int16", fabric::element_type::int16}})
      .meaning("elements of the vectors; 16-bit ones travel two to a word");
  keys.add_choice(
          "collective.operation", c.op,
          {{"add", fabric::opcode::add}, {"maximum", fabric::opcode::maximum}, {"minimum", fabric::opcode::minimum}})
      .used_when([&c] { return c.combines(); }, "the collective combines vectors")
      .meaning("how two vectors are combined");
  keys.add("collective.call_cycles", c.call_cycles)
      .unit("cycles")
      .range(0, 1e6)
      .meaning("every core works this long before it begins: the call of the kernel");
  keys.add("collective.values", s.values)
      .meaning("words carry values, and the result is compared with the host's (wavelet fidelity)");
  keys.add("run.limit_cycles", s.limit_cycles)
      .unit("cycles")
      .range(1, 2e9)
      .meaning("a program that is still busy then makes no progress");
}

void declare_defect_keys(harness::key_table& keys, fabric_settings& s) {
  defect_settings& d = s.defects;
  const auto any = [&d] { return d.any(); };
  keys.add("defects.random_cores", d.random_cores).range(0, 1e6).meaning("dead cores at random places (run.seed)");
  keys.add("defects.random_links", d.random_links).range(0, 1e6).meaning("dead links at random places (run.seed)");
  keys.add("defects.cores", d.cores)
      .meaning("dead cores of the wafer, spare ones included: [\"12,3\", ...] are column and row");
  keys.add("defects.links", d.links).meaning("dead links: [\"12,3,east\", ...]");
  keys.add("defects.spare_columns", d.spare_columns)
      .unit("cores")
      .range(0, 1024)
      .used_when(any, "there are defects")
      .source("vendor: 757 columns for 750 (WSE-2), 762 for 755 (WSE-3)")
      .meaning("columns of the wafer beyond the rectangle");
  keys.add("defects.spare_rows", d.spare_rows)
      .unit("cores")
      .range(0, 1024)
      .used_when(any, "there are defects")
      .source("vendor: 996 rows for 994 (WSE-2), 1172 for 1170 (WSE-3)")
      .meaning("rows of the wafer beyond the rectangle");
}

void declare_output_keys(harness::key_table& keys, fabric_settings& s) {
  trace_settings& t = s.trace;
  const auto add = [&](const char* path, int& field, double least, const char* meaning) -> harness::key& {
    return keys.add(path, field).unit("cores").range(least, 2048).observes_only().meaning(meaning);
  };
  add("trace.core_column", t.column, 0, "first column of the cores that waves show")
      .must([&s, &t] { return !s.program_file.empty() || t.column < s.chip.columns; }, "be less than machine.columns");
  add("trace.core_row", t.row, 0, "first row of the cores that waves show")
      .must([&s, &t] { return !s.program_file.empty() || t.row < s.chip.rows; }, "be less than machine.rows");
  add("trace.core_columns", t.columns, 1, "columns of cores that waves show, up to the last one there is")
      .must([&t] { return t.columns * t.rows <= most_traced_cores; },
            fmt::format("not ask for more than {} cores with trace.core_rows", most_traced_cores));
  add("trace.core_rows", t.rows, 1, "rows of cores that waves show, up to the last one there is");
  keys.add_choice("results.links", s.links,
                  {{"auto", link_results::automatic}, {"on", link_results::on}, {"off", link_results::off}})
      .observes_only()
      .meaning(
          "how busy every link was, in links.csv and heatmap.svg; \"auto\": at wavelet fidelity, where words are "
          "counted anyway (at burst fidelity it takes time and 16 B a core)");
  keys.add("results.program", s.write_program)
      .observes_only()
      .meaning("write program.txt: the program as text, which program.file takes");
}

// "12,3,east" at its commas.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',')
      parts.emplace_back();
    else if (c != ' ')
      parts.back() += c;
  }
  return parts;
}

bool read_number(const std::string& text, int& number) {
  const char* end = text.data() + text.size();
  const auto [stopped, problem] = std::from_chars(text.data(), end, number);
  return problem == std::errc{} && stopped == end && number >= 0;
}

fabric::coordinate place_of(const char* key, const std::string& text, const char* example, std::size_t expected) {
  const std::vector<std::string> parts = parts_of(text);
  fabric::coordinate place;
  if (parts.size() != expected || !read_number(parts[0], place.column) || !read_number(parts[1], place.row))
    throw base::bad_input(fmt::format("{}: \"{}\" is not a place; write \"{}\"", key, text, example));
  return place;
}

fabric::dead_link link_of(const std::string& text) {
  const char* const example = "column,row,side";
  fabric::dead_link link;
  link.from = place_of("defects.links", text, example, 3);
  const std::string side = parts_of(text)[2];
  for (const auto p : {fabric::port::north, fabric::port::east, fabric::port::south, fabric::port::west})
    if (to_string(p) == side) {
      link.side = p;
      return link;
    }
  throw base::bad_input(
      fmt::format("defects.links: \"{}\": the side must be north, east, south or west, not \"{}\"", text, side));
}

}  // namespace

fabric_settings::fabric_settings() : clock_ghz(clock_of("wse3")) {
  chip.columns = 64;
  chip.rows = 64;
}

void declare_fabric_keys(harness::key_table& keys, fabric_settings& settings) {
  declare_machine_keys(keys, settings);
  declare_collective_keys(keys, settings);
  declare_defect_keys(keys, settings);
  declare_output_keys(keys, settings);
}

fabric::defect_map defects_of(const fabric_settings& s, std::uint64_t seed) {
  const defect_settings& d = s.defects;
  const fabric::wafer_extent wafer{s.chip.columns + d.spare_columns, s.chip.rows + d.spare_rows};
  fabric::defect_map map;
  try {
    map = fabric::random_defects(wafer, d.random_cores, d.random_links, seed);
  } catch (const std::invalid_argument& too_many) {
    throw base::bad_input(std::string("defects: ") + too_many.what());
  }
  for (const std::string& text : d.cores)
    map.dead_cores.push_back(place_of("defects.cores", text, "column,row", 2));
  for (const std::string& text : d.links)
    map.dead_links.push_back(link_of(text));
  return map;
}

}  // namespace scribeline::scenarios
