// Prints the section of docs/validation.md that concerns WaferLLM, misses included.
#include <fmt/format.h>

#include <array>
#include <systemc>

#include "tests/validation/waferllm/print_gemms.h"
#include "tests/validation/waferllm/waferllm_rows.h"

using namespace scribeline;
using namespace scribeline::validation;

namespace {

void print_layers(const std::string& phase) {
  const std::array<scenarios::waferllm_settings, 3> variants{unfitted(), with_streaming_relays(), {}};
  std::array<error_summary, 3> errors;
  fmt::print(
      "| {} | cores | measured | before fitting | error % | streaming relays | error % | model | error % |\n"
      "|---|--:|--:|--:|--:|--:|--:|--:|--:|\n",
      phase);
  for (const test::csv_row& row : waferllm_rows(phase)) {
    const double measured = std::stod(row.at("value"));
    fmt::print("| {} | {}² | {:.1f} |", row.at("model"), row.at("side"), measured);
    for (std::size_t i = 0; i < variants.size(); ++i) {
      const double modelled = tokens_per_s(row, variants[i]);
      fmt::print(" {:.1f} | {:+.1f} |", modelled, errors[i].add(modelled, measured));
    }
    fmt::print("\n");
  }
  fmt::print(
      "\n{} rows. Before fitting: mean error {:.1f} %, worst {:.1f} %. Streaming relays: {:.1f} %, {:.1f} %. "
      "Model: {:.2f} %, {:.2f} %.\n\n",
      errors[0].rows(), errors[0].mean(), errors[0].worst(), errors[1].mean(), errors[1].worst(), errors[2].mean(),
      errors[2].worst());
}

void print_products() {
  fmt::print(
      "| GEMV | measured us | cores | streaming, no calls | error % | model | error % "
      "|\n|---|--:|--:|--:|--:|--:|--:|\n");
  for (const test::csv_row& row : waferllm_rows("gemv"))
    for (const int side : {600, 660, 720}) {
      const double measured = 1000 * std::stod(row.at("value"));
      error_summary errors;
      const double bare = gemv_us(row, streaming_without_calls(), side);
      const double called = gemv_us(row, {}, side);
      fmt::print("| {0} x {0} | {1:.2f} | {2}² | {3:.3f} | {4:+.1f} | {5:.3f} | {6:+.1f} |\n", row.at("model"),
                 measured, side, bare, errors.add(bare, measured), called, errors.add(called, measured));
    }
  fmt::print("\n");
}

}  // namespace

int sc_main(int, char*[]) {
  fmt::print(
      "## WSE-2: WaferLLM, measured\n\n"
      "Tokens per second of one request, fp16, 4,096 tokens (arXiv 2502.04563, tables 3 and 4; cycles at its authors' "
      "1.1 GHz). Layers are lists of fabric programs, run word by word on one line of cores (all lines of an "
      "all-reduce "
      "are alike) or on a corner for some steps (MeshGEMM), one after the other. Fitted on these twelve rows, by least "
      "squares of the relative errors, with one value each for all rows:\n\n"
      "* 16-bit multiply-adds per cycle: 2, of a vendor peak of 4. Steps are whole cycles, so 2 stands for 2..2.24.\n"
      "* Scalar code of a call that communicates: 300 cycles for every all-reduce and every step of a MeshGEMM.\n"
      "* Scalar code of a column of a tile product: 5 cycles beside the published loop back-edge.\n\n"
      "Not fitted: set-up of a multiply-add (two of the three published descriptor loads fall away where the sum "
      "stays; "
      "inner loops are taken as unrolled), fabric and task timing. Chosen by these rows, too: cores inside the chains "
      "of "
      "an all-reduce store before they forward. With streaming relays decode comes out 17 to 22 % too fast, the more "
      "the "
      "longer the vectors; a call of its own of about 550 cycles in decode would then bring the worst row to 4.5 %. "
      "Before fitting: rate 4, no calls, streaming relays.\n\n");
  print_layers("decode");
  print_layers("prefill");
  fmt::print(
      "Single products, not fitted. The side of the square is not published. A bare product with streaming relays and "
      "without the cost of a call meets both rows on 720² cores; with the costs that the layers show it does not, so "
      "the measured product must have been called differently from those of the layers.\n\n");
  print_products();
  print_gemms();
  return 0;
}
