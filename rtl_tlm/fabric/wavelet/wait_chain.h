// Why a run stands still: the chain of who waits for whom, from its state.
#pragma once

#include "rtl_tlm/fabric/wavelet/wavelet_state.h"

namespace scribeline::fabric {

// Fills waits, cyclic_wait and explanation of a result whose run stopped with something left to do. A cyclic chain is
// preferred; otherwise the chain ends with what never comes.
void find_waits(const wavelet_state& s, run_result& result);

}  // namespace scribeline::fabric
