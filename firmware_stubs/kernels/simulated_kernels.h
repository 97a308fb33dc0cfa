// Kernels of launches, timed by running them as fabric programs.
//
// The cores of a kernel do the same in the same cycles until they communicate, and its lines never touch each other. So
// one core runs the vector work of each descriptor (core_work.h), one line the communication (kernel_program.h), and
// the two times add up to that of the whole region; a test holds them to it. Each distinct piece of work runs once and
// is reused for the rest of the run.
//
// Cores. Rates are those of wafer_config::vector: multiply-adds as its fma, copies as its copy, expansion as its
// dequant; other arithmetic and special functions keep their ratio to copies on the chip. The set-up of an operation is
// vector.setup_cycles less the loop branch, which programs have of their own. Operands in SRAM never come faster than
// the ports deliver. Communication keeps the set-up of the chip, with which its messages take what silicon takes.
//
// Passes of many tokens: every full round of a descriptor's tokens takes what the first one takes; the words of all
// rounds go through a collective one behind the other, in vectors of at most 4,096 words, and each round but the first
// costs a gap between dependent operations, as in the closed form.
//
// Not modelled: skew (a kernel begins when the slowest core has ended the one before) and communication that overlaps
// with work of the same kernel.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "firmware_stubs/kernels/core_work.h"
#include "rtl_tlm/fabric/run.h"
#include "rtl_tlm/wafer/wafer_config.h"

namespace scribeline::kernels {

class simulated_kernels final : public wafer::kernel_timing {
 public:
  // The chip's hop, ramps and core follow `config`, so that what a scenario changes there is simulated. Throws
  // base::bad_input for latencies that engines cannot count, and as core_of().
  simulated_kernels(const wafer::wafer_config& config, fabric::engine_kind engine);

  // Throws base::no_progress if a program stands still.
  void time(wafer::kernel_part* parts, std::size_t count) override;

  // Cycles of a collective along one line; 0 for a line of one core.
  double collective_cycles(wafer::opcode op, std::int64_t words, std::int64_t line, std::int64_t distance = 1);
  // One core for a vector descriptor.
  struct core_time {
    double cycles = 0, operations = 0;  // vector operations
  };
  core_time work(const wafer::descriptor& d, const wafer::scaled_extents& extents);

  // One distinct kernel that was asked for, beside its closed form. Cycles of the core's work and of communication.
  struct kernel_record {
    std::string what;              // "product_over_a 35 x 28, all_reduce 18 words on 424"
    double vector_operations = 0;  // of every core
    double work = 0, communication = 0;
    double closed_form_work = 0, closed_form_communication = 0;

    double total() const { return work + communication; }
    double closed_form() const { return closed_form_work + closed_form_communication; }
  };
  // In the order in which they were asked for first.
  const std::vector<kernel_record>& kernels() const { return kernels_; }

  // One simulated collective beside its closed form.
  struct collective_record {
    wafer::opcode op;
    std::int64_t words, line, distance;
    double simulated, closed_form;
  };
  // In order of opcode, words, line, distance.
  std::vector<collective_record> collectives() const;

 private:
  using extents_key = std::array<std::int64_t, 11>;

  core_time one_round(const wafer::descriptor& d, const round_extents& round);
  double run(const fabric::fabric_chip& chip, const fabric::program& p) const;
  void record(const wafer::kernel_part* parts, std::size_t count, const std::vector<double>& closed_form);

  fabric::engine_kind engine_;
  wafer::wafer_config config_;
  fabric::fabric_chip line_chip_;
  fabric::fabric_chip core_chip_;
  std::map<extents_key, core_time> rounds_;
  std::map<std::tuple<wafer::opcode, std::int64_t, std::int64_t, std::int64_t>, double> collectives_;
  std::set<std::vector<std::int64_t>> recorded_;
  std::vector<kernel_record> kernels_;
};

}  // namespace scribeline::kernels
