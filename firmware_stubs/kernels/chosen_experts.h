// The experts of a mixture-of-experts block as one program that computes only those that the router chose.
//
// Every core knows the weights of the experts that its group holds, and activates a task for each whose weight is not
// zero. They run one after the other: up and gate products, all-reduce along the columns, gate, down product into the
// sum of the group's experts. All cores of a group decide alike, so the all-reduce of an expert runs for the chosen
// ones only, over the same routes each time; groups do not wait for each other. The time is that of the group with most
// chosen experts.
//
// An expert takes two tasks: chips with 40 local tasks can hold 17 experts in a group; more throw std::length_error.
#pragma once

#include "firmware_stubs/kernels/expert_feed_forward.h"

namespace scribeline::kernels {

// Between block.route() and block.combine(). Marks begin and end as collectives do. `assumed`: how many experts a group
// computes in runs without values, which are refused without it.
fabric::program chosen_experts(const expert_feed_forward& block, const residual_stream& stream,
                               const fabric::fabric_chip& chip, const all_reduce_style& style = {},
                               std::optional<int> assumed = std::nullopt);

}  // namespace scribeline::kernels
