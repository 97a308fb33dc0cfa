# How every library, binary and test of the project is built: one place for the standard, the warnings
# and the link rules.

set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Precompiled headers count with what they were made from.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
endif()

add_library(scribeline_build_flags INTERFACE)
# Results are compared byte for byte across machines: no fused multiply-add behind the reader's back.
target_compile_options(scribeline_build_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wconversion -Wno-sign-conversion
  -ffp-contract=off
  $<$<BOOL:${SCRIBELINE_WERROR}>:-Werror>)

# scribeline_library(NAME SOURCES ... [DEPENDS ...])
# The library of one folder, linked by others as Scribeline::NAME. Includes start at the repository root:
# #include "rtl_tlm/link/port.h".
function(scribeline_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS" ${ARGN})
  set(target scribeline_${name})
  set(headers ${arg_SOURCES})
  list(FILTER headers INCLUDE REGEX "\\.h$")
  set(sources ${arg_SOURCES})
  list(FILTER sources EXCLUDE REGEX "\\.h$")
  if(sources)
    add_library(${target} STATIC ${arg_SOURCES})
    set(scope PUBLIC)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:scribeline_build_flags>)
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(Scribeline::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(${target} ${scope} cxx_std_17)
  target_include_directories(${target} SYSTEM ${scope} $<INSTALL_INTERFACE:include/scribeline>)
  target_include_directories(${target} ${scope} $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  target_link_libraries(${target} ${scope} ${arg_DEPENDS})
  set_property(GLOBAL APPEND PROPERTY SCRIBELINE_LIBRARIES ${target})
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  foreach(header IN LISTS headers)
    cmake_path(GET header PARENT_PATH below)
    install(FILES ${header} DESTINATION include/scribeline/${folder}/${below})
  endforeach()
endfunction()

# scribeline_scenario(NAME SOURCES ... [DEPENDS ...])
# A scenario binary (an sc_main), placed in bin/ of the build folder.
function(scribeline_scenario name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_DEPENDS} scribeline_build_flags)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
  set_property(GLOBAL APPEND PROPERTY SCRIBELINE_SCENARIOS ${name})
endfunction()
