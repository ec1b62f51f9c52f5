include_guard()

# -DRELAY_SANITIZE=address,undefined or =thread instruments everything that is
# built here. LLVM, MLIR and compiled kernels are not instrumented. What the
# programs need around them when they run is in utils/sanitizer/run.sh.
set(RELAY_SANITIZE "" CACHE STRING
  "Sanitizers to build with: address,undefined or thread")
# -DRELAY_FUZZ=ON builds the targets of test/Fuzz with libFuzzer, and lets it see
# which code of the readers (relay_enable_fuzzing) an input has reached.
option(RELAY_FUZZ "Build fuzz targets with libFuzzer (utils/fuzz.sh)" OFF)
if(RELAY_FUZZ AND NOT RELAY_SANITIZE)
  message(FATAL_ERROR "RELAY_FUZZ expects RELAY_SANITIZE=address,undefined")
endif()

# Instruments the code of a folder for libFuzzer.
macro(relay_enable_fuzzing)
  if(RELAY_FUZZ)
    add_compile_options(
      -fsanitize-coverage=inline-8bit-counters,pc-table,trace-cmp,indirect-calls)
  endif()
endmacro()

# For a folder that calls kernels. UndefinedBehaviorSanitizer reads the type of a
# function from what stands before it: kernels have none there, and the first of
# them not even memory.
macro(relay_call_kernels)
  if(RELAY_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize=function)
  endif()
endmacro()

if(NOT RELAY_SANITIZE)
  return()
endif()
if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "RELAY_SANITIZE expects Clang as the compiler, but got "
    "${CMAKE_CXX_COMPILER_ID}")
endif()

# relay_find_runtime(<variable> <name> <extension>): the path of a library of
# Clang's run time, which is a package of its own.
function(relay_find_runtime variable name extension)
  set(file libclang_rt.${name}-${CMAKE_SYSTEM_PROCESSOR}.${extension})
  # Prints the name alone if there is no such file.
  execute_process(
    COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${file}
    OUTPUT_VARIABLE path OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT IS_ABSOLUTE "${path}")
    string(REGEX MATCH "^[0-9]+" major "${CMAKE_CXX_COMPILER_VERSION}")
    message(FATAL_ERROR "RELAY_SANITIZE and RELAY_FUZZ expect ${file} beside "
      "Clang: install libclang-rt-${major}-dev")
  endif()
  set(${variable} ${path} PARENT_SCOPE)
endfunction()

# Optimised a little, so that tests do not take hours, with what stack traces
# need, and with assertions: those of LLVM's and MLIR's headers included.
set(CMAKE_C_FLAGS_RELEASE "-O1 -gline-tables-only")
set(CMAKE_CXX_FLAGS_RELEASE "-O1 -gline-tables-only")
add_compile_options(-fsanitize=${RELAY_SANITIZE} -fno-omit-frame-pointer
  -fno-sanitize-recover=all)
if(RELAY_SANITIZE MATCHES "thread")
  add_compile_options(
    -fsanitize-ignorelist=${PROJECT_SOURCE_DIR}/utils/sanitizer/thread.ignore)
endif()
add_compile_definitions(_GLIBCXX_ASSERTIONS)

# The run time of the sanitizer is a shared object, so that Python, which is not
# instrumented, can preload it, and libraries can refuse undefined symbols.
if(RELAY_SANITIZE MATCHES "thread")
  set(_name tsan)
elseif(RELAY_SANITIZE MATCHES "address")
  set(_name asan)
else()
  set(_name ubsan_standalone)
endif()
relay_find_runtime(RELAY_SANITIZER_RUNTIME ${_name} so)
add_link_options(-fsanitize=${RELAY_SANITIZE} -shared-libsan)
if(RELAY_FUZZ)
  relay_find_runtime(RELAY_FUZZER fuzzer a)
endif()
get_filename_component(_folder ${RELAY_SANITIZER_RUNTIME} DIRECTORY)
list(APPEND CMAKE_BUILD_RPATH ${_folder})
file(WRITE ${PROJECT_BINARY_DIR}/sanitizer-runtime
  "${RELAY_SANITIZER_RUNTIME}\n")
