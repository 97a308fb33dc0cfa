#include "firmware_stubs/collectives/snake.h"

#include <stdexcept>

#include "firmware_stubs/collectives/chain.h"

namespace scribeline::collectives {

using namespace fabric;

namespace {

// Rows that run the same way and columns of one parity: cores of one kind, in coordinates of the rectangle.
class snake_writer {
 public:
  snake_writer(const phase& in, const region& cores, const vector_spec& v)
      : in_(in), cores_(cores), v_(v), channel_(in.from) {}

  void write() {
    for (int row_parity = 0; row_parity < 2; ++row_parity)
      for (int column_parity = 0; column_parity < 2; ++column_parity)
        write_kind(row_parity, column_parity);
  }

 private:
  int columns() const { return cores_.columns; }
  int rows() const { return cores_.rows; }

  static int aligned_up(int from, int parity) { return from + ((from ^ parity) & 1); }

  region cut(int first_column, int last_column, int column_parity, int first_row, int last_row, int row_parity) const {
    const int column = aligned_up(first_column, column_parity);
    const int row = aligned_up(first_row, row_parity);
    const int wide = last_column < column ? 0 : (last_column - column) / 2 + 1;
    const int high = last_row < row ? 0 : (last_row - row) / 2 + 1;
    return {{cores_.first.column + column, cores_.first.row + row}, wide, high, 2, 2};
  }

  void write_kind(int row_parity, int column_parity) {
    // Node parity along the snake: rows of even number start with an even node at column 0, rows of odd number with an
    // even node next to it.
    const int parity = (column_parity + row_parity) % 2;
    const bool runs_east = row_parity == 0;
    const int last = columns() - 1;
    const int first_node_column = runs_east ? 0 : last;  // entered from the row above
    const int last_node_column = runs_east ? last : 0;   // leads to the row below
    const auto at = [&](int from, int to, int first_row, int last_row) {
      return cut(from, to, column_parity, first_row, last_row, row_parity);
    };
    const port next_side = runs_east ? port::east : port::west;
    const auto inside = [&](int excluded_column, int first_row, int last_row) {
      return excluded_column == 0 ? at(1, last, first_row, last_row) : at(0, last - 1, first_row, last_row);
    };
    receive(inside(last_node_column, 0, rows() - 1), next_side, parity);
    receive(at(last_node_column, last_node_column, 0, rows() - 2), port::south, parity);
    send(inside(first_node_column, 0, rows() - 1), opposite(next_side), 1 - parity);
    send(at(first_node_column, first_node_column, 1, rows() - 1), port::north, 1 - parity);
    add_tasks(row_parity, column_parity, parity, last_node_column);
  }

  void receive(const region& where, port from, int parity) {
    const color_id color = channel_.colors[static_cast<std::size_t>(parity)];
    in_.p.add_route(where, color, from, port::ramp).bind_input(where, channel_.input, color);
  }
  void send(const region& where, port to, int parity) {
    const color_id color = channel_.colors[static_cast<std::size_t>(parity)];
    in_.p.add_route(where, color, port::ramp, to).bind_output(where, channel_.output, color);
  }

  // The root is the first node of row 0, the far end the last node of the last row: their rows are cut at them.
  void add_tasks(int row_parity, int column_parity, int parity, int last_node_column) {
    const color_id in_color = channel_.colors[static_cast<std::size_t>(parity)];
    const color_id out_color = channel_.colors[static_cast<std::size_t>(1 - parity)];
    const operand own = sram(v_.address);
    const operand out = fabric_out(channel_.output, out_color);
    const vector_op combine =
        binary(v_.op, v_.type, out, fabric_in(channel_.input, in_color), own, v_.elements).on_thread(channel_.thread);
    const int last_row = rows() - 1;
    const int last = columns() - 1;
    const auto add = [&](const region& where) {
      if (!where.empty()) in_.add_operation(where, "combine and send", combine, in_.next.others);
    };
    const auto at = [&](int from, int to, int first_row, int end_row) {
      return cut(from, to, column_parity, first_row, end_row, row_parity);
    };
    add(at(1, last, 0, 0));
    add(at(0, last, 1, last_row - 1));
    add(last_node_column == last ? at(0, last - 1, last_row, last_row) : at(1, last, last_row, last_row));
    if (row_parity == 0 && column_parity == 0)
      in_.add_operation(at(0, 0, 0, 0), "root", chain_root_operation(channel_, v_), in_.next.root);
    const region end = at(last_node_column, last_node_column, last_row, last_row);
    if (!end.empty())
      in_.add_operation(end, "send", copy(v_.type, out, own, v_.elements).on_thread(channel_.thread), in_.next.others);
  }

  const phase& in_;
  region cores_;
  const vector_spec& v_;
  chain_channel channel_;
};

}  // namespace

void add_snake(const phase& in, const region& cores, const vector_spec& v) {
  if (cores.columns < 2 || cores.rows < 2)
    throw std::invalid_argument("a snake needs two columns and two rows at least");
  snake_writer(in, cores, v).write();
}

}  // namespace scribeline::collectives
