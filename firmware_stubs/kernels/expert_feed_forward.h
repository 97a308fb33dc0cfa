// The mixture-of-experts block of a decoder for one token: norm, router, the best experts, their weighted sum.
//
// The columns are cut into equal groups, and every group holds its share of the experts, each spread over the columns
// of the group. The activation is known to whole rows, so dispatch needs no words of its own; the all-reduce of the
// down products along the rows combines the experts. Every core routes for itself: scores are all-reduced to all cores,
// and picking the best is vector work. kernels() computes all experts of a group, those not chosen with weight zero:
// values are right, but time and energy are those of all experts. chosen_experts.h computes the chosen ones only.
#pragma once

#include "firmware_stubs/kernels/residual_stream.h"

namespace scribeline::kernels {

struct expert_dimensions {
  int experts = 1;
  int chosen = 1;
  int width = 1;   // of an expert
  int groups = 1;  // of columns
};

// Addresses are bytes.
struct expert_feed_forward {
  // Throws std::invalid_argument when columns or experts do not divide by the groups.
  expert_feed_forward(const expert_dimensions& d, const residual_stream& stream, address_counter& sram);

  std::vector<mesh_kernel> kernels(const residual_stream& stream) const;
  // Of them, what comes before the experts: norm, router, choice.
  std::vector<mesh_kernel> route(const residual_stream& stream) const;
  // The sum over the groups of what each has put into stream.projected.
  mesh_kernel combine(const residual_stream& stream) const;

  expert_dimensions dimensions;
  int held;      // experts of a group
  int elements;  // of an expert, per column
  int norm_weights;
  int router_weights;  // elements of the stream x experts
  int up_weights;      // elements of the stream x held x elements
  int gate_weights;
  int down_weights;  // held x elements x elements of the stream
  int membership;    // held x experts: 1 where a held expert is that expert, else 0
  int scores;        // by expert, as what follows
  int rest;
  int hit;
  int weights;
  int best;
  int own;  // weights of the held experts
  int up;
  int gate;
  int gated;

 private:
  void add_choice(std::vector<fabric::instruction>& body, fabric::element_type type) const;
};

}  // namespace scribeline::kernels
