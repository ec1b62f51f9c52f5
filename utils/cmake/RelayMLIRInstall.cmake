include(CMakePackageConfigHelpers)

set(_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/RelayMLIR)
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/utils/cmake/RelayMLIRConfig.cmake.in
  ${PROJECT_BINARY_DIR}/RelayMLIRConfig.cmake
  INSTALL_DESTINATION ${_cmake_dir})
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/RelayMLIRConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/RelayMLIRConfig.cmake
              ${PROJECT_BINARY_DIR}/RelayMLIRConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/utils/cmake/AddRelayPlugin.cmake
              ${PROJECT_SOURCE_DIR}/utils/cmake/PackagedLLVM.h
  DESTINATION ${_cmake_dir})
install(EXPORT RelayRuntimeTargets NAMESPACE RelayMLIR::
  DESTINATION ${_cmake_dir})
install(EXPORT RelayMLIRTargets NAMESPACE RelayMLIR::
  DESTINATION ${_cmake_dir})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/relay-mlir
                  ${PROJECT_SOURCE_DIR}/include/relay-mlir-c
                  ${PROJECT_BINARY_DIR}/include/relay-mlir
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.inc" PATTERN "*.pdll"
  PATTERN "CMakeFiles" EXCLUDE)
