"""Adds up the JUnit files of a folder and prints `N passed, N failed`.

Exits with 1 if a test failed, if a file cannot be read, or if none ran.
"""

import pathlib
import sys
import xml.etree.ElementTree as ElementTree


def main() -> int:
    passed = failed = skipped = 0
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.xml")):
        for case in ElementTree.parse(path).iter("testcase"):
            outcomes = {child.tag for child in case}
            if outcomes & {"failure", "error"}:
                failed += 1
                print(f"failed: {case.get('classname')} {case.get('name')}")
            elif "skipped" in outcomes:
                skipped += 1
            else:
                passed += 1
    line = f"{passed} passed, {failed} failed"
    print(line + (f", {skipped} skipped" if skipped else ""))
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
