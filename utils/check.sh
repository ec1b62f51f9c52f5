#!/usr/bin/env bash
# Sets up, builds, and runs every test; the last line tells how many passed.
#
#   utils/check.sh [--nightly] [--sanitize=address,undefined|thread]
#
# With --nightly also the large models. With --sanitize, in a build of its own
# whose programs watch their own memory or threads: any report is a failure (see
# docs/Tutorials/Compiler.md).
set -euo pipefail
cd "$(dirname "$0")/.."

nightly=0 sanitize=
for argument; do
  case $argument in
    --nightly) nightly=1 ;;
    --sanitize=?*) sanitize=${argument#*=} ;;
    *) echo "usage: utils/check.sh [--nightly] [--sanitize=SANITIZERS]" >&2; exit 2 ;;
  esac
done
build=${RELAY_BUILD_DIR:-build${sanitize:+-${sanitize//,/-}}}
export RELAY_BUILD_DIR=$build RELAY_SANITIZE=$sanitize

utils/setup.sh
utils/build.sh all
results=$build/test/results
rm -rf "$results"
mkdir -p "$results"

status=0
python=$PWD/.venv/bin/python
run=() run_python=()
if [[ -n $sanitize ]]; then
  mkdir "$results/reports"
  export RELAY_SANITIZER_LOG=$PWD/$results/reports/report
  run=(utils/sanitizer/run.sh "$build")
  run_python=(utils/sanitizer/run.sh --preload "$build")
else
  "$python" utils/lint/lint.py --junit "$results/lint.xml" || status=1
fi
"${run[@]}" "$python" /usr/lib/llvm-22/bin/lit -s \
  --xunit-xml-output "$results/lit.xml" "$build/test" "$build/test/Unit" || status=1
RELAY_NIGHTLY=$nightly PYTHONPATH=$PWD/$build/python_packages \
  RELAY_CACHE_DIR=$PWD/$results/cache \
  "${run_python[@]}" "$python" -m pytest -q --junitxml "$results/pytest.xml" \
  test/python || status=1
if [[ -n $sanitize ]]; then
  "$python" utils/sanitizer/reports.py "$results/reports" \
    --junit "$results/reports.xml" || status=1
fi
"$python" utils/summarize.py "$results" || status=1
exit $status
