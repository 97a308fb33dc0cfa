# Finds Accellera SystemC where the distribution ships headers and a library but no CMake package.
# Defines SystemC_FOUND, SystemC_VERSION and the imported target SystemC::systemc.
#
# The library checks at start-up that it is used with the C++ standard it was built with (C++17 for
# Debian's package), so the target carries that requirement.

find_path(SystemC_INCLUDE_DIR NAMES systemc HINTS ENV SYSTEMC_HOME PATH_SUFFIXES include)
find_library(SystemC_LIBRARY NAMES systemc HINTS ENV SYSTEMC_HOME PATH_SUFFIXES lib lib-linux64)

if(SystemC_INCLUDE_DIR AND EXISTS "${SystemC_INCLUDE_DIR}/sysc/kernel/sc_ver.h")
  file(STRINGS "${SystemC_INCLUDE_DIR}/sysc/kernel/sc_ver.h" _systemc_version_lines
       REGEX "^#define SC_VERSION_(MAJOR|MINOR|PATCH) +[0-9]+")
  foreach(_part MAJOR MINOR PATCH)
    string(REGEX REPLACE ".*SC_VERSION_${_part} +([0-9]+).*" "\\1" _systemc_${_part} "${_systemc_version_lines}")
  endforeach()
  set(SystemC_VERSION "${_systemc_MAJOR}.${_systemc_MINOR}.${_systemc_PATCH}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SystemC
  REQUIRED_VARS SystemC_LIBRARY SystemC_INCLUDE_DIR
  VERSION_VAR SystemC_VERSION)

if(SystemC_FOUND AND NOT TARGET SystemC::systemc)
  add_library(SystemC::systemc UNKNOWN IMPORTED)
  set_target_properties(SystemC::systemc PROPERTIES
    IMPORTED_LOCATION "${SystemC_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${SystemC_INCLUDE_DIR}"
    INTERFACE_COMPILE_FEATURES cxx_std_17)
endif()
mark_as_advanced(SystemC_INCLUDE_DIR SystemC_LIBRARY)
