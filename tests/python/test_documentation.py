# SPDX-License-Identifier: Apache-2.0
"""What users read: signatures, docstrings, and the README's examples."""

import inspect
import re
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import gaspipe as gp
from conftest import REPOSITORY
from gaspipe import _description

SECTIONS = ("Parameters", "Returns", "Raises", "References")
DESCRIBED = _description.built_in()
every_algorithm = pytest.mark.parametrize("name", gp.algorithms + gp.cpu_algorithms)


def documented(name):
    """{parameter: (type, text)} of an algorithm's docstring."""
    doc = inspect.getdoc(getattr(gp, name))
    block = doc.split("Parameters\n----------\n")[1].split("\n\nReturns\n")[0]
    found = re.findall(r"^(\w+) : (.+)\n((?:    .*\n?)+)", block, re.MULTILINE)
    return {parameter: (kind, " ".join(text.split())) for parameter, kind, text in found}


@every_algorithm
def test_graph_comes_first_and_options_by_keyword(name):
    parameters = list(inspect.signature(getattr(gp, name)).parameters.values())
    assert parameters[0].name == "graph"
    assert parameters[0].default is inspect.Parameter.empty
    leading = [p for p in parameters if p.kind is not inspect.Parameter.KEYWORD_ONLY]
    assert len(leading) <= 2
    options = {"device", "method", "num_threads", "partitioning", "progress", "fallback"}
    of_cpu = {"num_threads", "device"} if DESCRIBED[name].has_blocks else {"num_threads"}
    offered = options if name in gp.algorithms else of_cpu
    assert options & {p.name for p in parameters} == offered


@every_algorithm
def test_docstring_has_the_sections_in_order(name):
    doc = inspect.getdoc(getattr(gp, name))
    places = [doc.find(f"\n{section}\n{'-' * len(section)}\n") for section in SECTIONS]
    assert -1 not in places
    assert places == sorted(places)
    summary = doc.splitlines()[0]
    assert summary.endswith(". [1]_") or summary.endswith(" [1]_.")
    assert doc.splitlines()[1] == ""
    assert ".. [1] " in doc
    assert "doi:" in doc or "http" in doc or re.search(r"\b(19|20)\d\d\b", doc.split(".. [1] ")[1])
    assert max(len(line) for line in doc.splitlines()) <= 120


@every_algorithm
def test_every_parameter_is_documented_and_no_other(name):
    assert list(documented(name)) == list(inspect.signature(getattr(gp, name)).parameters)


@every_algorithm
def test_documented_defaults_and_ranges_are_the_headers(name):
    signature = inspect.signature(getattr(gp, name))
    texts = documented(name)
    for parameter in DESCRIBED[name].parameters:
        kind, text = texts[parameter.name]
        assert parameter.doc in text
        default = signature.parameters[parameter.name].default
        assert default == (inspect.Parameter.empty if parameter.kind == "vector" else parameter.default)
        if parameter.default is not None:
            assert f"default {parameter.default!r}" in kind
        assert kind.endswith("optional") == (parameter.kind in ("array", "vertices", "pairs"))
    numbers = DESCRIBED[name].numbers
    assert ("number" in texts) == (len(numbers) > 1)
    for number in numbers if len(numbers) > 1 else ():
        assert f'"{number}"' in texts["number"][0]


@every_algorithm
def test_returned_field_is_documented(name):
    doc = inspect.getdoc(getattr(gp, name))
    returned = doc.split("Returns\n-------\n")[1].split("\n\nRaises\n")[0]
    assert returned.startswith(f"{name.title().replace('_', '')}Result\n")
    size = "graph.shape[0]," if DESCRIBED[name].rectangular else "num_vertices,"
    if DESCRIBED[name].fields and DESCRIBED[name].fields[0].row != "vertex":
        size = "num_"
    assert f"`{DESCRIBED[name].field}` (also `values`): ({size}" in returned


def test_everything_public_is_listed_exists_and_says_what_it_is():
    assert len(set(gp.__all__)) == len(gp.__all__)
    assert set(gp.algorithms + gp.cpu_algorithms) <= set(gp.__all__)
    for name in gp.__all__:
        value = getattr(gp, name)
        if inspect.isclass(value) or inspect.isfunction(value) or inspect.ismodule(value):
            assert inspect.getdoc(value), name
    for owner in (gp.Graph, gp.Domains, gp.Domain, gp.Result, gp.Stats, gp.Partitioning, gp.Partition, gp.SubPartition):
        for name, member in inspect.getmembers(owner):
            if not name.startswith("_") and (callable(member) or inspect.isdatadescriptor(member)):
                assert inspect.getdoc(member), f"{owner.__name__}.{name}"


def test_algorithms_can_be_looked_at_and_pickled():
    import pickle

    for name in gp.algorithms + gp.cpu_algorithms:
        function = getattr(gp, name)
        assert function.__name__ == name
        assert pickle.loads(pickle.dumps(function)) is function


def readme_blocks():
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def run_blocks(blocks):
    dense = np.zeros((6, 6), np.int32)
    dense[[0, 0, 1, 2, 4], [1, 2, 3, 3, 5]] = [4, 1, 2, 7, 3]
    namespace = {"csr": sp.csr_array(dense), "__name__": "readme"}
    for number, block in enumerate(blocks):
        exec(compile(block, f"README.md, python block {number}", "exec"), namespace)
    return namespace


@pytest.fixture
def unregistered(compiled_snippets):
    """Take back what examples register."""
    before = gp.algorithms
    yield
    for name in set(gp.algorithms) - set(before):
        gp.unregister(name)


@pytest.mark.usefixtures("unregistered")
def test_python_examples_of_the_readme_run(tmp_path, monkeypatch):
    blocks = [block for block in readme_blocks() if "fpga" not in block]
    assert blocks, "README.md has no ```python block"
    monkeypatch.chdir(tmp_path)
    namespace = run_blocks(blocks)
    # Of the matrix above, from 0: over 0 -> 1 (4) and 0 -> 2 (1), 1 -> 3 (2).
    assert gp.widest_path(namespace["csr"], root=0).width.tolist() == [2**32 - 1, 4, 1, 2, 0, 0]
    assert namespace["widest"](namespace["csr"], root=0, at_least=3).width.tolist() == [2**32 - 1, 4, 0, 0, 0, 0]


@pytest.mark.usefixtures("unregistered")
def test_python_examples_of_the_readme_run_on_a_card(tmp_path, monkeypatch, emulated_card):
    xclbin = emulated_card.add("bfs", units=2)
    monkeypatch.setenv("GASPIPE_XCLBIN", str(xclbin))
    monkeypatch.chdir(tmp_path)
    blocks = readme_blocks()
    assert sum("fpga" in block for block in blocks) == 2
    assert run_blocks(blocks)["r"].stats.device == "fpga"


def test_include_directory_has_the_contract_and_the_engine():
    folder = Path(gp.get_include())
    for header in ("hls/types.h", "hls/algorithm/bfs.h", "gaspipe/graph.h", "gaspipe/engine/instance.h"):
        assert (folder / header).is_file(), header
