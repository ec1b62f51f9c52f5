"""Fills in what the commands of a page print and write.

    python utils/docs/excerpts.py [--build DIR] [--check]

Runs the `sh` blocks of each of PAGES from top to bottom, in a folder that has nothing
but `build`, `include` and `test`. A comment before another block says what that block shows:

    <!-- excerpt: conv.mlir | func.func @main | .. | return -->

First comes a file, of the commands or of the checkout; `stdout` is what the last block
printed. What follows are parts of lines of that file: each shows the next line that has
it, at its beginning if the part begins with ^. `..` stands for everything between two of them. What is left out becomes a line with
three dots; long lists and numbers are cut. With --check nothing is written; the exit
status is 1 if a page would change.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "utils"))
import option_types  # noqa: E402

PAGES = [ROOT / "docs" / "GPU.md", ROOT / "docs" / "LifeOfAConvolution.md",
         ROOT / "docs" / "Tutorials" / "Accelerator.md",
         ROOT / "docs" / "Tutorials" / "Devices.md",
         ROOT / "docs" / "Tutorials" / "Downstream.md"]
WIDTH = 110
# What to run, what to fill in: an `sh` block, or a comment and the block after it.
STEP = re.compile(r"^```sh\n(?P<commands>.*?)^```$|"
                  r"^<!-- excerpt: (?P<source>\S+) \|(?P<parts>.*?) -->\n"
                  r"(?P<fence>```\w+\n)(?P<shown>.*?)^```$", re.M | re.S)


def shorten(line):
    """A line of IR without most of its numbers."""
    line = re.sub(r'"0x([0-9A-F]{32})[0-9A-F]+"', r'"0x\1..."', line)
    line = re.sub(r"dense<(\[+[-+.e\d]+\]*)[^>]{40,}>", r"dense<\1, ...]>", line)
    # Lists of the same type, and of values of a loop.
    line = re.sub(r"(vector<\w+>)(?:, \1){2,}", r"\1, ...", line)
    line = re.sub(r"(%arg\d+ = %\w+)(?:, %arg\d+ = %\w+){3,}", r"\1, ...", line)
    return re.sub(r"((?:%\d+, ){2})(?:%\d+, ){3,}%\d+", r"\1...", line)


def _indent_of(line):
    return len(line) - len(line.lstrip(" "))


def wrap(line):
    """A line as lines of the page, the later ones further to the right."""
    indent = " " * _indent_of(line)
    return textwrap.wrap(line, WIDTH, subsequent_indent=indent + "    ", break_long_words=False,
                         break_on_hyphens=False) or [""]


def write_excerpt(text, parts):
    """The lines of `text` that `parts` ask for; raises ValueError if one is not there."""
    lines, shown, position, everything = text.expandtabs(8).splitlines(), [], 0, False
    for part in parts:
        if part == "..":
            everything = True
            continue
        found = next((i for i in range(position, len(lines))
                      if (lines[i].startswith(part[1:]) if part[0] == "^" else part in lines[i])),
                     None)
        if found is None:
            raise ValueError(f"expects a line with '{part}'")
        if everything:
            shown += lines[position:found]
        elif found > position and shown:
            shown.append(" " * _indent_of(lines[found]) + "...")
        shown.append(lines[found])
        position, everything = found + 1, False
    shown = textwrap.dedent("\n".join(shown)).splitlines()
    return "".join(f"{part.rstrip()}\n" for line in shown for part in wrap(shorten(line)))


def write_page(page, build):
    """The text of a page, with its excerpts as they are now."""
    environment = {**os.environ, "PATH": ":".join([
        str(build / "bin"), str(pathlib.Path(sys.executable).parent), os.environ["PATH"]])}
    text = page.read_text()
    with tempfile.TemporaryDirectory() as folder:
        environment["RELAY_CACHE_DIR"] = f"{folder}/cache"
        pathlib.Path(folder, "build").symlink_to(build)
        for name in ("include", "test"):
            pathlib.Path(folder, name).symlink_to(ROOT / name)
        printed = ""

        def run(step):
            nonlocal printed
            commands = step["commands"]
            if commands:
                # What is preloaded to watch programs is not for cmake and what it runs.
                ignored = "LD_PRELOAD" if commands.startswith("cmake ") else ""
                printed = subprocess.run(
                    ["bash", "-e", "-o", "pipefail", "-c", commands], cwd=folder,
                    env={key: value for key, value in environment.items() if key != ignored},
                    check=True, stdout=subprocess.PIPE, text=True).stdout
                return step[0]
            source = step["source"]
            content = printed if source == "stdout" else pathlib.Path(folder, source).read_text()
            try:
                excerpt = write_excerpt(content, map(str.strip, step["parts"].split("|")))
            except ValueError as error:
                raise ValueError(f"{page.name}: {error} in {source}") from None
            return step[0][:step.start("shown") - step.start()] + excerpt + "```"

        return STEP.sub(run, text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=option_types.build_folder,
                        default=str(ROOT / os.environ.get("RELAY_BUILD_DIR", "build")))
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    for page in PAGES:
        text = write_page(page, args.build)
        if not args.check:
            page.write_text(text)
        elif page.read_text() != text:
            sys.exit(f"{page.relative_to(ROOT)} is stale; run utils/docs/excerpts.py")


if __name__ == "__main__":
    main()
