# SPDX-License-Identifier: Apache-2.0
"""The registry of file formats (_formats): one file makes a format, everywhere."""

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import gaspipe as gp
from command import environment
from gaspipe import _formats

FOLDER = Path(__file__).parent / "more_formats"
SHIPPED = list(_formats.known().values())
every_format = pytest.mark.parametrize("format", SHIPPED, ids=lambda format: format.name)


@pytest.fixture
def arrows(monkeypatch):
    """Put one more file into the folder of formats, for the length of a test."""
    monkeypatch.setattr(_formats, "__path__", [*_formats.__path__, str(FOLDER)])
    _formats.known.cache_clear()
    yield
    _formats.known.cache_clear()
    sys.modules.pop("gaspipe._formats.arrows", None)


def message(call, *arguments, **options):
    with pytest.raises(gp.InputError) as caught:
        call(*arguments, **options)
    return str(caught.value)


@pytest.mark.usefixtures("arrows")
@pytest.mark.parametrize("name", ["g.arrows", "g.ARR", "g.arrows.gz"])
def test_a_format_of_one_file_is_written_and_read_by_its_suffix(tmp_path, name):
    gp.Graph(([0, 2], [1, 0])).to_file(tmp_path / name)
    back = gp.Graph.from_file(tmp_path / name)
    assert back.to_table().to_numpy().tolist() == [[0, 1], [2, 0]]


@pytest.mark.usefixtures("arrows")
def test_it_is_told_by_its_content_and_takes_its_options(tmp_path):
    path = tmp_path / "graph"
    path.write_text("arrows\n0->1\n2->0\n")
    assert _formats.recognise(path).name == "arrows"
    assert gp.Graph.from_file(path).num_edges == 2
    assert gp.Graph.from_file(path, directed=False).num_edges == 4
    gp.Graph(([0], [1])).to_file(path, format="arrows")
    assert path.read_text() == "arrows\n0->1\n"


@pytest.mark.usefixtures("arrows")
def test_messages_name_it(tmp_path):
    small, read = gp.Graph(([0], [1])), gp.Graph.from_file
    assert "'gaspipe', 'arrows'" in message(read, "g", format="none")
    assert "'gaspipe', 'arrows'" in message(small.to_file, "g", format="none")
    assert "'arrows' .arr .arrows" in message(small.to_file, tmp_path / "g")
    assert "relabel= is for format 'edge_list' and 'csv' and 'parquet'; this file is read as 'arrows'" in message(
        read, tmp_path / "g.arr", relabel=True
    )
    assert "'parquet' and 'graphml' and 'arrows'; this file is read as" in message(
        read, tmp_path / "g.mtx", directed=True
    )
    assert "header= is for format 'edge_list'; this file is written as 'arrows'" in message(
        small.to_file, tmp_path / "g.arr", header=True
    )
    wide = gp.Graph(small.to_scipy()[:1], rectangular=True)
    assert "cannot be written as 'arrows'" in message(wide.to_file, tmp_path / "g.arr")
    assert not list(tmp_path.iterdir())


def test_the_command_line_has_it(tmp_path):
    program = (
        "import sys; from gaspipe import _formats; _formats.__path__.append(sys.argv.pop(1))\n"
        "from gaspipe.cli import main; main(prog_name='gaspipe')"
    )

    def run(*arguments):
        command = [sys.executable, "-c", program, str(FOLDER), *arguments]
        done = subprocess.run(command, env=environment(), cwd=tmp_path, capture_output=True, text=True, check=True)
        return " ".join(done.stdout.split())

    text = run("convert", "--help")
    assert "graphml, gaspipe, arrows; by default recognised" in text  # to read
    assert "npz|gaspipe|arrows]" in text  # to write
    assert ".npz, .arrows (one per line);" in text
    assert "and have to agree. Arrows: whether they have a direction." in text
    run("generate", "chain", "3", "--no-symmetric", "--out", "g.arrows")
    (tmp_path / "h").write_bytes((tmp_path / "g.arrows").read_bytes())
    assert "h: 3 vertices, 4 edges, no weights (arrows," in run("info", "h", "--not-directed")


def test_a_format_is_gone_with_its_file(tmp_path):
    assert "arrows" not in _formats.known()
    assert "'arrows'" not in message(gp.Graph(([0], [1])).to_file, tmp_path / "g.arrows")


@every_format
def test_the_name_is_the_files_and_the_record_is_whole(format):
    folder = Path(_formats.__file__).parent
    assert (folder / f"{format.name}.py").exists() or (folder / format.name / "__init__.py").exists()
    assert format.suffixes == tuple(suffix.lower().lstrip(".") for suffix in format.suffixes)
    taken = inspect.signature(gp.Graph.from_file).parameters
    assert {option.name for option in format.options} <= set(taken) & set(_formats.ReadOptions._fields)
    assert set(format.write_options) <= set(inspect.signature(gp.Graph.to_file).parameters)
    assert bool(format.help) == (format.write is not None)
    assert (format.parts is None) == (format.leads_to is None)


def test_one_format_takes_the_rest_and_suffixes_are_of_one_format():
    assert [format.name for format in SHIPPED if format.takes_rest] == ["edge_list"]
    suffixes = [suffix for format in SHIPPED for suffix in format.suffixes]
    assert len(set(suffixes)) == len(suffixes)


@pytest.mark.parametrize(("method", "formats"), [("from_file", _formats.known), ("to_file", _formats.writable)])
def test_docstrings_list_the_formats_and_their_suffixes(method, formats):
    doc = inspect.getdoc(getattr(gp.Graph, method))
    if method == "to_file":
        listed = re.search(r"^format : \{(.*)\}, optional$", doc, re.MULTILINE)[1]
        assert re.findall(r'"(\w+)"', listed) == list(formats())
    items = dict(re.findall(r"^    - (\w+)(.*(?:\n      .*)*)", doc, re.MULTILINE))
    assert list(items) == list(formats())
    for format in formats().values():
        if method == "to_file" or not format.takes_rest:
            missing = [suffix for suffix in format.suffixes if f"`.{suffix}`" not in items[format.name]]
            assert not missing, f"Graph.{method}'s docstring does not say {missing} of {format.name}"


def test_no_other_file_compares_names_of_formats():
    names = set(_formats.known()) - {"gaspipe"}  # the package's own name, which reports have as a key
    package = Path(gp.__file__).parent
    found = [
        f"{file}:{node.lineno}"
        for file in package.rglob("*.py")
        if "_formats" not in file.parts
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, (ast.Compare, ast.Dict, ast.Set))
        and any(isinstance(part, ast.Constant) and part.value in names for part in ast.walk(node))
    ]
    assert not found
