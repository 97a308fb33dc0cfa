// The cores of a program sorted into classes that run the same rules, so that engines resolve a class once instead of
// every core.
//
// A region is a set of columns times a set of rows. Columns that lie in the same regions are alike; most of them tell
// only few kinds of rows apart, whatever other columns do with their rows. So classes are found for every kind of
// column from the rows that matter there, and what is kept is columns + rows (of every way to sort them) + classes, not
// cores.
#pragma once

#include <cstdint>
#include <vector>

#include "rtl_tlm/fabric/program/program.h"

namespace scribeline::fabric {

// Positions in the program's vectors of the rules that cover the cores of a class, ascending.
struct core_class {
  std::vector<std::uint32_t> routes;
  std::vector<std::uint32_t> inputs;
  std::vector<std::uint32_t> outputs;
  std::vector<std::uint32_t> tasks;
  std::vector<std::uint32_t> edge_inputs;
  std::vector<std::uint32_t> edge_outputs;
  coordinate example;  // the first core of the class in row-major order
};

// Cores of one class have a neighbour of another through a side.
struct neighbouring_classes {
  static constexpr std::uint32_t outside = ~0u;
  std::uint32_t from = 0;
  std::uint32_t to = outside;  // outside: the edge of the rectangle
  port side = port::north;
  coordinate where;  // the first such core in row-major order
};

enum class class_sorting : std::uint8_t {
  by_rule,      // the same rules
  by_contents,  // routes, queues and tasks that say the same, whichever rules say so: fewer classes. A class then lists
                // the first rules that do.
};

class core_classes {
 public:
  explicit core_classes(const program& p, class_sorting sorting = class_sorting::by_rule);

  // Classes are numbered by their examples, in row-major order.
  std::size_t size() const { return classes_.size(); }
  const core_class& operator[](std::size_t i) const { return classes_[i]; }
  std::uint32_t index_of(coordinate c) const {
    const column_kind& kind = kinds_[kind_of_column_[static_cast<std::size_t>(c.column)]];
    return class_of_[kind.first_class + row_kinds_[kind.first_row + static_cast<std::size_t>(c.row)]];
  }
  const core_class& at(coordinate c) const { return classes_[index_of(c)]; }

  // Every pair once, by row, column and side of `where`.
  std::vector<neighbouring_classes> neighbours() const;

 private:
  struct column_kind {
    std::size_t first_row = 0;    // in row_kinds_
    std::size_t first_class = 0;  // in class_of_
    int example = 0;              // the first column of the kind
  };
  using rule_list = std::vector<std::uint32_t>;

  std::vector<rule_list> sort_columns(const std::vector<region>& rules);
  void sort_rows(const std::vector<region>& rules, const std::vector<rule_list>& rules_of_kind);
  void find_classes(const program& p, const std::vector<region>& rules, const std::vector<rule_list>& rules_of_kind,
                    const rule_list& alias);
  void number_by_example();

  int columns_ = 0;
  int rows_ = 0;
  std::vector<std::uint32_t> kind_of_column_;
  std::vector<column_kind> kinds_;
  std::vector<std::uint32_t> row_kinds_;  // a way to sort the rows behind the other: the kind of every row
  std::vector<std::uint32_t> class_of_;   // column kind, row kind
  std::vector<core_class> classes_;
};

}  // namespace scribeline::fabric
