# SPDX-License-Identifier: Apache-2.0
"""Every notebook runs from top to bottom, and shows the outputs that are stored in it."""

import copy
import getpass
import re
import socket
import sys
from pathlib import Path

import nbformat
import pytest

from pages import PAGES

REPOSITORY = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((REPOSITORY / "notebooks").glob("*.ipynb"))
sys.path.insert(0, str(REPOSITORY / "notebooks"))

import execute  # noqa: E402

every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)


def stored(path):
    return nbformat.read(path, as_version=4)


def test_there_are_notebooks():
    assert NOTEBOOKS


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_snippets")
@every_notebook
def test_notebook_shows_the_stored_outputs(path):
    found = execute.differences(stored(path), execute.execute(path))
    refresh = f"python notebooks/execute.py {path.name}"
    assert not found, "\n".join([f"outputs differ from the stored ones; to store new ones: {refresh}", *found])


@every_notebook
def test_stored_notebook_can_be_read_where_nothing_runs(path):
    notebook = stored(path)
    nbformat.validate(notebook)
    cells = execute.code_cells(notebook)
    counts = [cell.execution_count for cell in cells]
    assert counts == list(range(1, len(cells) + 1)), f"not run as a whole; python notebooks/execute.py {path.name}"
    outputs = [(cell, output) for cell in cells for output in cell.outputs]
    assert any("image/png" in output.get("data", {}) for _, output in outputs)
    assert any("text/plain" in output.get("data", {}) for _, output in outputs)
    for cell, output in outputs:
        assert output.output_type != "error"
        assert output.get("name") != "stderr" or "stderr" in cell.metadata.get("tags", []), output.text
    assert all("execution" not in cell.metadata for cell in cells)
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    assert notebook.metadata.language_info == {"name": "python"}


@every_notebook
def test_stored_notebook_is_small_and_says_nothing_of_the_machine(path):
    assert path.stat().st_size < 300_000
    for cell in execute.code_cells(stored(path)):
        for text in execute._texts(cell):
            assert not re.search(r"(?<![\w<.])/(home|root|tmp|usr|var|work|mnt|Users)\b", text)
            assert not re.search(rf"\b{re.escape(socket.gethostname())}\b", text)
            user = getpass.getuser()
            assert user == "root" or not re.search(rf"\b{re.escape(user)}\b", text)


@pytest.mark.parametrize("path", [*NOTEBOOKS, *PAGES, *(REPOSITORY / "benchmarks").glob("*.md")], ids=lambda p: p.name)
def test_degrees_are_called(path):
    """`graph.out_degrees` without `()` is a method; `np.argmax` of it is 0, whatever the graph."""
    assert not re.findall(r"\.(?:out|in)_degrees\b(?!\s*\()", path.read_text(encoding="utf-8"))


# The comparison itself.


def notebook_with(*outputs, tags=()):
    cell = nbformat.v4.new_code_cell("...", id="cell", metadata={"tags": list(tags)} if tags else {})
    cell.outputs = [nbformat.from_dict(copy.deepcopy(output)) for output in outputs]
    return nbformat.v4.new_notebook(cells=[cell])


def printed(text, name="stdout"):
    return {"output_type": "stream", "name": name, "text": text}


def shown(**data):
    kinds = {"text": "text/plain", "html": "text/html", "png": "image/png"}
    return {
        "output_type": "execute_result", "data": {kinds[k]: v for k, v in data.items()}, "metadata": {},
        "execution_count": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (printed("6 super-steps in 216 us (599.1 MTEPS)"), printed("7 super-steps in 1.2 ms (9 MTEPS)")),
        (shown(text="Stats(supersteps=290, seconds=3e-05)"), shown(text="Stats(supersteps=3, seconds=1)")),
        (printed("cpu, 1 thread: read in 0.00 s"), printed("cpu, 64 threads: read in 1.25 s")),
        (shown(text="array([('pull', 1, 2.5e-05, 0.)])"), shown(text="array([('pull', 1, 0.00125, 1.2e-06)])")),
        (shown(text="predicted_mteps=226.4 on u250"), shown(text="predicted_mteps=1e+03 on u250")),
        (printed("apply       3.5 ms in 20 runs"), printed("apply     103.5 ms in 20 runs")),
        (shown(png="aaaa"), shown(png="bbbb")),
    ],
)  # fmt: skip
def test_what_depends_on_the_machine_is_no_difference(before, after):
    assert execute.differences(notebook_with(before), notebook_with(after)) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (printed("the answer is 42"), printed("the answer is 43")),
        (shown(text="[0, 3, 1]"), shown(text="[0, 3, 2]")),
        (shown(text="x", html="<td>3</td>"), shown(text="x", html="<td>4</td>")),
        (shown(text="x", png="aaaa"), shown(text="x")),
        (printed("x"), shown(text="x")),
        (printed("1.5 cycles per edge"), printed("1.6 cycles per edge")),
        (shown(text="array([('pull', 1, 0.5)])"), shown(text="array([('pull', 2, 0.5)])")),
    ],
)
def test_other_texts_and_missing_figures_are_differences(before, after):
    for old, new in ((before, after), (after, before)):
        (told,) = execute.differences(notebook_with(old), notebook_with(new))
        assert told.startswith("cell: stored ")
    assert execute.differences(notebook_with(before), notebook_with())
    assert execute.differences(notebook_with(), notebook_with(after))


def test_tags_make_exceptions():
    one, other = printed("gcc says no"), printed("clang says no")
    assert execute.differences(notebook_with(one, tags=["varies"]), notebook_with(other, tags=["varies"])) == []
    assert execute.differences(notebook_with(one, tags=["varies"]), notebook_with(shown(text="x"), tags=["varies"]))
    red = printed("a warning", "stderr")
    (told,) = execute.differences(notebook_with(red), notebook_with(red))
    assert "prints in red" in told
    assert execute.differences(notebook_with(red, tags=["stderr"]), notebook_with(red, tags=["stderr"])) == []


def test_what_is_stored_has_no_paths_pieces_or_times(tmp_path):
    source = """
import sys
import time
for word in ("one", "two"):
    print(word)
    sys.stdout.flush()
    time.sleep(0.3)
{!r}""".format(str(tmp_path / "deep" / "data.npz"))
    path = tmp_path / "small.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source, id="cell")]), path)
    once, again = execute.execute(path), execute.execute(path)
    (cell,) = once.cells
    assert [output.get("text") for output in cell.outputs] == ["one\ntwo\n", None]
    assert cell.outputs[1].data == {"text/plain": "'data.npz'"}
    assert nbformat.writes(once) == nbformat.writes(again)
