# SPDX-License-Identifier: Apache-2.0
"""What users read: signatures, docstrings, and the pages of the documentation, whose blocks run as printed."""

import inspect
import os
import re
import runpy
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

import gaspipe as gp
import pages
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
    runs_elsewhere = DESCRIBED[name].has_blocks or DESCRIBED[name].kernels
    of_cpu = {"num_threads", "device", "fallback"} if runs_elsewhere else {"num_threads"}
    offered = options if name in gp.algorithms else of_cpu | {"progress"}
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


@pytest.fixture
def unregistered(compiled_snippets):
    """Take back what examples register."""
    before = gp.algorithms
    yield
    for name in set(gp.algorithms) - set(before):
        gp.unregister(name)


every_page = pytest.mark.parametrize("path", pages.PAGES, ids=lambda path: path.stem)


@pytest.mark.usefixtures("unregistered")
@every_page
def test_page_runs_as_printed(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace = pages.run(path)
    if path.stem == "custom_algorithms":
        # Of the matrix above, from 0: over 0 -> 1 (4) and 0 -> 2 (1), 1 -> 3 (2).
        assert gp.widest_path(namespace["csr"], root=0).width.tolist() == [2**32 - 1, 4, 1, 2, 0, 0]
        assert namespace["widest"](namespace["csr"], root=0, at_least=3).width.tolist() == [2**32 - 1, 4, 0, 0, 0, 0]


@pytest.mark.usefixtures("unregistered")
def test_page_of_cards_runs_on_a_card(tmp_path, monkeypatch, emulated_card):
    monkeypatch.setenv("GASPIPE_XCLBIN", str(emulated_card.add("bfs", units=2)))
    monkeypatch.chdir(tmp_path)
    path = REPOSITORY / "docs" / "fpga.md"
    assert sum(block.needs_card for block in pages.blocks(path)) == 2
    assert pages.run(path, cards=True)["r"].stats.device == "fpga"


@pytest.mark.usefixtures("unregistered")
def test_page_of_pes_runs_on_a_card(tmp_path, monkeypatch, emulated_card):
    sizes = {"units": 2, "capacity": 4096}
    made = [("bfs", "pull_bfs"), ("sssp", "delta_stepping")]
    files = [str(emulated_card.add(algorithm, config=config, **sizes)) for algorithm, config in made]
    monkeypatch.setenv("GASPIPE_XCLBIN", os.pathsep.join(files))
    monkeypatch.chdir(tmp_path)
    found = pages.run(REPOSITORY / "docs" / "local_store.md", cards=True)
    assert (found["r"].stats.device, found["p"].stats.device) == ("fpga", "fpga")


@pytest.mark.usefixtures("unregistered")
def test_page_of_blocks_runs_on_a_card(tmp_path, monkeypatch, emulated_card):
    monkeypatch.setenv("GASPIPE_XCLBIN", str(emulated_card.add("bfs", config="graphops_bfs")))
    monkeypatch.chdir(tmp_path)
    found = pages.run(REPOSITORY / "docs" / "accelerators_of_blocks.md", cards=True)
    assert found["r"].stats.device == "fpga" and sum(port["beats"] for port in found["r"].stats.blocks.ports) > 0


@every_page
def test_links_of_a_page_lead_to_files(path):
    text = re.sub(r"^(`{3,}).*?^\1", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for link in re.findall(r"\]\(([^)#\s]+)", text):
        assert link.startswith("https://") or (path.parent / link).is_file(), link


@every_page
def test_blocks_that_do_not_run_say_why(path):
    for block in pages.blocks(path):
        assert block.mark in ("", "card") or len(block.skipped) > 10, f"{path}:{block.line}"


def test_tutorial_has_ten_tasks_that_run():
    path = REPOSITORY / "docs" / "tutorial.md"
    tasks = path.read_text(encoding="utf-8").split("\n## ")[1:]
    assert [int(task.split(".")[0]) for task in tasks] == list(range(1, 11))
    assert all(re.search(r"^```(pycon|console)$", task, re.MULTILINE) for task in tasks)
    assert not any(block.mark for block in pages.blocks(path))


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("a\n...\nd", "a\nb\nc\nd"),
        ("a ... d", "a b c d"),
        ("in 33.2 us (33.5 MTEPS), 1 thread", "in 4.1 ms (7 MTEPS), 2 threads"),
        ("162 edges\n...", "162 edges"),
    ],
)
def test_what_may_differ_from_a_session_agrees(shown, printed):
    assert pages.agree(shown, printed)


