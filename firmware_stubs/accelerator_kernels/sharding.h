// What one rank does of an operation.
//
//   columns     outputs are split over the tensor ranks
//   rows        inputs are split, every rank has a partial sum of all outputs
//   heads       whole heads are split (attention, recurrences, products per head)
//   experts     experts are dealt to the expert ranks, their width is split over the ranks that share them
//   replicated  every tensor rank does all of it
// Keys and values are split as far as there are heads for them; a latent or shared key is on every rank.
// Splits that do not come out even leave the fullest rank with the rounded-up share.
#pragma once

#include "firmware_stubs/accelerator_kernels/parallelism.h"
#include "firmware_stubs/plan/operation.h"

namespace scribeline::accelerator_kernels {

enum class sharding { replicated, columns, rows, heads, experts };

// Throws base::bad_input for a product that this library does not know how to split.
sharding sharding_of(const plan::operation& op);

// The layer as the fullest rank of a group sees it: shapes, weights, cache and state of its share. Copies of experts
// are those of the rank, active copies stay those of a token.
plan::layer_plan rank_share(const plan::layer_plan& layer, const parallelism& p);

}  // namespace scribeline::accelerator_kernels
