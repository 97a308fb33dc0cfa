// The cores of a program sorted into classes that run the same rules, so that engines resolve a class once instead of
// every core. Needs memory for columns + rows + classes, not for cores.
//
// A region is a set of columns times a set of rows; so is therefore every class: two cores are alike when their
// columns lie in the same regions and their rows lie in the same regions.
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

  bool same_rules(const core_class& other) const {
    return routes == other.routes && inputs == other.inputs && outputs == other.outputs && tasks == other.tasks &&
           edge_inputs == other.edge_inputs && edge_outputs == other.edge_outputs;
  }
};

class core_classes {
 public:
  explicit core_classes(const program& p);

  std::size_t size() const { return classes_.size(); }
  const core_class& operator[](std::size_t i) const { return classes_[i]; }
  std::uint32_t index_of(coordinate c) const {
    return class_of_[static_cast<std::size_t>(row_kind_[static_cast<std::size_t>(c.row)]) * column_kinds_ +
                     column_kind_[static_cast<std::size_t>(c.column)]];
  }
  // Rows of one kind have the same classes in all columns.
  std::uint32_t row_kind(int row) const { return row_kind_[static_cast<std::size_t>(row)]; }
  const core_class& at(coordinate c) const { return classes_[index_of(c)]; }

 private:
  std::vector<std::uint32_t> column_kind_;
  std::vector<std::uint32_t> row_kind_;
  std::size_t column_kinds_ = 0;
  std::vector<std::uint32_t> class_of_;  // row kind, column kind
  std::vector<core_class> classes_;
};

}  // namespace scribeline::fabric
