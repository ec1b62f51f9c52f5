"""Writes docs/Operators.md: what this project does with each operator of Relay.

    python utils/docs/operator_page.py [--build DIR] [--check]

The names are those of operators.txt. The build is asked which operators the
dialect registers and infers types for, and which the interpreter evaluates. What
is compiled and what is imported has been tried: operators.json is what
test/python/operators found, and what it checks. With --check nothing is written;
the exit status is 1 if the page would change.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "utils"))
import option_types  # noqa: E402

PAGE = ROOT / "docs" / "Operators.md"
RECORD = ROOT / "utils" / "docs" / "operators.json"
# What an operator may have, and what is written for those that have it.
COLUMNS = ["inferred", "interpreted", "compiled", "compiled for any sizes", "refused", "ONNX"]
COUNTED = [column for column in COLUMNS if column != "refused"]
# Element types with a name for all of them.
GROUPS = {
    "bool": ["bool"],
    "integers": [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)],
    "floats": ["float16", "bfloat16", "float32", "float64"],
}


# Operators that no compiler has code for: why, and what does.
WITHOUT_CODE = {
    **dict.fromkeys(
        ["annotation.compiler_begin", "annotation.compiler_end"],
        "the border of a part for another compiler; run `PartitionGraph`, which makes functions "
        "of these parts. Outside of them nobody knows what was meant to be whose"),
    "call_lowered": "a call of a function that another compiler has lowered, by its name in that "
                    "compiler; call the function of Relay, which is compiled with the program",
    "vm.invoke_tvm_op": "a call of a lowered function on memory that the program allocated; call "
                        "the function of Relay. The executor vm calls its kernels itself",
    "vm.shape_func": "a call of a lowered function that computes sizes; kernels here compute the "
                     "sizes of their results (`docs/Decisions/sizes-in-kernels.md`)",
    "memory.alloc_storage": "memory that the program manages; compile the program before "
                            "`ManifestAlloc`. Memory is planned when kernels are known",
    "memory.alloc_tensor": "as `memory.alloc_storage`",
    "memory.kill": "as `memory.alloc_storage`; the last use of a value frees it",
    "parser.MetaRef": "a place of a text that the parser fills from the metadata; parse the text "
                      "with its metadata",
    "torch_op": "a function of TorchScript, which libtorch runs; import the model through ONNX, "
                "or write the function in operators",
    **dict.fromkeys(
        ["contrib.ethosu.binary_elementwise", "contrib.ethosu.conv2d",
         "contrib.ethosu.depthwise_conv2d", "contrib.ethosu.identity",
         "contrib.ethosu.pooling", "contrib.ethosu.unary_elementwise"],
        "an instruction of the Ethos-U, for which there is no back end here; the operators of "
        "`qnn` that it is made from are compiled for processors"),
}


def read_record():
    """What test/python/operators found: for each operator with code the element types
    that run and those that are refused, and the operators that importing makes."""
    return json.loads(RECORD.read_text())


def write_record(record):
    """Writes what read_record returns, an operator's results on two lines."""
    operators = ",\n".join(
        f'  {json.dumps(name)}: {{\n   "static": {json.dumps(results["static"])},\n'
        f'   "dynamic": {json.dumps(results["dynamic"])}\n  }}'
        for name, results in record["compiled"].items())
    imported = json.dumps(record["imported"], indent=2).replace("\n]", "\n ]")
    RECORD.write_text(f'{{\n "compiled": {{\n{operators}\n }},\n "imported": {imported}\n}}\n')


def describe_types(dtypes):
    """A list of element types in few words."""
    if set(dtypes) == {dtype for group in GROUPS.values() for dtype in group}:
        return "all"
    words = []
    for name, group in GROUPS.items():
        words += [name] if set(group) <= set(dtypes) else [d for d in group if d in dtypes]
    return ", ".join(words)


def read_families():
    """Returns [(family, [names])]."""
    families: list[tuple[str, list[str]]] = []
    for line in (ROOT / "utils/docs/operators.txt").read_text().splitlines()[1:]:
        if line.startswith("["):
            families.append((line[1:-1], []))
        elif line:
            families[-1][1].append(line)
    return families