@pytest.mark.parametrize(
    ("shown", "printed"), [("a\nd", "a\nb\nd"), ("162 edges", "163 edges"), ("a\n...\nd", "a\nb"), ("a", "a\nb")]
)
def test_what_a_session_must_print_does_not_agree(shown, printed):
    assert not pages.agree(shown, printed)


def test_commands_of_a_session_have_their_lines():
    assert pages.commands("$ a\none\ntwo\n$ b \\\n  c\n$ d\n") == [("a", "one\ntwo"), ("b \\\n  c", ""), ("d", "")]


def test_readme_fits_two_screens_and_keeps_its_commands():
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert text.count("\n") <= 100
    assert "```\npython3 -m venv .venv && .venv/bin/pip install . && .venv/bin/gaspipe demo\n```" in text
    assert "```\ntests/run\n```" in text


def test_every_public_name_has_a_page():
    text = (REPOSITORY / "docs" / "api.rst").read_text(encoding="utf-8")
    names = set(re.findall(r"^   ([A-Za-z_]\w*(?:\.\w+)*)$", text, re.MULTILINE))
    modules = [name for name in gp.__all__ if inspect.ismodule(getattr(gp, name))]
    public = {name for name in gp.__all__ if callable(getattr(gp, name))}
    public |= {f"{module}.{name}" for module in modules for name in getattr(gp, module).__all__}
    assert names == public


@pytest.mark.needs("g++")
def test_cpp_of_the_pages_compiles(tmp_path):
    text = (REPOSITORY / "docs" / "cpp.md").read_text(encoding="utf-8")
    snippets = re.findall(r"^```cpp\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert len(snippets) == 2
    source = tmp_path / "page.cpp"
    source.write_text("\n".join(snippets))
    command = ["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I", gp.get_include(), source]
    subprocess.run(command, check=True)


def test_pipeline_is_drawn_with_the_names_of_the_tasks():
    drawing = runpy.run_path(str(REPOSITORY / "docs" / "draw_pipeline.py"))["pipeline"]()
    assert drawing == (REPOSITORY / "docs" / "pipeline.svg").read_text(encoding="utf-8"), "python docs/draw_pipeline.py"
    headers = [*(REPOSITORY / "hls" / "module").glob("*.h"), *(REPOSITORY / "hls" / "kernel").glob("*.h")]
    functions = {name for header in headers for name in re.findall(r"\b(\w+)\(", header.read_text(encoding="utf-8"))}
    shapes = ElementTree.fromstring(drawing).iter("{http://www.w3.org/2000/svg}rect")
    assert len(list(shapes)) > 30
    tasks = set(re.findall(r'rx="8".*?\n<text[^>]*>(\w+)<', drawing))
    assert len(tasks) > 15
    assert not {task for task in tasks if task not in functions and f"{task}Solver" not in functions}


@pytest.mark.needs("yaml")
def test_citation_has_what_its_format_requires():
    import yaml

    citation = yaml.safe_load((REPOSITORY / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["cff-version"] == "1.2.0"
    assert {"message", "title", "authors", "type", "license", "version"} <= citation.keys()
    assert str(citation["version"]) == gp.__version__
    assert all(author.get("name") or author.get("family-names") for author in citation["authors"])
    for reference in citation["references"]:
        assert {"type", "title", "authors", "year", "doi"} <= reference.keys()
        assert re.fullmatch(r"10\.\d{4,9}/\S+", reference["doi"])


def test_include_directory_has_the_contract_and_the_engine():
    folder = Path(gp.get_include())
    for header in ("hls/types.h", "hls/algorithm/bfs.h", "gaspipe/graph.h", "gaspipe/engine/instance.h"):
        assert (folder / header).is_file(), header
