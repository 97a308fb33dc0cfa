// The keys of a wafer chain scenario.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/wafer_chain/chain_config.h"
#include "scenarios/harness/key_table.h"

namespace scribeline::scenarios {

// Acceptance of drafts, in one of three ways.
struct speculation_settings {
  std::vector<double> acceptance;  // per position
  std::int64_t draft_tokens = 0;   // with one of the two below
  std::string table = "none";
  std::vector<double> accepted_lengths;
  double alpha = 0;

  bool by_table() const { return !accepted_lengths.empty(); }
  bool by_alpha() const { return alpha > 0; }
  bool on() const { return !acceptance.empty() || draft_tokens > 0; }
};

struct chain_settings {
  platforms::chain_config config;  // models, acceptance and seed are filled in before the run
  std::string preset = "wse3";
  std::string model_file;
  std::string draft_file;
  speculation_settings speculation;

  chain_settings();
};

// The probability that draft 1, 2, ... is accepted once those before it were; empty = no drafts.
std::vector<double> acceptance_of(const speculation_settings& settings);

void declare_chain_keys(harness::key_table& keys, chain_settings& settings);

}  // namespace scribeline::scenarios