def ask_build(build):
    """Returns {name: properties} of the operations that the dialect has."""
    result = subprocess.run(
        [build / "bin/relay-opt", f"--load-pass-plugin={build}/lib/RelayTestPasses.so",
         "--pass-pipeline=builtin.module(test-relay-operator-status)", "-o", os.devnull],
        input="", capture_output=True, text=True, check=True)
    return {words[0]: set(words[1:]) for words in map(str.split, result.stdout.splitlines())}


def class_of(name):
    """The C++ class of an operator: nn.conv2d is NNConv2dOp."""
    acronyms = {"nn": "NN", "qnn": "QNN"}
    words = re.split(r"[._]", name)
    text = "".join(acronyms.get(w, w[0].upper() + w[1:]) for w in words if w)
    return text if text.endswith("Op") else text + "Op"


def read_classes(folder):
    """Returns the names of operation classes in the sources of a folder."""
    return {match for path in sorted((ROOT / folder).rglob("*.cpp"))
            for match in re.findall(r"\b[A-Z]\w*Op\b", path.read_text())}


def get_status(build):
    """Returns [(family, [(name, {column: text})])], without columns that an operator
    does not have."""
    registered, record = ask_build(build), read_record()
    status = []
    for family, names in read_families():
        rows = []
        for name in names:
            has = dict.fromkeys(registered.get(name, set()) & {"inferred", "interpreted"}, "yes")
            results = record["compiled"].get(name, {})
            if results:
                has["compiled"] = describe_types(results["static"]["compiled"])
                has["compiled for any sizes"] = describe_types(results["dynamic"]["compiled"])
                has["refused"] = describe_types(results["static"]["refused"])
            if name in record["imported"]:
                has["ONNX"] = "yes"
            rows.append((name, {column: text for column, text in has.items() if text}))
        status.append((family, rows))
    return status


def write_page(status):
    total = sum(len(rows) for _, rows in status)
    lines = [
        "# Operators", "",
        "<!-- Written by utils/docs/operator_page.py; do not edit. -->", "",
        f"What becomes of each of the {total} operators: those of TVM's Relay, `assert_op`, which is Relax's, and",
        "`string_map`. Their definitions are with them in the dialect, `include/relay-mlir/Dialect/Relay/IR`.", "",
        "* **inferred**: the dialect has the operator, and a rule for the type of its result.",
        "* **interpreted**: the interpreter evaluates it.",
        "* **compiled**: programs of this operator have been compiled, run, and compared with the interpreter, in the",
        "  element types that are listed (`test/python/operators`); sizes of 0 and 1 are among those tried.",
        "* **compiled for any sizes**: the same with sizes that are not known before the program runs.",
        "* **refused**: element types that the operator has, but that it is not compiled for: an error says so.",
        "* **ONNX**: the import of an ONNX model has made it.", "",
        "## Counts", "",
        "| family | operators | " + " | ".join(COUNTED) + " |",
        "|---|" + "---|" * (len(COUNTED) + 1),
    ]

    def counts(rows):
        return [len(rows)] + [sum(column in has for _, has in rows) for column in COUNTED]

    for family, rows in status:
        lines.append(f"| {family} | " + " | ".join(map(str, counts(rows))) + " |")
    everything = [row for _, rows in status for row in rows]
    lines.append("| **all** | " + " | ".join(f"**{n}**" for n in counts(everything)) + " |")
    for family, rows in status:
        lines += ["", f"## {family[0].upper() + family[1:]}", "",
                  "| operator | " + " | ".join(COLUMNS) + " |", "|---|" + "---|" * len(COLUMNS)]
        for name, has in rows:
            lines.append(f"| `{name}` | " + " | ".join(has.get(c, "") for c in COLUMNS) + " |")
    without = {name for name, has in everything if "compiled" not in has}
    assert without == set(WITHOUT_CODE), \
        f"expects a reason for operators without code only: {without ^ set(WITHOUT_CODE)}"
    lines += ["", "## Operators without code", "",
              "An error says that there is none. Why, and what to use:", ""]
    lines += [f"* `{name}`: {WITHOUT_CODE[name]}." for name, _ in everything
              if name in WITHOUT_CODE]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=option_types.build_folder,
                        default=str(ROOT / os.environ.get("RELAY_BUILD_DIR", "build")))
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    page = write_page(get_status(args.build))
    if not args.check:
        PAGE.write_text(page)
    elif not PAGE.exists() or PAGE.read_text() != page:
        sys.exit("docs/Operators.md is stale; run utils/docs/operator_page.py")


if __name__ == "__main__":
    main()
