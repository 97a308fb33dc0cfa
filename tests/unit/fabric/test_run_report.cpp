#include <catch2/catch.hpp>

#include <algorithm>
#include <tuple>

#include "rtl_tlm/fabric/run_report.h"
#include "tests/support/random_numbers.h"

using namespace scribeline;
using namespace scribeline::fabric;

namespace {

auto key(const timestamp_record& r) {
  return std::tuple(r.cycle.value(), r.where.row, r.where.column, r.mark);
}

}  // namespace

TEST_CASE("timestamps come by cycle, then row, column and mark, however they are spread") {
  struct spread {
    int records, cycles, rows, columns, marks;
  };
  for (const spread& s :
       {spread{0, 1, 1, 1, 1}, spread{1, 1, 1, 1, 1}, spread{5000, 1, 40, 30, 2}, spread{5000, 7, 1, 300, 1},
        spread{5000, 3000, 9, 9, 9}, spread{500, 2'000'000'000, 9, 9, 9}}) {
    tests::random_numbers numbers(17);
    std::vector<timestamp_record> records;
    for (int i = 0; i < s.records; ++i)
      records.push_back({{numbers.between(0, s.columns - 1), numbers.between(0, s.rows - 1)},
                         static_cast<std::uint16_t>(numbers.between(1, s.marks)),
                         base::cycles{numbers.between(1000, 999 + s.cycles)}});
    std::vector<timestamp_record> expected = records;
    std::sort(expected.begin(), expected.end(), [](const auto& x, const auto& y) { return key(x) < key(y); });
    records = sorted_timestamps(records.data(), records.size());
    INFO(s.records << " records in " << s.cycles << " cycles");
    CHECK(std::equal(records.begin(), records.end(), expected.begin(), expected.end(),
                     [](const auto& x, const auto& y) { return key(x) == key(y); }));
  }
}
