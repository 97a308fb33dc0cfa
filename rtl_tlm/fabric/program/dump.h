// A fabric program as text for people: what runs where, rule by rule, in the order of the program.
#pragma once

#include <string>

#include "rtl_tlm/fabric/program/program.h"

namespace scribeline::fabric {

std::string to_text(const instruction& i);
std::string to_text(const program& p);

}  // namespace scribeline::fabric
