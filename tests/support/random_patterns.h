// The patterns of random fabric programs: each fills the code of a recipe's result and says what to expect of it.
#pragma once

#include "tests/support/message_program.h"

namespace scribeline::tests {

// random_streams.cpp
void row_chains(const recipe& r);
void messages(const recipe& r);
void broadcasts(const recipe& r);
// random_collectives.cpp
void stars(const recipe& r);
void trees(const recipe& r);
void all_reduce(const recipe& r);
// random_contention.cpp
void neighbour_exchanges(const recipe& r);
void random_permutation(const recipe& r);
void shared_rows(const recipe& r);
void all_to_all(const recipe& r);
void late_readers(const recipe& r);
void short_messages(const recipe& r);
// random_messages.cpp
void copied_messages(const recipe& r);
// random_stuck.cpp
void blocking_exchanges(const recipe& r);
void wrong_counts(const recipe& r);
void merges(const recipe& r);

}  // namespace scribeline::tests
