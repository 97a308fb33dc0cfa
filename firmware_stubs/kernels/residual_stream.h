// The activation between the blocks of a decoder, as every block on a mesh finds and leaves it: split along the rows,
// known to whole rows.
//
// Products alternate: one whose inputs are split along the rows has outputs split along the columns, known to whole
// columns, and the other way round, so no vector is ever transposed. Dimensions are padded to multiples of the cores
// they are split over; what is padded must hold zeros.
#pragma once

#include "firmware_stubs/kernels/rms_norm.h"
#include "rtl_tlm/base/units.h"

namespace scribeline::kernels {

// Hands out SRAM of a core, every vector at the beginning of a word.
class address_counter {
 public:
  explicit address_counter(fabric::element_type type) : element_bytes_(fabric::bytes_of(type)) {}
  int take(int elements) {
    const int address = next_;
    next_ += (elements * element_bytes_ + 3) / 4 * 4;
    return address;
  }
  int used() const { return next_; }

 private:
  int element_bytes_;
  int next_ = 0;
};

struct residual_stream {
  residual_stream(int width, int columns_, int rows_, fabric::element_type type_, double epsilon_,
                  address_counter& sram)
      : total(width),
        columns(columns_),
        rows(rows_),
        type(type_),
        epsilon(epsilon_),
        elements(base::ceil_div(width, rows_)),
        activation(sram.take(elements)),
        normalised(sram.take(elements)),
        projected(sram.take(elements)),
        sum(sram.take(1)) {}

  // normalised = norm(activation).
  mesh_kernel norm(std::string name, int weights) const {
    return rms_norm(std::move(name), {elements, total, activation, weights, normalised, sum, epsilon, type},
                    collectives::axis::column);
  }
  // activation += projected, at the end of a block.
  void add_projected(mesh_kernel& kernel) const {
    using namespace fabric;
    kernel.after.push_back(add(type, sram(activation), sram(activation), sram(projected), elements));
  }

  int total;
  int columns;  // of the mesh
  int rows;
  fabric::element_type type;
  double epsilon;
  int elements;    // per row
  int activation;  // byte addresses
  int normalised;
  int projected;  // what a block adds
  int sum;        // scratch of norms
};

}  // namespace scribeline::kernels
