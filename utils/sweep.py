"""Compiles models for many targets, several times each, and compares the bytes.

    python utils/sweep.py [--build FOLDER] [--models A,B] [--targets T,U]
                          [--threads 1,2,8] [--repeat N] [--log FILE]

Each model of utils/models is compiled without cache for x86-64 with and without
AVX, AVX-512, AMX and VNNI, and for AArch64 with and without dot products, with
each number of compiler threads, N times over. A compiler that crashes, that a
sanitizer stops (--build of utils/check.sh --sanitize), or that writes other
bytes than the time before, is a failure. What --log holds already is left out,
so that a sweep can be continued. Exits with 1 if anything failed.
"""

import argparse
import dataclasses
import hashlib
import itertools
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import option_types

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "utils" / "models"))

# Each with the precisions that make a difference there.
TARGETS = {
    "x86-64-v2": ["high"],
    "x86-64-v3": ["high"],
    "x86-64-v3,+avxvnni": ["high"],
    "x86-64-v4": ["high"],
    "sapphirerapids": ["highest", "high", "medium"],
    "aarch64": ["high"],
    "aarch64,+dotprod": ["high"],
}


@dataclasses.dataclass(frozen=True)
class Case:
    """One model, a path or a name of utils/models, for one target."""
    model: str
    target: str
    precision: str

    def __str__(self):
        return f"{self.model} {self.target} {self.precision}"


def make_command(build, path, case, threads, output, options=()):
    """Returns the command line of one compilation."""
    command = [
        str(build / "bin" / "relay-compile"), str(path), f"--target={case.target}",
        f"--precision={case.precision}", f"--compile-threads={threads}", "--no-cache",
        "-o", str(output), *options
    ]
    if (build / "sanitizer-runtime").exists():
        command = [str(ROOT / "utils" / "sanitizer" / "run.sh"), str(build), *command]
    return command


def run_case(build, path, case, threads, options=(), timeout=None):
    """Compiles once for each number in `threads`. Returns a message, or None."""
    expected = None
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder, "model.so")
        for count in threads:
            command = make_command(build, path, case, count, output, options)
            try:
                result = subprocess.run(command, capture_output=True, text=True,
                                        errors="replace", check=False, timeout=timeout)
            except subprocess.TimeoutExpired:
                return f"{count} threads: not done after {timeout} s"
            if result.returncode != 0:
                return f"{count} threads: exit status {result.returncode}\n{result.stderr[-8000:]}"
            digest = hashlib.sha256(output.read_bytes()).hexdigest()
            output.unlink()
            if expected is None:
                expected = digest
            elif digest != expected:
                return f"{count} threads: other bytes than with {threads[0]}"
    return None


def main():
    import build as models  # The packages of the models are for this program only.

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=option_types.build_folder,
                        default=str(ROOT / os.environ.get("RELAY_BUILD_DIR", "build")))
    parser.add_argument("--models", type=option_types.names(models.MODELS, "models"),
                        help="by default, all of utils/models")
    parser.add_argument("--targets", help="separated by semicolons or spaces; by default, all")
    parser.add_argument("--threads", type=option_types.threads, default="1,2,8")
    parser.add_argument("--repeat", type=option_types.positive, default=1)
    parser.add_argument("--timeout", type=option_types.seconds,
                        help="seconds for one compilation")
    parser.add_argument("--seconds", type=option_types.seconds,
                        help="begin no case after so long")
    parser.add_argument("--log", type=option_types.output_file)
    options = parser.parse_args()
    threads = options.threads * options.repeat
    names = options.models or sorted(models.MODELS)
    targets = options.targets.replace(";", " ").split() if options.targets else TARGETS
    cases = [Case(name, target, precision) for name, target in itertools.product(names, targets)
             for precision in TARGETS.get(target, ["high"])]
    done = set()
    if options.log and options.log.exists():
        done = {line.split(":")[0] for line in options.log.read_text().splitlines()}
    start = time.monotonic()
    failures = count = 0
    with tempfile.TemporaryDirectory() as folder:
        path = None
        for case in cases:
            if str(case) in done:
                continue
            if options.seconds and time.monotonic() - start > options.seconds:
                print(f"stopped with cases left, the first: {case}")
                break
            if path is None or path.stem != case.model:
                if path:
                    path.unlink()
                path = pathlib.Path(folder, case.model + ".onnx")
                path.write_bytes(models.build(case.model).SerializeToString())
            begin = time.monotonic()
            message = run_case(options.build, path, case, threads, timeout=options.timeout)
            line = f"{case}: " + (message or f"ok, {time.monotonic() - begin:.1f} s")
            print(line, flush=True)
            if options.log and message is None:
                with options.log.open("a") as file:
                    file.write(line + "\n")
            failures += message is not None
            count += 1
    print(f"{count} cases, {len(threads)} compilations each, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
