"""Adds up the JUnit files of a folder and prints `N passed, N failed, N refused, N
skipped`, and before that how many for which reason. What ends in pytest.xfail was
refused: the compiler lacks it, or a test contradicts its specification.

Exits with 1 if a test failed, if a file cannot be read, or if none ran.
"""

import argparse
import collections
import sys
import xml.etree.ElementTree as ElementTree

import option_types


# lit writes this of unit tests that skip themselves, whose reasons it does not pass on.
LIT_SKIPPED = "User interrupt"


def find_reason(child) -> str:
    """Why a test case was skipped, without details after a colon."""
    message = child.get("message") or (child.text or "").strip() or "without a reason"
    if message == LIT_SKIPPED:
        return "unit tests that skip themselves on this machine"
    return message.splitlines()[-1].partition(": ")[0]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=option_types.existing_folder)
    arguments = parser.parse_args()
    passed = failed = 0
    skipped: collections.Counter[str] = collections.Counter()
    refused: collections.Counter[str] = collections.Counter()
    for path in sorted(arguments.folder.glob("*.xml")):
        for case in ElementTree.parse(path).iter("testcase"):
            outcomes = {child.tag for child in case}
            if outcomes & {"failure", "error"}:
                failed += 1
                print(f"failed: {case.get('classname')} {case.get('name')}")
            elif "skipped" in outcomes:
                child = case.find("skipped")
                assert child is not None
                counter = refused if child.get("type") == "pytest.xfail" else skipped
                counter[find_reason(child)] += 1
            else:
                passed += 1
    line = f"{passed} passed, {failed} failed"
    for name, counter in (("refused", refused), ("skipped", skipped)):
        for reason, count in counter.most_common():
            print(f"{name}: {count}" + (f" {reason}" if reason != name else ""))
        line += f", {counter.total()} {name}" if counter else ""
    print(line)
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
