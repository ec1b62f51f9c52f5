# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""relay-vta-sim on files that are wrong, its options, and what it writes."""

import json
import os
import pathlib
import struct
import subprocess

import numpy as np
import pytest

import random_programs
import vta_model

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve() / "bin"
DATA, IMAGE, COUNTS = random_programs.make_program(random_programs.CONFIGS["1x16"], 7)


def simulate(folder, *arguments):
    result = subprocess.run([BIN / "relay-vta-sim", *map(str, arguments)], cwd=folder,
                            capture_output=True, text=True, check=False, timeout=120)
    # Neither a signal nor a stack trace.
    assert result.returncode in (0, 1), result.stderr
    assert "PLEASE submit" not in result.stderr
    return result


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.vtao").write_bytes(DATA)
    (tmp_path / "a.out").write_bytes(IMAGE)
    return tmp_path


def put(offset, kind, value):
    data = bytearray(DATA)
    struct.pack_into("<" + kind, data, offset, value)
    return bytes(data)


@pytest.mark.parametrize("data,message", [
    (b"", "expects a program of VTA, which begins with 'VTAO'"),
    (b"VTAO", "expects a header of 80 bytes, but got 4"),
    (b"\x7fELF" + DATA[4:], "offset 0: expects a program of VTA"),
    (DATA[:79], "expects a header of 80 bytes, but got 79"),
    (DATA[:5000], "offset 56: expects an image of dram_size"),
    (DATA[:-1], "bytes of instructions behind the image"),
    (DATA + b"\0", "bytes of instructions behind the image"),
    (put(4, "I", 2), "offset 4: expects version 1, but got 2"),
    *[(put(8 + 4 * i, "I", 60), "offset 8: expects LOG_") for i in range(10)],
    (put(8 + 4 * 5, "I", 25), "expects scratchpads for which the fields of GEMM take 128 bits"),
    (put(48, "Q", 0), "offset 48: expects dram_base"),
    (put(48, "Q", 2**64 - 4096),
     "offset 48: expects dram_base + dram_size below 2^64, but got 18446744073709547520 + "),
    (put(56, "Q", 2**63), "offset 48: expects at most 268435456 bytes of memory, but got 92"),
    (put(64, "Q", 2**64 - 16), "offset 64: expects"),
    (put(72, "I", 2**32 - 1), "expects 68719476720 bytes of instructions"),
    (put(76, "I", 1), "offset 76: expects 0, but got 1"),
])
def test_files_that_are_wrong(data, message, folder):
    (folder / "a.vtao").write_bytes(data)
    for arguments in (["a.vtao"], ["--check", "a.vtao"]):
        result = simulate(folder, *arguments)
        assert result.returncode == 1
        assert message in result.stdout + result.stderr


def test_random_damage(folder):
    """Damaged files end in an error, or in a run; never in anything else."""
    rng = np.random.default_rng(3)
    files = []
    for i in range(300):
        data = bytearray(DATA)
        start = len(data) - 16 * 20 if i % 3 else 0
        for _ in range(int(rng.integers(1, 6))):
            data[int(rng.integers(start, len(data)))] = int(rng.integers(0, 256))
        files.append(f"b{i}.vtao")
        (folder / files[-1]).write_bytes(data)
    for mode in ("functional", "cycle"):
        result = simulate(folder, "--check", f"--mode={mode}", "--max-work=100000000", *files)
        assert result.stdout.endswith(" of 300 vectors are as expected\n")
        assert len(result.stdout.splitlines()) == 301
        strict = simulate(folder, "--check", f"--mode={mode}", "--strict",
                          "--max-work=1000000", *files)
        assert len(strict.stdout.splitlines()) == 301


def check(folder, *options):
    result = simulate(folder, "--check", *options, "a.vtao")
    return result.returncode, result.stdout


