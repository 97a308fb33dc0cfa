// Data mode: wafers in a row that compute a decoder's tokens with values, and their host.
//
//     host.to_wafers -> wafer 0 -> wafer 1 -> ... -> wafer n-1 -> host.from_wafers
//
// Unlike a wafer_chain, whose messages have sizes and whose launches have times, here activations are bytes in the
// payloads of the links and words at the edges of meshes, and every wafer keeps its caches in its own SRAM.
#pragma once

#include <functional>
#include <systemc>
#include <vector>

#include "platforms/data_pipeline/data_host.h"
#include "platforms/data_pipeline/data_wafer.h"

namespace scribeline::platforms {

struct data_pipeline_config {
  data_wafer_config wafer;
  link::link_config link;  // of every link, the host's included
  data_host_config host;
};

// Where the time of a token goes, from the host and back to it.
struct step_times {
  sc_core::sc_time links, waiting, firmware, fabric;
  sc_core::sc_time total() const { return links + waiting + firmware + fabric; }
};

class data_pipeline : public sc_core::sc_module {
 public:
  data_host host;
  sc_core::sc_vector<data_wafer> wafers;

  // A wafer per stage; what stages refer to outlives the pipeline.
  data_pipeline(const sc_core::sc_module_name& name, const data_pipeline_config& config,
                const std::vector<kernels::mesh_stage>& stages);

  // Simulates until all tokens are back, `stop()` says so, or nothing moves any more, which throws base::no_progress.
  // `stop` is polled every simulated `slice`.
  void run(const sc_core::sc_time& slice, const std::function<bool()>& stop = {});

  // Of the token at `position`, which has come back.
  step_times times_of(std::size_t position) const;

 private:
  std::string who_waits() const;
};

}  // namespace scribeline::platforms
