#!/usr/bin/env bash
# Installs what the project needs to build, run and test: Debian packages, and
# PyPI packages into .venv. Running it again does nothing, quickly. With
# $RELAY_SANITIZE set, also what builds with sanitizers need.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(
  # The compiler and its libraries; MLIR's CMake package checks for its tools.
  clang-22 lld-22 libmlir-22-dev mlir-22-tools llvm-22-dev
  clang-format-22 clang-tidy-22 cmake ninja-build ccache g++
  # ONNX files, DLPack's header, checksums and gtest.
  protobuf-compiler libprotobuf-dev libdlpack-dev libxxhash-dev libgtest-dev
  # oneDNN, which parts of a model may be given to.
  libdnnl-dev
  # Regular expressions in models of text.
  libre2-dev
  # Python.
  python3-dev python3-venv
)
if [[ -n ${RELAY_SANITIZE:-} ]]; then
  # The run times of the sanitizers, and a symbolizer for their reports.
  packages+=(libclang-rt-22-dev llvm-22)
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
  [[ $status == "install ok installed" ]] || missing+=("$package")
done
if ((${#missing[@]})); then
  echo "installing: ${missing[*]}"
  as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null || {
      echo "error: expects root or sudo to install: ${missing[*]}" >&2
      exit 1
    }
    as_root=(sudo)
  fi
  export DEBIAN_FRONTEND=noninteractive
  "${as_root[@]}" apt-get update -qq
  if ! "${as_root[@]}" apt-get install -y -qq --no-install-recommends \
      "${missing[@]}" >/tmp/relay-mlir-apt.$$ 2>&1; then
    cat /tmp/relay-mlir-apt.$$ >&2
    echo "error: cannot install the packages above; LLVM 22 is in Debian 12's" \
         "security archive and at apt.llvm.org" >&2
    exit 1
  fi
  rm -f /tmp/relay-mlir-apt.$$
fi

# The stamp holds what was installed, so that a changed list installs again.
stamp=.venv/requirements.installed
if ! cmp -s utils/requirements.txt "$stamp" || ! .venv/bin/python -c '' 2>/dev/null; then
  [[ -x .venv/bin/python ]] || /usr/bin/python3 -m venv .venv
  .venv/bin/python -m pip install --quiet --disable-pip-version-check \
    -r utils/requirements.txt
  cp utils/requirements.txt "$stamp"
fi