def test_check(folder):
    assert check(folder) == (0, "a.vtao: ok\n1 of 1 vectors are as expected\n")
    assert check(folder, "--mode=cycle")[0] == 0
    # The image.
    (folder / "a.out").write_bytes(bytes([IMAGE[0] ^ 1]) + IMAGE[1:-1] + bytes([IMAGE[-1] ^ 255]))
    code, text = check(folder)
    base, = struct.unpack_from("<Q", DATA, 48)
    assert code == 1 and f"a.vtao: FAIL: 2 bytes differ, first at 0x{base:x}: " in text
    assert text.endswith("\n0 of 1 vectors are as expected\n")
    assert ", which no instruction stores\n" in text
    # A byte that the program changes: the instruction is one that stores.
    size, = struct.unpack_from("<Q", DATA, 56)
    place = next(i for i in range(size) if DATA[80 + i] != IMAGE[i])
    (folder / "a.out").write_bytes(IMAGE[:place] + bytes([IMAGE[place] ^ 1]) + IMAGE[place + 1:])
    code, text = check(folder)
    index = int(text.split(", which instruction ")[1].split(" stores\n")[0])
    assert code == 1 and f"first at 0x{base + place:x}: " in text
    assert DATA[80 + size + 16 * index] & 7 == vta_model.STORE
    (folder / "a.out").write_bytes(IMAGE[:-1])
    assert f"expects {len(IMAGE)} bytes in 'a.out', but got {len(IMAGE) - 1}" in check(folder)[1]
    (folder / "a.out").unlink()
    code, text = check(folder)
    assert code == 1 and "FAIL: cannot read 'a.out': No such file" in text
    result = simulate(folder, "--check", "a.vtao", "none.vtao", folder)
    assert result.returncode == 1 and result.stdout.count("FAIL: cannot read") == 3


@pytest.mark.parametrize("case,message", [
    ({"profiler": {**COUNTS, "alu_counter": 7}},
     f"expects alu_counter 7, but got {COUNTS['alu_counter']}"),
    ({"negative": True, "expected_error": "deadlock"}, "expects error deadlock, but got none"),
    ({"negative": True}, "expects 'expected_error' of a case that is negative"),
    ({"negative": True, "expected_error": "dead_lock"},
     "expects a kind of error in 'expected_error', but got 'dead_lock'"),
    ({"negative": True, "expected_error": "deadlock", "profiler": COUNTS},
     "expects no 'profiler' of a case that is negative"),
    ({"expected_error": "deadlock"}, "expects no 'expected_error' of a case that is not negative"),
    ({"negative": False, "at_instruction": 1},
     "expects no 'at_instruction' of a case that is not negative"),
    ({"stuck_instruction": {"load": "7"}},
     "expects 'load' in 'stuck_instruction' to be an integer"),
    ({"note": "x", "exercises": ["gemm"], "config": {"LOG_BLOCK": 4}}, None),
    ({"negative": "yes"}, "expects 'negative' to be true or false"),
    ({"expected_error": 3}, "expects 'expected_error' to be a text"),
    ({"profiler": [1]}, "expects 'profiler' to be an object"),
    ({"profiler": {"alu_counter": "7"}}, "expects 'alu_counter' in 'profiler' to be an integer"),
    ({"chisel_cycles": 9.5}, "expects 'chisel_cycles' to be an integer"),
    ({"chisel_cycles": 0}, "expects 'chisel_cycles' to be 1 or more, but got 0"),
    ({"at_instruction": {}, "negative": None}, "expects 'at_instruction' to be an integer"),
    ({"stuck_instruction": 1}, "expects 'stuck_instruction' to be an object"),
    ({"negative": None, "chisel_cycles": None}, None),
    ({"profiler": COUNTS}, None), ({"negative": False}, None), ({"name": "b"}, None),
])
def test_cases(case, message, folder):
    (folder / "cases.json").write_text(json.dumps({"cases": [{"name": "a", **case}]}))
    code, text = check(folder)
    assert code == (1 if message else 0) and (message or "a.vtao: ok") in text


@pytest.mark.parametrize("case,key", [
    ({"chisel_cycle": 3}, "'chisel_cycle'"), ({"profiler": {"alu_count": 7}},
                                              "'alu_count' in 'profiler'"),
    ({"stuck_instruction": {"fetch": 7}, "negative": None}, None)])
def test_keys_that_nothing_is_compared_with(case, key, folder):
    """Files of others may have more keys than these: they are mentioned."""
    (folder / "cases.json").write_text(json.dumps({"cases": [{"name": "a", **case}]}))
    result = simulate(folder, "--check", "a.vtao", "a.vtao")
    if key is None:
        assert result.returncode == 1
        assert "expects no 'stuck_instruction' of a case that is not negative" in result.stdout
    else:
        assert result.returncode == 0
        assert result.stderr.count(f"nothing is compared with {key}\n") == 1


