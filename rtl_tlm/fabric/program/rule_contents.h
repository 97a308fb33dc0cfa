// What a rule of a program says besides where it holds, as bytes: two rules say the same when their bytes are the same.
#pragma once

#include <string>

#include "rtl_tlm/fabric/program/program.h"

namespace scribeline::fabric {

std::string contents_of(const route& r);
std::string contents_of(const queue_binding& b);
std::string contents_of(const task& t);

}  // namespace scribeline::fabric
