// The sc_main of every test binary. A SystemC warning or error that a test does not expect fails it:
// SC_REPORT_WARNING and above throw, and tests that want one say REQUIRE_THROWS_AS(..., sc_report).
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#include <systemc>

int sc_main(int argc, char* argv[]) {
  sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_THROW);
  sc_core::sc_report_handler::set_actions(sc_core::SC_ERROR, sc_core::SC_THROW);
  return Catch::Session().run(argc, argv);
}
