#include "firmware_stubs/plan/operation.h"

namespace scribeline::plan {

const char* to_string(op_kind kind) {
  switch (kind) {
    case op_kind::embed:
      return "embed";
    case op_kind::norm:
      return "norm";
    case op_kind::projection:
      return "projection";
    case op_kind::rotary:
      return "rotary";
    case op_kind::cache_append:
      return "cache_append";
    case op_kind::attention:
      return "attention";
    case op_kind::index:
      return "index";
    case op_kind::compress:
      return "compress";
    case op_kind::convolution:
      return "convolution";
    case op_kind::state_update:
      return "state_update";
    case op_kind::activation:
      return "activation";
    case op_kind::route:
      return "route";
    case op_kind::dispatch:
      return "dispatch";
    case op_kind::experts:
      return "experts";
    case op_kind::combine:
      return "combine";
    case op_kind::residual:
      return "residual";
    case op_kind::head:
      return "head";
    case op_kind::sample:
      return "sample";
  }
  return "?";
}

double cache_bytes_per_position(const operation& op) {
  if (op.kind != op_kind::cache_append || op.reach != span::all) return 0;
  return static_cast<double>(op.cache_entry_bytes.value()) / op.positions_per_entry;
}

}  // namespace scribeline::plan
