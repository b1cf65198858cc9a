# SPDX-License-Identifier: Apache-2.0
"""Runs notebooks and stores their outputs, so that they can be read where nothing runs.

    python notebooks/execute.py                          # all of them
    python notebooks/execute.py 01_first_steps.ipynb     # some
    python notebooks/execute.py --check                  # store nothing; compare with what is stored

What differs in every run (paths, execution times of cells) is not stored. A comparison is loose: figures have to be
there, and text has to be the same but for what depends on the machine (times, rates, threads). Of a cell with the tag
`varies`, whose text depends on compilers or cards, only the kinds of outputs are compared. Red text (stderr) is an
error, unless the cell has the tag `stderr`.
"""

from __future__ import annotations

import argparse
import base64
import io
import re
import sys
from pathlib import Path

import nbclient
import nbformat
from PIL import Image

FOLDER = Path(__file__).resolve().parent
_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
_FOLDERS = re.compile(r"(?<![\w<.])/(?:[\w.+-]+/)+")
_NUMBER = r"\d+(?:,\d+)*(?:\.\d*)?(?:e[-+]?\d+)?"
# What depends on the machine, and what stands for it in a comparison.
_VARYING = [
    (re.compile(rf"((?:seconds|mteps|supersteps)=){_NUMBER}"), r"\1#"),
    (re.compile(rf"\b{_NUMBER} (?:s|ms|us|ns)\b"), "# s"),
    (re.compile(rf"\b{_NUMBER} MTEPS\b"), "# MTEPS"),
    (re.compile(rf"\b{_NUMBER} threads?\b"), "# threads"),
    # SSSP goes on until its threads have met, so even the number of its super-steps varies.
    (re.compile(rf"\b{_NUMBER} super-steps?\b"), "# super-steps"),
    (re.compile(r"\b\d+\.\d*e[-+]\d+"), "#"),
]
_SUPERSTEP = re.compile(r"'(?:gas|push|pull|components)'")  # a record of stats.supersteps, which has times
_DECIMAL = re.compile(r"\b\d+\.\d*(?:e[-+]\d+)?")


def execute(path: Path, timeout: int = 600) -> nbformat.NotebookNode:
    """The notebook as it is after a run from top to bottom in a fresh process; normalised."""
    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(path.parent)}}
    nbclient.NotebookClient(notebook, timeout=timeout, kernel_name="python3", resources=resources).execute()
    notebook.metadata = nbformat.from_dict(_METADATA)
    for cell in code_cells(notebook):
        cell.metadata.pop("execution", None)
        cell.outputs = _merged([output for output in cell.outputs if not _is_cleared(output)])
        for output in cell.outputs:
            _normalise(output)
    return notebook


def code_cells(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def _is_cleared(output: nbformat.NotebookNode) -> bool:
    """Whether a display was emptied again: of a line that is shown while hooks are compiled, which may have been."""
    return output.output_type == "display_data" and not any(output.data.values())


def _merged(outputs: list[nbformat.NotebookNode]) -> list[nbformat.NotebookNode]:
    """What a cell prints comes in pieces that depend on the time; here in one piece for each stream."""
    merged: list[nbformat.NotebookNode] = []
    for output in outputs:
        before = merged[-1] if merged else None
        if before is not None and output.output_type == before.output_type == "stream" and output.name == before.name:
            before.text += output.text
        else:
            merged.append(output)
    return merged


def _normalise(output: nbformat.NotebookNode) -> None:
    if "text" in output:
        output.text = _FOLDERS.sub("", output.text)
    data = output.get("data", {})
    for kind in data:
        if kind == "image/png":
            data[kind] = _smaller(data[kind])
        elif kind.startswith("text/"):
            data[kind] = _FOLDERS.sub("", data[kind])


def _smaller(png: str) -> str:
    """A picture with 256 colors, which is a third of its size, and without the name of the program that made it."""
    picture = Image.open(io.BytesIO(base64.b64decode(png))).convert("RGB").quantize(256)
    stored = io.BytesIO()
    picture.save(stored, "png", optimize=True)
    return base64.b64encode(stored.getvalue()).decode()


def differences(stored: nbformat.NotebookNode, fresh: nbformat.NotebookNode) -> list[str]:
    """What a reader of the stored notebook would miss or see wrong, a line or more for each cell."""
    found = []
    for old, new in zip(code_cells(stored), code_cells(fresh)):
        tags = old.metadata.get("tags", [])
        before, after = ([_shape(output) for output in cell.outputs] for cell in (old, new))
        if before != after:
            found.append(f"{old.id}: stored are outputs {before}, fresh are {after}")
        elif "varies" not in tags:
            pairs = zip(map(masked, _texts(old)), map(masked, _texts(new)))
            found += [f"{old.id}: stored is\n{a}\nfresh is\n{b}" for a, b in pairs if a != b]
        if "stderr" not in tags and any(output.get("name") == "stderr" for output in new.outputs):
            found.append(f"{old.id}: prints in red\n{''.join(output.get('text', '') for output in new.outputs)}")
    return found


def _shape(output: nbformat.NotebookNode) -> tuple[str, ...]:
    return output.output_type, *([output.name] if "name" in output else sorted(output.get("data", {})))


def _texts(cell: nbformat.NotebookNode) -> list[str]:
    texts = [output.text for output in cell.outputs if "text" in output]
    data = [output.data for output in cell.outputs if "data" in output]
    return texts + [shown[kind] for shown in data for kind in sorted(shown) if kind.startswith("text/")]


def masked(text: str) -> str:
    """`text` without the numbers that depend on the machine."""
    lines = [_DECIMAL.sub("#", line) if _SUPERSTEP.search(line) else line for line in text.splitlines()]
    text = "\n".join(lines)
    for pattern, stand_in in _VARYING:
        text = pattern.sub(stand_in, text)
    return re.sub(r" +", " ", text)  # columns are as wide as their numbers


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("notebooks", nargs="*", help="by default all")
    parser.add_argument("--check", action="store_true", help="store nothing; say what differs from what is stored")
    arguments = parser.parse_args()
    names = [Path(name).name for name in arguments.notebooks] or sorted(path.name for path in FOLDER.glob("*.ipynb"))
    failed = False
    for name in names:
        path = FOLDER / name
        print(name, end=" ", flush=True)
        fresh = execute(path)
        found = differences(nbformat.read(path, as_version=4) if arguments.check else fresh, fresh)
        failed |= bool(found)
        if not arguments.check:
            nbformat.write(fresh, path)
        print(f"{'checked' if arguments.check else 'stored'}, {path.stat().st_size / 1e3:.0f} kB", *found, sep="\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
