// Fits the software constants of GPU collectives on the rows that measurements.h names, and prints them.
//
// Every combination of a grid is tried; the one with the least mean relative error is printed. Constants are those of
// accelerator_presets.cpp; a test compares.
#include <fmt/format.h>

#include "rtl_tlm/accelerator/accelerator_config.h"
#include "tests/validation/network_collectives/measurements.h"

using namespace scribeline;
using namespace scribeline::validation;

namespace {

double mean_error(const accelerator::scale_up_config& network, const std::vector<collective_row>& rows) {
  return errors_of(network, rows, [](const collective_row&) { return true; }).mean();
}

double mean_error(const accelerator::scale_up_config& network, const std::vector<exchange_row>& rows) {
  return errors_of(network, rows, [](const exchange_row&) { return true; }).mean();
}

template <class Row>
std::vector<Row> fitted_on(const std::vector<Row>& all, const std::function<bool(const Row&)>& which) {
  std::vector<Row> rows;
  for (const Row& row : all)
    if (row.is_fitted_on() && which(row)) rows.push_back(row);
  return rows;
}

// Tries every value of first, first + step, ... last for `field` and leaves the best; the rest of the network is
// prepared by `inner`, which returns the error.
double best_of(double& field, double first, double last, double step, const std::function<double()>& inner) {
  double best = first;
  double least = 1e300;
  const int steps = static_cast<int>(std::lround((last - first) / step));
  for (int i = 0; i <= steps; ++i) {
    field = first + i * step;
    const double error = inner();
    if (error < least) {
      least = error;
      best = field;
    }
  }
  field = best;
  return inner();
}

void fit_dense(const char* gpu) {
  accelerator::scale_up_config network = accelerator::find_accelerator_preset(gpu)->config.network;
  const auto rows = fitted_on<collective_row>(collective_rows(), [&](const collective_row& r) { return r.gpu == gpu; });
  const double error = best_of(network.collective_share, 0.5, 0.75, 0.005, [&] {
    return best_of(network.phase_ns, 0, 40000, 1000, [&] {
      return best_of(network.start_ns, 1000, 6000, 100, [&] { return mean_error(network, rows); });
    });
  });
  fmt::print("{}: start_ns {:.0f}, phase_ns {:.0f}, collective_share {:.3f}: mean error {:.1f} % of {} rows\n", gpu,
             network.start_ns, network.phase_ns, network.collective_share, 100 * error, rows.size());
}

void fit_exchange(const char* name, accelerator::token_exchange_config accelerator::scale_up_config::*which) {
  accelerator::scale_up_config network = accelerator::find_accelerator_preset("gb200")->config.network;
  auto& library = network.*which;
  const auto rows_of = [&](const std::string& operation) {
    return fitted_on<exchange_row>(
        exchange_rows(), [&](const exchange_row& r) { return r.library == name && r.operation == operation; });
  };
  const auto dispatch = rows_of("dispatch"), combine = rows_of("combine"), prepare = rows_of("prepare"),
             packed = rows_of("combine_low_precision");
  best_of(library.start_ns_per_doubling, 0, 2000, 100, [&] {
    const double d = best_of(library.dispatch_share, 0.5, 0.8, 0.01, [&] {
      return best_of(library.dispatch_start_ns, 4000, 20000, 500, [&] { return mean_error(network, dispatch); });
    });
    const double c = best_of(library.combine_share, 0.5, 0.8, 0.01, [&] {
      return best_of(library.combine_start_ns, 4000, 30000, 500, [&] { return mean_error(network, combine); });
    });
    return d + c;
  });
  fmt::print(
      "{}: dispatch_start_ns {:.0f}, combine_start_ns {:.0f}, start_ns_per_doubling {:.0f}, dispatch_share {:.2f}, "
      "combine_share {:.2f}: mean error {:.1f} % of {} dispatch rows, {:.1f} % of {} combine rows\n",
      name, library.dispatch_start_ns, library.combine_start_ns, library.start_ns_per_doubling, library.dispatch_share,
      library.combine_share, 100 * mean_error(network, dispatch), dispatch.size(), 100 * mean_error(network, combine),
      combine.size());
  if (!prepare.empty()) {
    const double error = best_of(library.prepare_ns_per_token, 5, 9, 0.1, [&] {
      return best_of(library.prepare_start_ns, 8000, 20000, 100, [&] { return mean_error(network, prepare); });
    });
    fmt::print("{}: prepare_start_ns {:.0f}, prepare_ns_per_token {:.1f}: mean error {:.1f} % of {} rows\n", name,
               library.prepare_start_ns, library.prepare_ns_per_token, 100 * error, prepare.size());
  }
  if (!packed.empty()) {
    const double error =
        best_of(library.low_precision_ns_per_token, 50, 150, 1, [&] { return mean_error(network, packed); });
    fmt::print("{}: low_precision_ns_per_token {:.0f}: mean error {:.1f} % of {} rows\n", name,
               library.low_precision_ns_per_token, 100 * error, packed.size());
  }
}

}  // namespace

int main() {
  fit_dense("h200");
  fit_dense("b200");
  fit_exchange("two_sided", &accelerator::scale_up_config::two_sided);
  fit_exchange("one_sided", &accelerator::scale_up_config::one_sided);
  return 0;
}
