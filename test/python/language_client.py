# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Asks a language server what it says of a file, as an editor would.

    python test/python/language_client.py SERVER [OPTIONS...] FILE [--hover WORD]

Prints the server's diagnostics, and what it shows for the first place of WORD.
"""

import argparse
import dataclasses
import json
import pathlib
import subprocess
from typing import Any


@dataclasses.dataclass
class Answer:
    diagnostics: list[dict[str, Any]]
    hover: str | None


def find(text, word):
    """The first place of a word, as the protocol counts."""
    before = text[:text.index(word)]
    return {"line": before.count("\n"), "character": len(before) - before.rfind("\n") - 1}


def ask(command, uri, text, word=None):
    """What a server says of a document. Raises subprocess.CalledProcessError if the
    server fails."""
    language = uri.rpartition(".")[2]
    messages: list[dict[str, Any]] = [
        {"id": 0, "method": "initialize", "params": {
            "processId": None, "rootUri": None, "capabilities": {}}},
        {"method": "textDocument/didOpen", "params": {"textDocument": {
            "uri": uri, "languageId": language, "version": 1, "text": text}}},
        {"id": 2, "method": "shutdown"},
        {"method": "exit"},
    ]
    if word is not None:
        messages.insert(2, {"id": 1, "method": "textDocument/hover", "params": {
            "textDocument": {"uri": uri}, "position": find(text, word)}})
    bodies = [json.dumps({"jsonrpc": "2.0", **message}) for message in messages]
    result = subprocess.run(
        command, timeout=100, capture_output=True, text=True, check=True,
        input="".join(f"Content-Length: {len(body)}\r\n\r\n{body}" for body in bodies))
    replies = [json.loads(part.partition("\n\n")[2])
               for part in result.stdout.split("Content-Length: ")[1:]]
    assert any(reply.get("id") == 2 for reply in replies), "the server did not answer"
    shown = [reply["result"] for reply in replies if reply.get("id") == 1]
    return Answer(
        [diagnostic for reply in replies
         if reply.get("method") == "textDocument/publishDiagnostics"
         for diagnostic in reply["params"]["diagnostics"]],
        shown[0]["contents"]["value"] if shown and shown[0] else None)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("server")
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--hover", metavar="WORD")
    arguments, options = parser.parse_known_args()
    path = arguments.file
    answer = ask([arguments.server, *options], path.resolve().as_uri(), path.read_text(),
                 arguments.hover)
    for diagnostic in answer.diagnostics:
        print(f"{path.name}:{diagnostic['range']['start']['line'] + 1}: {diagnostic['message']}")
    if answer.hover:
        print(answer.hover)


if __name__ == "__main__":
    main()
