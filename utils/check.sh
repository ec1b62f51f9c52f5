#!/usr/bin/env bash
# Sets up, builds, and runs every test; the last line tells how many passed.
# With --nightly also the large models.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${RELAY_BUILD_DIR:-build}

nightly=0
for argument; do
  case $argument in
    --nightly) nightly=1 ;;
    *) echo "usage: utils/check.sh [--nightly]" >&2; exit 2 ;;
  esac
done

utils/setup.sh
utils/build.sh all
results=$build/test/results
rm -rf "$results"
mkdir -p "$results"

status=0
python=$PWD/.venv/bin/python
"$python" utils/lint/lint.py --junit "$results/lint.xml" || status=1
"$python" /usr/lib/llvm-22/bin/lit -s --xunit-xml-output "$results/lit.xml" \
  "$build/test" "$build/test/Unit" || status=1
RELAY_NIGHTLY=$nightly RELAY_BUILD_DIR=$build \
  PYTHONPATH=$PWD/$build/python_packages RELAY_CACHE_DIR=$PWD/$results/cache \
  "$python" -m pytest -q --junitxml "$results/pytest.xml" test/python || status=1
"$python" utils/summarize.py "$results" || status=1
exit $status
