#include "firmware_stubs/model/weight_format.h"

#include <tuple>

namespace scribeline::model {
namespace {

std::uint64_t blocks_along(std::uint64_t extent, std::uint32_t block) {
  return block == 0 ? 1 : base::ceil_div<std::uint64_t>(extent, block);
}

std::uint64_t whole_bytes(std::uint64_t bits) {
  return base::ceil_div<std::uint64_t>(bits, 8);
}

}  // namespace

bool operator==(const weight_format& a, const weight_format& b) {
  const auto fields = [](const weight_format& f) {
    return std::tie(f.name, f.bits_per_weight, f.scale_bits, f.zero_point_bits, f.group_outputs, f.group_inputs,
                    f.tensor_scale_bits);
  };
  return fields(a) == fields(b);
}

weight_format plain_format(std::uint32_t bits) {
  weight_format format;
  format.name = bits == 16 ? "16-bit" : "32-bit";
  format.bits_per_weight = bits;
  return format;
}

weight_format mxfp4_format() {
  weight_format format;
  format.name = "mxfp4";
  format.bits_per_weight = 4;
  format.scale_bits = 8;
  format.group_outputs = 1;
  format.group_inputs = 32;
  return format;
}

weight_format nvfp4_format() {
  weight_format format;
  format.name = "nvfp4";
  format.bits_per_weight = 4;
  format.scale_bits = 8;
  format.group_outputs = 1;
  format.group_inputs = 16;
  format.tensor_scale_bits = 32;
  return format;
}

base::bytes stored_bytes(const weight_format& format, std::uint64_t inputs, std::uint64_t outputs,
                         std::uint64_t matrices) {
  const std::uint64_t packed = outputs * whole_bytes(inputs * format.bits_per_weight);
  std::uint64_t per_matrix = packed;
  if (format.quantized()) {
    const std::uint64_t groups =
        blocks_along(outputs, format.group_outputs) * blocks_along(inputs, format.group_inputs);
    per_matrix += whole_bytes(groups * format.scale_bits) + whole_bytes(groups * format.zero_point_bits) +
                  whole_bytes(format.tensor_scale_bits);
  }
  return base::bytes{static_cast<std::int64_t>(per_matrix * matrices)};
}

}  // namespace scribeline::model
