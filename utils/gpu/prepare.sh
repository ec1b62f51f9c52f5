#!/usr/bin/env bash
# Prepares a folder that is all a machine with a GPU needs to check compiled models
# and to time them: neither the compiler nor CUDA's toolkit, only the driver.
#
#   utils/gpu/prepare.sh FOLDER [--only PATTERN] [--target TARGET]
#
# and there: FOLDER/check.sh. The models and kernels are those of checks.json, with
# what they have to compute, and benchmarks.json.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$(cd "$root/${RELAY_BUILD_DIR:-build}" && pwd)
PYTHONPATH=$build/python_packages exec "$root/.venv/bin/python" "$here/prepare.py" "$@"
