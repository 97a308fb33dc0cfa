// The part of validate.h that looks into task bodies.
#pragma once

#include <string>
#include <vector>

#include "rtl_tlm/fabric/chip.h"
#include "rtl_tlm/fabric/program/core_classes.h"
#include "rtl_tlm/fabric/program/program.h"

namespace scribeline::fabric {

// What is wrong with one task as it runs on the cores of one class, with or without values.
std::vector<std::string> body_issues(const program& p, const fabric_chip& chip, const core_class& where, const task& t,
                                     bool values);

}  // namespace scribeline::fabric
