// Checks a fabric program against the rules of a chip before it runs.
//
// Found: regions outside the program, a program larger than the wafer, ids out of range (colors, queues, tasks,
// microthreads), routes with no, too many or illegal sides (two receive sides, back where the word came from, off the
// fabric without an edge output, into a neighbour that never receives from there, to a ramp without input queue), two
// rules for one thing at one core, queues without a binding or a route, tasks that do not exist, bodies with unmatched
// loops, operands that do not fit an operation, vectors outside the SRAM (at iteration 0).
// Not found, because it depends on timing: cyclic waits and words that meet; the engines report those.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "rtl_tlm/fabric/chip.h"
#include "rtl_tlm/fabric/program/program.h"

namespace scribeline::fabric {

// One thing that is wrong: where it shows first, what it is and what would be right.
struct program_issue {
  coordinate where;
  std::string text;
};

// All issues, each reported once for the cores that share it, in the order of the checks. A run without values needs
// assumed outcomes of what depends on data.
std::vector<program_issue> validate(const program& p, const fabric_chip& chip, bool values = true);

// Thrown for a program that cannot run; what() lists the first issues.
class program_error : public std::runtime_error {
 public:
  program_error(const std::string& program_name, std::vector<program_issue> issues);
  const std::vector<program_issue>& issues() const { return issues_; }

 private:
  std::vector<program_issue> issues_;
};

// Throws program_error unless validate() finds nothing.
void require_valid(const program& p, const fabric_chip& chip, bool values = true);

}  // namespace scribeline::fabric
