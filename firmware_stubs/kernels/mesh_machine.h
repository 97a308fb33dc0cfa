// A mesh of cores that runs kernels with values, one after the other; what lies in SRAM stays from one to the next.
#pragma once

#include <functional>
#include <memory>
#include <variant>

#include "firmware_stubs/kernels/mesh_kernel.h"
#include "rtl_tlm/base/units.h"
#include "rtl_tlm/fabric/wavelet/wavelet_engine.h"

namespace scribeline::kernels {

// A step of a block that runs on the whole mesh: a kernel, or a program of the same size with begin and end marks.
using mesh_step = std::variant<mesh_kernel, fabric::program>;

class mesh_machine {
 public:
  mesh_machine(const fabric::fabric_chip& chip, int columns, int rows, const all_reduce_style& style = {});

  // Cycles from the first core that begins to the last that is done. Throws as program_of(), and base::no_progress when
  // the program stands still.
  base::cycles run(const mesh_kernel& kernel);
  base::cycles run(const std::vector<mesh_kernel>& kernels);
  // A program of the same size with begin and end marks; `prepare` sets the words at its edge.
  base::cycles run(const fabric::program& p, const std::function<void(fabric::wavelet_engine&)>& prepare = {});
  base::cycles run(const std::vector<mesh_step>& steps);

  // Vectors in SRAM, between programs.
  void write(fabric::coordinate core, int address, fabric::element_type type, const std::vector<double>& values) {
    engine_->write_vector(core, address, type, values);
  }
  std::vector<double> read(fabric::coordinate core, int address, fabric::element_type type, int elements) const {
    return engine_->read_vector(core, address, type, elements);
  }
  // Of the program that ran last: what left through its edge, and the contents of SRAM for another machine to take
  // over.
  fabric::wavelet_engine& engine() { return *engine_; }
  const fabric::wavelet_engine& engine() const { return *engine_; }
  int columns() const { return columns_; }
  int rows() const { return rows_; }

 private:
  fabric::fabric_chip chip_;
  int columns_;
  int rows_;
  all_reduce_style style_;
  std::unique_ptr<fabric::wavelet_engine> engine_;
};

}  // namespace scribeline::kernels