def test_negative_cases(folder):
    """The kind of error decides; another place is mentioned."""
    stream = [{**vta_model.sync(0), "pop_next": 1}, {"opcode": vta_model.FINISH}]
    config = vta_model.Config()
    (folder / "a.vtao").write_bytes(vta_model.write_program(
        config, 4096, bytes(4096), [vta_model.encode(config, insn) for insn in stream]))
    expected = {"name": "a", "negative": True, "expected_error": "deadlock"}
    for more, note in (({}, ""), ({"stuck_instruction": {"load": 0}}, ""),
                       ({"stuck_instruction": {"load": 1}}, " (cases.json: load stops at 1)"),
                       ({"at_instruction": 2}, " (cases.json: at instruction 2)")):
        (folder / "cases.json").write_text(json.dumps({"cases": [{**expected, **more}]}))
        code, text = check(folder)
        assert code == 0 and text.splitlines()[0] == (
            "a.vtao: refused, deadlock: no stage can go on: load at instruction 0, which waits "
            "for a token from compute to load" + note)
    (folder / "cases.json").write_text(json.dumps(
        {"cases": [{**expected, "expected_error": "bad_opcode"}]}))
    code, text = check(folder)
    assert code == 1 and "expects error bad_opcode, but got deadlock" in text


def test_cycles_of_cases(folder):
    cycles = int(simulate(folder, "--mode=cycle", "--stats", "a.vtao").stdout.split(
        "cycles: ")[1].split()[0])
    for factor, code in ((1, 0), (1.019, 0), (0.981, 0), (1.03, 1), (0.97, 1), (0.01, 1)):
        (folder / "cases.json").write_text(json.dumps(
            {"cases": [{"name": "a", "chisel_cycles": round(cycles * factor)}]}))
        assert check(folder, "--mode=cycle")[0] == code
        assert check(folder)[0] == 0


@pytest.mark.parametrize("text,message", [
    ("", "Unexpected EOF"), ("[]", "expects an object with an array 'cases'"),
    ('{"cases": 3}', "expects an object with an array 'cases'"), ('{"cases": [', "Unexpected EOF"),
    ("[" * 100000, "expects values in at most 64 others"), ("\xff", "Invalid UTF-8"),
    *[('{"cases": [%s]}' % case, "expects objects with a text 'name' in 'cases'")
      for case in ("3", "null", "{}", '{"name": 4}', '{"name": "a"}, {"nam": "b"}')],
    ('{"cases": [{"name": "a"}, {"name": "a"}]}', "expects one case 'a', but got two"),
    ('{"cases": [], "format": 2}', "expects format 1, but got 2"),
    ('{"cases": [], "format": "1"}', "expects 'format' to be an integer"),
    ('{"format": 1, "cases": [{"name": "b"}, {"name": "c", "key": 1}]}', None),
])
def test_cases_json_that_is_wrong(text, message, folder):
    (folder / "cases.json").write_bytes(text.encode("latin-1"))
    code, out = check(folder)
    assert code == (1 if message else 0)
    assert (message or "a.vtao: ok") in out


@pytest.mark.parametrize("arguments,message", [
    ([], "Not enough positional"),
    (["a.vtao", "a.vtao"], "expects one program without --check, but got 2"),
    (["a.vtao", "--trace=t.json"], "expects --trace with --mode=cycle"),
    (["a.vtao", "--mode=fast"], "Cannot find option named 'fast'"),
    (["a.vtao", "--image=a.out"], "expects --image with --config"),
    (["a.vtao", "--dram-base=8192"], "expects --dram-base with --config"),
    (["a.vtao", "--max-work=-1"], "invalid"),
    (["--check", "a.vtao", "--stats"], "expects --check without -stats"),
    (["--check", "a.vtao", "-o", "x"], "expects --check without -o"),
    (["a.vtao", "--config=1x15_i8w8a32_15_15_18_17"],
     "'1x15_i8w8a32_15_15_18_17': expects a power of 2 for block, but got 15"),
    (["a.out"], "which begins with 'VTAO'; a raw stream needs --config"),
    (["a.vtao", "--max-work=9"], "expects a program of 9 lanes and bytes at most, but got 0 and "),
    (["a.vtao", "--max-work=9"], "; --max-work sets the limit"),
    (["a.vtao", "--config=1x16_i8w8a32_15_15_18_17"],
     "expects a stream without a header after --config, but got a program"),
    (["a.vtao", "--config=1x16_i8w8a32_40_15_18_17"], "expects LOG_UOP_BUFF_SIZE from 2 to 28"),
    (["a.out", "--config=1x16_i8w8a32_15_15_18_17", "--image=none"], "cannot read 'none'"),
    (["a.out", "--config=1x16_i8w8a32_15_15_18_17", "--dram-base=5"], "expects dram_base"),
    (["a.vtao", "-o", "no/such/file"], "cannot write 'no/such/file'"),
    (["a.vtao", "-o", ""], "expects -o with the name of a file"),
    (["a.vtao", "--mode=cycle", "--trace="], "expects -trace with the name of a file"),
    (["a.out", "--config=1x16_i8w8a32_15_15_18_17", "--image="],
     "expects -image with the name of a file"),
])
def test_options_that_are_refused(arguments, message, folder):
    result = simulate(folder, *arguments)
    assert result.returncode == 1 and message in result.stderr
    assert {path.name for path in folder.iterdir()} == {"a.vtao", "a.out"}


