#include <catch2/catch.hpp>

#include "rtl_tlm/trace/gtkw_view.h"
#include "tests/unit/trace/trace_file.h"

using namespace scribeline::trace;
using sc_core::sc_time;
using scribeline::trace::test::trace_file;

TEST_CASE("a view names groups and signals in their forms and the visible span") {
  const trace_file dump, view_file;
  vcd_writer vcd(dump.path);
  const auto busy = vcd.add_bit("chain.wafer0", "busy");
  const auto state = vcd.add_text("chain.wafer0", "state");
  const auto token = vcd.add_unsigned("chain.wafer0", "token", 16);
  const auto used = vcd.add_real("chain.link", "occupancy");
  gtkw_view view("waves.vcd");
  view.comment("one wafer and its link");
  view.group("wafer 0").show(busy).show(state).show(token).show(token, display::hexadecimal);
  view.group("link", true).show(used).show(bit_signal{});
  // 1050 pixels of 2 ps: 400 ps in a frame of 200 pixels, and log2(400) = 8.643856.
  view.open_at(sc_time(100, sc_core::SC_PS), sc_time(2200, sc_core::SC_PS));
  view.write(view_file.path, vcd);

  CHECK(view_file.text() ==
        "[dumpfile] \"waves.vcd\"\n[savefile] \"" + view_file.path.filename().string() +
            "\"\n[timestart] 100\n[size] 1600 900\n[pos] 0 0\n"
            "*-8.643856 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1\n"
            "[sst_width] 200\n[signals_width] 320\n[sst_expanded] 0\n"
            "@200\n-one wafer and its link\n"
            "@800200\n-wafer 0\n"
            "@28\nchain.wafer0.busy\n"
            "@820\nchain.wafer0.state\n"
            "@24\nchain.wafer0.token[15:0]\n"
            "@22\nchain.wafer0.token[15:0]\n"
            "@1000200\n-wafer 0\n"
            "@c00200\n-link\n"
            "@88024\nchain.link.occupancy\n@20000\n-\n@20000\n-\n"
            "@1400200\n-link\n");
}
