// A vector that enters a mesh through its west edge or leaves it through its east edge, as the bytes of a message.
//
// Every core holds one slice of it. What enters is multicast along its row, so that all cores of a row hold the same,
// as a residual_stream lies. What leaves is sent by the last core of each row, or, when columns hold the slices, by one
// core of each column, along a row of its own as far as there are rows.
#pragma once

#include <cstdint>
#include <vector>

#include "firmware_stubs/kernels/residual_stream.h"
#include "rtl_tlm/fabric/wavelet/wavelet_engine.h"

namespace scribeline::kernels {

struct edge_vector {
  enum class held_by {
    rows,    // slice i lies in all cores of row i
    columns  // slice i lies in all cores of column i
  };

  int total = 1;     // elements of the whole vector
  int elements = 1;  // of a slice; what the last slices have more than `total` is padding and does not travel
  int address = 0;   // of a core's slice, in bytes
  held_by slices = held_by::rows;
  fabric::element_type type = fabric::element_type::fp16;

  std::size_t bytes() const { return static_cast<std::size_t>(total * fabric::bytes_of(type)); }
};

edge_vector activation_of(const residual_stream& stream);

// Where a slice passes the edge.
struct edge_gate {
  fabric::coordinate core;
  fabric::color_id color = 0;
};
std::vector<edge_gate> entry_gates(const edge_vector& v, int columns, int rows);
std::vector<edge_gate> exit_gates(const edge_vector& v, int columns, int rows);

// Programs that move the vector through the edge, with begin and end marks as kernels have. Vectors that columns hold
// only leave: std::invalid_argument.
fabric::program entry_program(const edge_vector& v, const fabric::fabric_chip& chip, int columns, int rows);
fabric::program exit_program(const edge_vector& v, const fabric::fabric_chip& chip, int columns, int rows);

// The bytes of a message become what an engine, loaded with the entry program, finds at its edge; and the words that
// left an engine which ran the exit program become the bytes of a message. Throws std::invalid_argument for another
// number of bytes than the vector has.
void set_entering(fabric::wavelet_engine& engine, const edge_vector& v, int columns, int rows,
                  const std::vector<std::uint8_t>& bytes);
std::vector<std::uint8_t> bytes_that_left(const fabric::wavelet_engine& engine, const edge_vector& v, int columns,
                                          int rows);

}  // namespace scribeline::kernels
