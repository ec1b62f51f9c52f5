include_guard()

# LLVM comes as a package that was built without assertions. Where they are on
# here (NDEBUG is not defined), its headers would change the layout of one class,
# that of statistics, which the passes of MLIR have: each file begins with what
# keeps it.
if(RELAY_SANITIZE OR CMAKE_BUILD_TYPE STREQUAL "Debug")
  add_compile_options(
    "SHELL:$<$<COMPILE_LANGUAGE:CXX>:-include ${CMAKE_CURRENT_LIST_DIR}/PackagedLLVM.h>")
endif()
