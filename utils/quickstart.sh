#!/usr/bin/env bash
# Sets up, builds, compiles a model (ResNet-18 if none is given) and runs it:
# prints the result, the latency, and how far it is from the reference
# interpreter.
#
#   utils/quickstart.sh [model.onnx]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
model=${1:+$(realpath "$1")}
cd "$root"
build=${RELAY_BUILD_DIR:-build}

utils/setup.sh
utils/build.sh relay-compile relay-run

if [[ -z $model ]]; then
  model=$build/resnet18.onnx
  .venv/bin/python utils/models/build.py resnet18 -o "$model"
fi
name=$(basename "$model" .onnx)
echo "== compile: relay-compile $model -o $build/$name.so"
"$build/bin/relay-compile" "$model" -o "$build/$name.so"
echo "== run and time: relay-run $build/$name.so --benchmark"
"$build/bin/relay-run" "$build/$name.so" --benchmark
echo "== compare with the reference: relay-run $model --check=interpreter"
"$build/bin/relay-run" "$model" --check=interpreter
