#!/usr/bin/env bash
# Sets up, builds, and runs every test; the last line tells how many passed.
#
#   utils/check.sh [--nightly] [--target=avx2|avx512|amx|...]
#                  [--sanitize=address,undefined|thread]
#
# With --nightly also the large models, and pytest for the other classes of
# processors (AVX2, AVX-512, AMX) that this one can run or emulate. With --target,
# for what that names (a class, or a target description) in place of the processor;
# matrix units it lacks are emulated.
# With --sanitize, in a build of its own whose programs watch their own memory or
# threads: any report is a failure (see docs/Tutorials/Compiler.md).
set -euo pipefail
cd "$(dirname "$0")/.."

nightly=0 target= sanitize=
for argument; do
  case $argument in
    --nightly) nightly=1 ;;
    --target=*) target=${argument#*=} ;;
    --sanitize=?*) sanitize=${argument#*=} ;;
    *)
      echo "usage: utils/check.sh [--nightly] [--target=TARGET] [--sanitize=SANITIZERS]" >&2
      exit 2
      ;;
  esac
done
build=${RELAY_BUILD_DIR:-build${sanitize:+-${sanitize//,/-}}}
export RELAY_BUILD_DIR=$build RELAY_SANITIZE=$sanitize

utils/setup.sh
utils/build.sh all
results=$build/test/results
rm -rf "$results"
mkdir -p "$results"

# Runs a command for a target in place of the processor; none is the processor's.
for_target() {
  local native=$1 emulator=
  shift
  case $native in
    avx2) native=x86-64-v3 ;;
    avx512) native=native,-amx-tile,-amx-bf16,-amx-int8 ;;
    amx) native=native,+amx-tile,+amx-bf16,+amx-int8 ;;
  esac
  if [[ $native == *+amx-tile* || $native == *rapids* ]] && ! grep -qs amx_tile /proc/cpuinfo; then
    emulator=$PWD/$build/lib/AMXEmulator.so
  fi
  RELAY_NATIVE_TARGET=$native LD_PRELOAD=$emulator "$@"
}

status=0
python=$PWD/.venv/bin/python
run=() run_python=()
if [[ -n $sanitize ]]; then
  mkdir "$results/reports"
  export RELAY_SANITIZER_LOG=$PWD/$results/reports/report
  # Sanitizers make training twenty times as slow, and have nothing to say of it.
  PYTHONPATH=utils:utils/models "$python" -c '
import trained
for name in trained.NETWORKS:
    trained.share(name)'
  run=(utils/sanitizer/run.sh "$build")
  run_python=(utils/sanitizer/run.sh --preload "$build")
else
  "$python" utils/lint/lint.py --junit "$results/lint.xml" || status=1
  "$python" utils/lint/tidy.py --build "$build" --junit "$results/tidy.xml" || status=1
fi

# As many tests at once as there are processors, and 3 GiB for each: large models need that.
# More than 8 would wait for the longest file.
workers=$(awk -v most="$(nproc)" '/^MemTotal/ {
  room = int($2 / 3145728)
  if (room < most) most = room
  print (most > 8 ? 8 : most < 1 ? 1 : most)
}' /proc/meminfo)

run_pytest() { # target, name of the results, tests
  for_target "$1" env RELAY_NIGHTLY=$nightly PYTHONPATH="$PWD/$build/python_packages" \
    RELAY_CACHE_DIR="$PWD/$results/cache" "${run_python[@]}" \
    "$python" -m pytest -q -n "$workers" --dist loadfile --no-loadscope-reorder \
    --junitxml "$results/$2.xml" "${@:3}" || status=1
}

for_target "$target" "${run[@]}" "$python" /usr/lib/llvm-22/bin/lit -s \
  --xunit-xml-output "$results/lit.xml" "$build/test" "$build/test/Unit" || status=1
run_pytest "$target" pytest test/python
if [[ -z $target && -z $sanitize && $(uname -m) == x86_64 ]]; then
  # Classes that the run before was not for; only matrix units can be emulated.
  if grep -qs amx_tile /proc/cpuinfo; then
    others=(avx2 avx512)
  elif grep -qs avx512f /proc/cpuinfo; then
    others=(avx2 amx)
  else
    others=(amx)
  fi
  if [[ $nightly == 1 ]]; then
    for class in "${others[@]}"; do
      run_pytest "$class" "pytest-$class" test/python
    done
  elif [[ ${others[*]} == *amx* ]]; then
    # What runs on matrix units at the default precision, as far as it is quick.
    # Kernels without products are the same with and without these units.
    RELAY_SHARE=3 run_pytest amx pytest-amx -m "not large" \
      --ignore-glob="*/kernels/test_[dv]*.py" --ignore=test/python/kernels/test_moved_data.py \
      --ignore-glob="*/precision/test_*functions.py" \
      test/python/{kernels,precision} test/python/models/test_{small,random}_graphs.py
  fi
fi
if [[ -n $sanitize ]]; then
  "$python" utils/sanitizer/reports.py "$results/reports" \
    --junit "$results/reports.xml" || status=1
fi
"$python" utils/summarize.py "$results" || status=1
exit $status
