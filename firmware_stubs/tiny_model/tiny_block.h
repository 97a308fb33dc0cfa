// A block of a tiny model: it knows its weights, computes on the host, and loads and runs itself on a mesh.
#pragma once

#include <vector>

#include "firmware_stubs/tiny_model/tiny_model.h"

namespace scribeline::tiny_model {

// Elements in the SRAM of every core.
struct sram_range {
  int address = 0;
  int elements = 0;
};

class tiny_block {
 public:
  virtual ~tiny_block() = default;
  virtual void load(mesh_machine& mesh) const = 0;
  virtual std::vector<mesh_kernel> kernels_at(int position) const = 0;
  virtual void run(mesh_machine& mesh, int position) const { mesh.run(kernels_at(position)); }
  // What the block adds to the activation.
  virtual vector on_host(const vector& x, int position) = 0;
  // What stays from one token to the next: a cache, a state.
  virtual std::vector<sram_range> kept() const { return {}; }
  // The smallest distance so far between a number that decided about the computation and one that did not: where it is
  // near the errors of fp16, the mesh may decide otherwise than the host.
  virtual double closest_call() const { return 1e9; }
};

}  // namespace scribeline::tiny_model
