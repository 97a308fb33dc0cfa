// Why a burst run stands still: the chain of who waits for whom, from its state.
#pragma once

#include "rtl_tlm/fabric/burst/burst_state.h"

namespace scribeline::fabric {

// Words that stay in a queue when nothing happens any more.
burst_words stuck_words(const burst_queue& q);

// Whether every task ran to its end and no word is left, in a run without further events.
bool nothing_left(burst_state& s);

// Fills waits, cyclic_wait and explanation of a result whose run stopped with something left to do. A cyclic chain is
// preferred; otherwise the chain ends with what never comes.
void find_waits(burst_state& s, run_result& result);

}  // namespace scribeline::fabric
