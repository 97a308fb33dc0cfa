#include "rtl_tlm/fabric/run_once.h"

#include "rtl_tlm/fabric/burst/burst_engine.h"
#include "rtl_tlm/fabric/wavelet/wavelet_engine.h"

namespace scribeline::fabric {

run_result run_once(engine_kind engine, const program& p, const fabric_chip& chip, const run_options& options) {
  if (engine == engine_kind::burst) return burst_engine(p, chip, options).run();
  return wavelet_engine(p, chip, options).run();
}

}  // namespace scribeline::fabric
