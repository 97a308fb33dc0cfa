// Prints the validation tables of collectives between accelerators as Markdown, misses included.
#include <fmt/format.h>

#include <map>

#include "rtl_tlm/accelerator/accelerator_config.h"
#include "tests/validation/network_collectives/measurements.h"

using namespace scribeline;
using namespace scribeline::validation;

namespace {

const accelerator::scale_up_config& network_of(const std::string& gpu) {
  return accelerator::find_accelerator_preset(gpu)->config.network;
}

void print_summary(const std::string& what, const error_summary& errors) {
  if (errors.rows() == 0) return;
  fmt::print("| {} | {} | {:.1f} % | {:+.1f} % |\n", what, errors.rows(), 100 * errors.mean(), 100 * errors.worst());
}

void print_dense_summary(const std::vector<collective_row>& rows) {
  fmt::print("| rows | number | mean error | worst |\n|---|--:|--:|--:|\n");
  for (const char* gpu : {"h200", "b200"})
    for (const char* library : {"TensorRT-LLM", "NCCL"}) {
      const auto of = [&](bool fitted) {
        return errors_of(network_of(gpu), rows, [&](const collective_row& r) {
          return r.gpu == gpu && r.library == library && r.is_fitted_on() == fitted;
        });
      };
      print_summary(fmt::format("{} {}, fitted on", gpu, library), of(true));
      print_summary(fmt::format("{} {}, unseen", gpu, library), of(false));
    }
  for (const char* gpu : {"h200", "b200"})
    print_summary(fmt::format("{} together", gpu),
                  errors_of(network_of(gpu), rows, [&](const collective_row& r) { return r.gpu == gpu; }));
  fmt::print("\n");
}

void print_dense_rows(const std::vector<collective_row>& rows) {
  fmt::print(
      "| GPU | library | collective | bytes | GPUs | measured us | modelled us | by | error |\n"
      "|---|---|---|--:|--:|--:|--:|---|--:|\n");
  for (const collective_row& row : rows) {
    if (!row.is_modelled()) continue;
    const auto chosen = modelled(network_of(row.gpu), row);
    fmt::print("| {} | {} | {} | {:.0f} | {}{} | {:.1f} | {:.1f} | {} | {:+.1f} % |\n", row.gpu, row.library,
               row.operation, row.bytes, row.ranks, row.is_fitted_on() ? " (fitted)" : "", row.us, chosen.ns / 1000,
               network_collectives::to_string(chosen.how), 100 * (chosen.ns / 1000 / row.us - 1));
  }
  fmt::print("\n");
}

void print_exchange_summary(const std::vector<exchange_row>& rows) {
  fmt::print("| rows | number | mean error | worst |\n|---|--:|--:|--:|\n");
  const auto& network = network_of("gb200");
  for (const char* library : {"two_sided", "one_sided"})
    for (const char* operation : {"prepare", "dispatch", "combine", "combine_low_precision"})
      for (const int ranks : {2, 4, 8, 16})
        print_summary(fmt::format("{} {}, EP {}{}", library, operation, ranks, ranks >= 8 ? " (fitted)" : ""),
                      errors_of(network, rows, [&](const exchange_row& r) {
                        return r.library == library && r.operation == operation && r.ranks == ranks;
                      }));
  for (const bool fitted : {true, false})
    print_summary(fitted ? "EP 8 and 16 together (fitted)" : "EP 2 and 4 together (unseen)",
                  errors_of(network, rows, [&](const exchange_row& r) { return r.is_fitted_on() == fitted; }));
  print_summary("every EP together", errors_of(network, rows, [](const exchange_row&) { return true; }));
  fmt::print("\n");
}

// One line for each operation, format and number of tokens: measured and error, by number of ranks.
void print_exchange_rows(const std::vector<exchange_row>& rows) {
  fmt::print(
      "| library | operation | format | tokens | EP 2: us | error | EP 4: us | error | EP 8: us | error | EP 16: us | "
      "error |\n|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
  const auto& network = network_of("gb200");
  for (std::size_t i = 0; i < rows.size();) {
    const exchange_row& first = rows[i];
    fmt::print("| {} | {} | {} | {:.0f} |", first.library, first.operation, first.format, first.tokens);
    std::map<int, std::string> cells;
    for (; i < rows.size() && rows[i].tokens == first.tokens && rows[i].operation == first.operation &&
           rows[i].format == first.format && rows[i].library == first.library;
         ++i)
      cells[rows[i].ranks] =
          fmt::format(" {:.1f} | {:+.1f} % |", rows[i].us, 100 * (modelled_us(network, rows[i]) / rows[i].us - 1));
    for (const int ranks : {2, 4, 8, 16})
      fmt::print("{}", cells.count(ranks) ? cells[ranks] : " | |");
    fmt::print("\n");
  }
  fmt::print("\n");
}

}  // namespace

int main() {
  const auto dense = collective_rows();
  const auto exchanges = exchange_rows();
  fmt::print(
      "## GPUs: collectives on NVLink, measured\n\n"
      "Closed forms of firmware_stubs/network_collectives with three constants a GPU generation (start_ns, phase_ns,\n"
      "collective_share), fitted by `tools/fit_collectives` on the 2- and 8-GPU H200 rows and the 2-GPU B200 rows.\n"
      "Modelled: every TensorRT-LLM all-reduce, and NCCL from 16 MiB on. Shorter NCCL messages are not modelled: "
      "their\n"
      "pipelines are not filled, which phase_ns assumes.\n\n");
  print_dense_summary(dense);
  print_dense_rows(dense);
  fmt::print(
      "## GB200: exchange of tokens between experts, measured\n\n"
      "Closed forms with constants fitted by `tools/fit_collectives` on the EP 8 and EP 16 rows. Balanced routing: a\n"
      "token's 8 experts lie on min(8, EP) ranks. Not modelled, and visible at EP 2 and 4: four GPUs share a compute\n"
      "tray, where exchanges start up to 8 us sooner; and the two-sided queues to one peer have a rate of their own.\n"
      "1-token combines are noisy.\n\n");
  print_exchange_summary(exchanges);
  print_exchange_rows(exchanges);
  return 0;
}
