#!/usr/bin/env bash
# Looks for inputs that break a promise, with AddressSanitizer and
# UndefinedBehaviorSanitizer:
#
#   utils/fuzz.sh SECONDS [TARGET...]
#
# Targets are onnx, relay-text, mlir, artifact, npy, command-line, vta, cuda and gpu
# (all, one after the other, each for that time). Inputs that cover something new stay in
# build-fuzz/corpus for the next run; what fails is written to
# build-fuzz/failures, and belongs, once it is mended, to test/Fuzz/corpus. Exit
# status 1 if something fails.
set -euo pipefail
cd "$(dirname "$0")/.."

if (($# < 1)) || [[ ! $1 =~ ^[0-9]+$ ]]; then
  echo "usage: utils/fuzz.sh SECONDS [TARGET...]" >&2
  exit 2
fi
seconds=$1
shift
targets=("$@")
((${#targets[@]})) || targets=(onnx relay-text mlir artifact npy command-line vta cuda gpu)

export RELAY_BUILD_DIR=${RELAY_BUILD_DIR:-build-fuzz}
export RELAY_SANITIZE=address,undefined RELAY_FUZZ=ON
build=$RELAY_BUILD_DIR
utils/setup.sh
utils/build.sh relay-compile "${targets[@]/#/relay-fuzz-}"

status=0
for target in "${targets[@]}"; do
  mkdir -p "$build/corpus/$target" "$build/failures"
  utils/sanitizer/run.sh "$build" .venv/bin/python test/Fuzz/make_corpus.py \
    "$build/corpus" "$target" --tools "$build/bin"
  seeds=("$build/corpus/$target")
  [[ -d test/Fuzz/corpus/$target ]] && seeds+=("test/Fuzz/corpus/$target")
  dictionary=test/Fuzz/$target.dict
  echo "== $target"
  # LLVM keeps what its options and types own to the end of the process.
  utils/sanitizer/run.sh "$build" "$build/bin/relay-fuzz-$target" \
    "${seeds[@]}" -max_total_time="$seconds" -timeout=60 -rss_limit_mb=4096 \
    -detect_leaks=0 -keep_seed=1 -print_final_stats=1 -verbosity=1 -close_fd_mask=1 \
    -artifact_prefix="$build/failures/$target-" \
    $([[ -f $dictionary ]] && echo "-dict=$dictionary") \
    >"$build/failures/$target.log" 2>&1 || status=1
  grep -E "^stat::|^SUMMARY|broken promise|Test unit written|terminate called" \
    "$build/failures/$target.log" || true
done
exit $status
