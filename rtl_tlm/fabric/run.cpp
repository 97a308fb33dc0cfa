#include "rtl_tlm/fabric/run.h"

#include <fmt/format.h>

#include <stdexcept>

namespace scribeline::fabric {

base::cycles run_result::at(coordinate where, std::uint16_t mark) const {
  for (const timestamp_record& record : timestamps)
    if (record.where == where && record.mark == mark) return record.cycle;
  throw std::out_of_range(fmt::format("mark {} was not reached at {}. {}", mark, to_string(where), explanation));
}

}  // namespace scribeline::fabric
