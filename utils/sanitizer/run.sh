#!/usr/bin/env bash
# Runs a command of a build with sanitizers (utils/check.sh --sanitize=...) with
# the options it needs:
#
#   utils/sanitizer/run.sh build-address-undefined \
#     build-address-undefined/bin/relay-opt model.mlir
#
# With --preload, for programs that are not instrumented themselves but load
# libraries that are: Python. Reports go to files that begin with
# $RELAY_SANITIZER_LOG if that is set, else to the standard error.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
preload=0
if [[ ${1:-} == --preload ]]; then
  preload=1
  shift
fi
if (($# < 2)) || [[ ! -f $1/sanitizer-runtime ]]; then
  echo "usage: utils/sanitizer/run.sh [--preload] BUILD COMMAND..., where BUILD" \
       "is a folder built with RELAY_SANITIZE" >&2
  exit 2
fi
runtime=$(<"$1/sanitizer-runtime")
shift

common=${RELAY_SANITIZER_LOG:+log_path=$RELAY_SANITIZER_LOG:log_exe_name=1:}
common+=external_symbolizer_path=/usr/lib/llvm-22/bin/llvm-symbolizer
# An error ends the program by a signal: a test that expects it to fail must not
# take it for the failure.
common+=:abort_on_error=1:disable_coredump=1
# An allocation that is too large returns null, as without sanitizers: what the
# caller makes of that is tested.
common+=:allocator_may_return_null=1
# Addresses, which tests limit elsewhere, say nothing of memory here.
common+=:max_allocation_size_mb=8192
# Its headers poison memory that LLVM's libraries, which are not instrumented,
# hand out without a word (BumpPtrAllocator).
asan=allow_user_poisoning=0
asan+=:detect_stack_use_after_return=1:strict_string_checks=1
asan+=:check_initialization_order=1
# LLVM's crash handler gives a thread a stack for signals, which is not
# AddressSanitizer's to free.
asan+=:use_sigaltstack=0
# Python keeps objects to its end.
((preload)) && asan+=:detect_leaks=0
export ASAN_OPTIONS=$common:$asan
export LSAN_OPTIONS=print_suppressions=0
export UBSAN_OPTIONS=$common:print_stacktrace=1
# What libraries that are not built for it hand to functions of libc is ordered by
# what it does not see.
tsan=ignore_noninstrumented_modules=1:second_deadlock_stack=1
# A child that fork() made may start threads of its own.
tsan+=:die_after_fork=0
export TSAN_OPTIONS=$common:$tsan
if ((preload)); then
  # A block for each object, or freed ones go unnoticed.
  export PYTHONMALLOC=malloc
  export LD_PRELOAD=$runtime${LD_PRELOAD:+:$LD_PRELOAD}
fi
exec "$@"
