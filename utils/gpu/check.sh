#!/usr/bin/env bash
# Checks and times the models of a folder that prepare.sh made, on a machine with a
# GPU and its driver: each one against what it has to compute, some of them under
# compute-sanitizer where it is there, and then the times of kernels.
#
#   ./check.sh [--seconds N]      at most N seconds for all, 540 if not said
#
# Prints one table, and ends with 1 if something is wrong. What time was too short for
# is said, and is wrong too.
set -uo pipefail
cd "$(dirname "$0")" || exit 1
limit=540
if [[ ${1:-} == --seconds && ${2:-} =~ ^[0-9]+$ ]]; then
  limit=$2
elif [[ $# -gt 0 ]]; then
  echo "usage: check.sh [--seconds N]" >&2
  exit 2
fi
export LD_LIBRARY_PATH=$PWD/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export RELAY_DEVICE_PATH=$PWD/lib
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sanitizer=$(command -v compute-sanitizer || true)
if [[ -z $sanitizer && -x /usr/local/cuda/bin/compute-sanitizer ]]; then
  sanitizer=/usr/local/cuda/bin/compute-sanitizer
fi

# unpack STEM: puts the model into $work.
unpack() {
  [[ -e $work/$1.so ]] && return
  if [[ -e models/$1.so ]]; then
    ln -s "$PWD/models/$1.so" "$work/$1.so"
  else
    bin/relay-exec --unpack "models/$1.pack" "$work/$1.so"
  fi
}

# row KIND NAME RESULT
row() { printf '%-9s  %-44s  %s\n' "$1" "$2" "$3"; }

# The last line that a program has written, without the name of the model.
last_line() { tail -n 1 "$1" | sed "s/^model: //"; }

if command -v nvidia-smi >"$work/null"; then
  nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader
fi
wrong=0 number=0
while read -r kind stem name; do
  number=$((number + 1))
  if [[ $kind == failed ]]; then
    row failed "${name%%: *}" "${name#*: }"
    wrong=$((wrong + 1))
    continue
  fi
  left=$((limit - SECONDS))
  if ((left <= 0)); then
    row "$kind" "$name" "not run: no time is left"
    wrong=$((wrong + 1))
    continue
  fi
  longest=$((left < 120 ? left : 120))
  unpack "$stem"
  model=$work/$stem.so tensors=models/$stem.case log=$work/log.$number
  case $kind in
  check)
    timeout "$longest" bin/relay-exec "$model" "$tensors" --name=model --benchmark \
      --seconds=0.5 >"$log" 2>&1
    status=$?
    result=$(sed 's/^model: //' "$log" | paste -sd ';' | sed 's/;/; /g')
    ;;
  sanitize)
    if [[ -z $sanitizer ]]; then
      row sanitize "$name" "left out: there is no compute-sanitizer"
      continue
    fi
    result=
    for tool in memcheck racecheck; do
      timeout "$longest" "$sanitizer" --tool "$tool" --error-exitcode 9 bin/relay-exec \
        "$model" "$tensors" --name=model >"$log" 2>&1
      status=$?
      result+="$tool: $(last_line "$log")  "
      [[ $status == 0 ]] || break
    done
    ;;
  benchmark)
    timeout "$longest" bin/relay-exec "$model" "$tensors" --name=model --profile \
      --seconds=1 >"$log" 2>&1
    status=$?
    result=$(sed 's/^model: //; 2,$s/^/           /' "$log")
    ;;
  esac
  if [[ $status != 0 ]]; then
    wrong=$((wrong + 1))
    [[ $status == 124 ]] && result="no end after $longest seconds: $result"
    result="WRONG: $result"
  fi
  row "$kind" "$name" "$result"
done <list.txt
echo "$number rows, $wrong wrong, $SECONDS seconds"
((wrong == 0))
