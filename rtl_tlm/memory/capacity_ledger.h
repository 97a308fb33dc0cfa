// Who owns each byte of a wafer's SRAM.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rtl_tlm/base/units.h"
#include "rtl_tlm/memory/core_region.h"

namespace scribeline::memory {

enum class owner { code, weights, cache, state, activations, buffers };
constexpr int owner_count = 6;
const char* name(owner who);

// Why a reservation did not fit: the first core, in row-major order, that lacks the bytes.
struct capacity_shortfall {
  std::string region;
  owner who = owner::code;
  core_coordinates core;
  base::bytes needed;     // on that core, for this reservation
  base::bytes available;  // on that core, before it
  base::bytes capacity;   // of a core

  // "region 'layer 3': cache needs 120 B more on core (row 4, column 17), which has 64 of 49152 B free"
  std::string message() const;
};

// Bytes of one owner in one region, or in all of them.
struct holding {
  base::bytes held;   // asked for and not released
  base::bytes taken;  // really occupied: held, rounded up to whole bytes on every core
  base::bytes peak;   // most ever held
};

// Accounts for the SRAM of one wafer. Regions are sets of cores and may overlap (code on every core, weights on a
// rectangle of them); an allocation takes the same bytes on every core of its region. A failed reservation
// changes nothing. Reserve and release cost a few operations per zone, where a zone is a set of cores covered
// by the same regions: a region that overlaps no other is one zone, so a cache can grow token by token.
//
// Misuse (an unknown region, a region outside the wafer, a negative size, releasing more than is held) throws
// std::invalid_argument.
class capacity_ledger {
 public:
  using region_id = int;

  capacity_ledger(std::uint32_t rows, std::uint32_t columns, base::bytes bytes_per_core);

  // Names a set of cores. Regions may be added at any time; what overlapping regions hold stays theirs.
  region_id add_region(std::string name, const core_rectangle& cores);
  // The `cores` cores that follow `first` in row-major order, `first` included.
  region_id add_region(std::string name, core_coordinates first, std::int64_t cores);

  // Takes `each` bytes on every core of the region.
  [[nodiscard]] std::optional<capacity_shortfall> reserve_per_core(region_id region, owner who, base::bytes each);
  void release_per_core(region_id region, owner who, base::bytes each);

  // Takes `total` bytes spread evenly over the region. What an owner spreads over a region adds up before it is
  // rounded up to whole bytes per core, so many small reservations waste no more than one.
  [[nodiscard]] std::optional<capacity_shortfall> reserve(region_id region, owner who, base::bytes total);
  void release(region_id region, owner who, base::bytes total);

  // The largest total that reserve() would still accept for this owner.
  base::bytes room(region_id region, owner who) const;

  int region_count() const { return static_cast<int>(regions_.size()); }
  const std::string& region_name(region_id region) const { return at(region).name; }
  std::int64_t cores(region_id region) const { return at(region).cores; }

  holding held(region_id region, owner who) const;
  holding held(owner who) const;

  base::bytes capacity() const { return bytes_per_core_ * cores_; }
  base::bytes capacity_per_core() const { return bytes_per_core_; }
  base::bytes taken() const { return taken_; }
  base::bytes peak_taken() const { return peak_taken_; }
  base::bytes free_on(core_coordinates core) const;
  // Free bytes on the fullest core of the region.
  base::bytes free_per_core(region_id region) const;

 private:
  // What one owner has in one region.
  struct account {
    base::bytes each;    // reserved per core
    base::bytes spread;  // reserved in total, spread evenly
    base::bytes peak;    // of each * cores + spread
  };
  struct region_account {
    std::string name;
    std::int64_t cores = 0;
    std::vector<int> zones;
    std::array<account, owner_count> accounts;
  };
  // Cores covered by exactly the same regions, all equally full.
  struct zone {
    core_set cores;
    base::bytes used;  // on each core
  };

  region_id add(std::string name, core_set cores);
  const region_account& at(region_id id) const;
  std::optional<capacity_shortfall> first_misfit(const region_account& r, owner who, base::bytes each) const;
  std::optional<capacity_shortfall> take(region_id id, owner who, base::bytes each, base::bytes spread);
  void give_back(region_id id, owner who, base::bytes each, base::bytes spread);
  // Replaces an account that fits, and keeps every sum.
  void update(region_account& r, owner who, base::bytes each, base::bytes spread);

  std::uint32_t rows_;
  std::uint32_t columns_;
  std::int64_t cores_;
  base::bytes bytes_per_core_;
  std::vector<region_account> regions_;
  std::vector<zone> zones_;
  std::array<base::bytes, owner_count> held_{};
  std::array<base::bytes, owner_count> peak_held_{};
  base::bytes taken_;
  base::bytes peak_taken_;
};

}  // namespace scribeline::memory
