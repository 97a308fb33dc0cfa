# Makes find_package(Scribeline) work: one imported target per folder, Scribeline::link, Scribeline::wafer, ...

include(CMakePackageConfigHelpers)

get_property(libraries GLOBAL PROPERTY SCRIBELINE_LIBRARIES)
install(TARGETS ${libraries} EXPORT ScribelineTargets ARCHIVE DESTINATION lib)
install(EXPORT ScribelineTargets NAMESPACE Scribeline:: DESTINATION lib/cmake/Scribeline)

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/ScribelineConfig.cmake.in
  ${CMAKE_BINARY_DIR}/ScribelineConfig.cmake INSTALL_DESTINATION lib/cmake/Scribeline)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/ScribelineConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/ScribelineConfig.cmake ${CMAKE_BINARY_DIR}/ScribelineConfigVersion.cmake
              ${CMAKE_CURRENT_LIST_DIR}/FindSystemC.cmake
        DESTINATION lib/cmake/Scribeline)