def test_raw_stream(folder):
    """A stream, its configuration and its memory in files of their own."""
    size, = struct.unpack_from("<Q", DATA, 56)
    base, = struct.unpack_from("<Q", DATA, 48)
    (folder / "stream").write_bytes(DATA[80 + size:])
    (folder / "image").write_bytes(DATA[80:80 + size])
    raw = ["stream", "--config=1x16_i8w8a32_15_15_18_17", "--image=image", f"--dram-base={base}"]
    assert simulate(folder, *raw, "-o", "after").returncode == 0
    assert (folder / "after").read_bytes() == IMAGE
    (folder / "stream").write_bytes(DATA[80 + size:-1])
    assert "expects instructions of 16 bytes" in simulate(folder, *raw).stderr


def test_statistics_and_trace(folder):
    result = simulate(folder, "a.vtao", "--mode=cycle", "--stats", "--trace=t.json", "-o", "after")
    assert result.returncode == 0
    assert (folder / "after").read_bytes() == IMAGE
    lines = dict(line.split(": ", 1) for line in result.stdout.splitlines())
    assert lines["configuration"] == "1x16_i8w8a32_15_15_18_17"
    assert lines["loaded bytes"] == ", ".join(
        f"{name} {COUNTS[name + '_load_nbytes']}" for name in ("inp", "wgt", "acc", "uop"))
    assert lines["stored bytes"] == str(COUNTS["out_store_nbytes"])
    assert lines["micro-ops"] == f"gemm {COUNTS['gemm_counter']}, alu {COUNTS['alu_counter']}"
    # Each bus has 8 bytes in a cycle, and a GEMM 256 products.
    loaded = sum(COUNTS[name + "_load_nbytes"] for name in ("inp", "wgt", "acc", "uop"))
    stored, operations = COUNTS["out_store_nbytes"], 512 * COUNTS["gemm_counter"]
    roof = min(512, operations * 8 / max(loaded, stored))
    assert lines["roofline"] == (
        f"{operations / (loaded + stored):.2f} operations per byte, "
        f"{operations / int(lines['cycles']):.2f} of {roof:.2f} operations per cycle (peak 512)")
    trace = json.loads((folder / "t.json").read_text())["traceEvents"]
    assert [event["args"]["name"] for event in trace if event["ph"] == "M"] == [
        "fetch", "load", "compute", "store"]
    slices = [event for event in trace if event["ph"] == "X"]
    count, = struct.unpack_from("<I", DATA, 72)
    ran = [event["args"]["instruction"] for event in slices if event["cat"] == "instruction"]
    assert sorted(ran) == list(range(count))
    assert max(event["ts"] + event["dur"] for event in slices) == int(lines["cycles"])
    busy = sum(event["dur"] for event in slices
               if event["cat"] == "instruction" and event["tid"] == 2)
    assert lines["stage compute"].startswith(f"busy {busy}, ")
    # Batches of 128 instructions are read, then handed on, one after the other.
    fetches = [event for event in slices if event["cat"] == "fetch"]
    assert [event["name"] for event in fetches[:2]] == [
        f"{what} instructions 0 to {min(count, 128) - 1}" for what in ("reads", "dispatches")]
    assert all(first["ts"] + first["dur"] <= second["ts"]
               for first, second in zip(fetches, fetches[1:]))
    reads = sum(event["dur"] for event in fetches[::2])
    assert lines["stage fetch"] == f"reads {reads}, dispatches {count}, full queue 0"
    # The same every time.
    again = simulate(folder, "a.vtao", "--mode=cycle", "--stats", "--trace=t2.json")
    assert again.stdout == result.stdout
    assert (folder / "t2.json").read_bytes() == (folder / "t.json").read_bytes()
