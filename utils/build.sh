#!/usr/bin/env bash
# Configures and builds into build/ (or $RELAY_BUILD_DIR). Arguments are
# targets. For a folder that is not configured yet, $RELAY_SANITIZE names
# sanitizers, and RELAY_FUZZ=ON adds libFuzzer (utils/cmake/Sanitizers.cmake).
set -euo pipefail
cd "$(dirname "$0")/.."
build=${RELAY_BUILD_DIR:-build}

if [[ ! -f $build/build.ninja ]]; then
  mkdir -p "$build"
  cmake -G Ninja -S . -B "$build" \
    -DCMAKE_BUILD_TYPE=Release -DRELAY_SANITIZE="${RELAY_SANITIZE:-}" \
    -DRELAY_FUZZ="${RELAY_FUZZ:-OFF}" \
    -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 \
    -DPython3_EXECUTABLE="$PWD/.venv/bin/python" >"$build/configure.log" 2>&1 || {
      cat "$build/configure.log" >&2
      exit 1
    }
fi
exec ninja -C "$build" "$@"
