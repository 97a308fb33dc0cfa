// How far the logits of a mesh may be from those of the host.
#pragma once

namespace scribeline::kernels::test {

// Logits are sums of products of numbers of size one that carry errors of fp16 through the whole model: about a
// hundred roundings of 2^-11, which add up like a random walk.
inline constexpr double tolerance = 0.03;

}  // namespace scribeline::kernels::test
