// Random weights and vectors for blocks of a tiny model, the plain host computation of each block in double precision,
// and how its weights lie on a mesh.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "firmware_stubs/kernels/mesh_machine.h"
#include "firmware_stubs/kernels/residual_stream.h"
#include "rtl_tlm/base/random.h"
#include "rtl_tlm/core/number_formats.h"

namespace scribeline::tiny_model {

using namespace kernels;  // what blocks are made of

using vector = std::vector<double>;

inline constexpr fabric::element_type fp16 = fabric::element_type::fp16;

inline double rounded(double value) {
  return core::float_from_fp16(core::fp16_from_float(static_cast<float>(value)));
}

// Uniform in -scale..scale around `centre`, representable in fp16.
inline vector random_vector(std::uint64_t seed, int n, double scale = 1, double centre = 0) {
  base::random_stream random(seed);
  vector v;
  for (int i = 0; i < n; ++i)
    v.push_back(rounded(centre + scale * (2 * random.uniform() - 1)));
  return v;
}

struct matrix {
  matrix(std::uint64_t seed, int inputs_, int outputs_)
      : inputs(inputs_), outputs(outputs_), values(random_vector(seed, inputs * outputs, std::sqrt(3.0 / inputs))) {}
  double at(int i, int o) const {
    return i >= 0 && i < inputs && o >= 0 && o < outputs ? values[static_cast<std::size_t>(i * outputs + o)] : 0;
  }
  vector times(const vector& x) const {
    vector y(static_cast<std::size_t>(outputs), 0);
    for (int i = 0; i < inputs; ++i)
      for (int o = 0; o < outputs; ++o)
        y[static_cast<std::size_t>(o)] += x[static_cast<std::size_t>(i)] * at(i, o);
    return y;
  }
  int inputs;
  int outputs;
  vector values;
};

inline vector normed(const vector& x, const vector& weights, double epsilon) {
  double squares = 0;
  for (const double v : x)
    squares += v * v;
  const double scale = 1 / std::sqrt(squares / static_cast<double>(x.size()) + epsilon);
  vector y;
  for (std::size_t i = 0; i < x.size(); ++i)
    y.push_back(x[i] * scale * weights[i]);
  return y;
}

inline vector sum(const vector& a, const vector& b) {
  vector c = a;
  for (std::size_t i = 0; i < b.size(); ++i)
    c[i] += b[i];
  return c;
}

inline double silu(double x) {
  return x / (1 + std::exp(-x));
}

inline vector slice(const vector& v, int first, int n) {
  return {v.begin() + first, v.begin() + first + n};
}

// Rotates the pairs (i, i + n/2) of a vector of n elements.
inline void rotate(vector& v, int first, int n, int position) {
  for (int i = 0; i < n / 2; ++i) {
    const double angle = position * std::pow(100.0, -2.0 * i / n);
    const double x = v[static_cast<std::size_t>(first + i)];
    const double y = v[static_cast<std::size_t>(first + i + n / 2)];
    v[static_cast<std::size_t>(first + i)] = x * std::cos(angle) - y * std::sin(angle);
    v[static_cast<std::size_t>(first + i + n / 2)] = y * std::cos(angle) + x * std::sin(angle);
  }
}

inline vector softmax(vector scores) {
  const double best = *std::max_element(scores.begin(), scores.end());
  double total = 0;
  for (double& s : scores)
    total += s = std::exp(s - best);
  for (double& s : scores)
    s /= total;
  return scores;
}

// --- onto the mesh ---

// The element of a rotated vector that a core's element `e` is: first halves of pairs, then second ones.
inline int paired(int column_of_part, int e, int elements, int dim) {
  const int pairs = elements / 2;
  return e < pairs ? column_of_part * pairs + e : dim / 2 + column_of_part * pairs + e - pairs;
}

// A tile of inputs x outputs elements for every core, entry by entry.
inline void write_tiles(mesh_machine& mesh, int address, int inputs, int outputs,
                        const std::function<double(fabric::coordinate, int, int)>& entry) {
  for (int row = 0; row < mesh.rows(); ++row)
    for (int column = 0; column < mesh.columns(); ++column) {
      vector tile;
      for (int i = 0; i < inputs; ++i)
        for (int o = 0; o < outputs; ++o)
          tile.push_back(entry({column, row}, i, o));
      mesh.write({column, row}, address, fp16, tile);
    }
}

// Inputs split along the rows in equal slices, outputs wherever `output_of` says.
inline void write_from_rows(mesh_machine& mesh, int address, int inputs, int outputs, const matrix& m,
                            const std::function<int(int column, int o)>& output_of) {
  write_tiles(mesh, address, inputs, outputs,
              [&](fabric::coordinate at, int i, int o) { return m.at(at.row * inputs + i, output_of(at.column, o)); });
}
// Outputs split along the rows, inputs wherever `input_of` says.
inline void write_to_rows(mesh_machine& mesh, int address, int inputs, int outputs, const matrix& m,
                          const std::function<int(int column, int i)>& input_of) {
  write_tiles(mesh, address, inputs, outputs,
              [&](fabric::coordinate at, int i, int o) { return m.at(input_of(at.column, i), at.row * outputs + o); });
}
// A vector in equal slices along the rows, or along the columns.
inline void write_along_rows(mesh_machine& mesh, int address, int elements, const vector& v) {
  write_tiles(mesh, address, 1, elements, [&](fabric::coordinate at, int, int e) {
    const auto i = static_cast<std::size_t>(at.row * elements + e);
    return i < v.size() ? v[i] : 0;
  });
}
inline void write_along_columns(mesh_machine& mesh, int address, int elements, const vector& v) {
  write_tiles(mesh, address, 1, elements, [&](fabric::coordinate at, int, int e) {
    const auto i = static_cast<std::size_t>(at.column * elements + e);
    return i < v.size() ? v[i] : 0;
  });
}

inline vector read_activation(const mesh_machine& mesh, const residual_stream& stream) {
  vector v;
  for (int row = 0; row < mesh.rows(); ++row)
    for (const double x : mesh.read({0, row}, stream.activation, fp16, stream.elements))
      v.push_back(x);
  v.resize(static_cast<std::size_t>(stream.total));
  return v;
}

}  // namespace scribeline::tiny_model
