# SPDX-License-Identifier: Apache-2.0
"""benchmarks/local_store.py: a small sweep of all of it, and that the sweep of Cell's search is published."""

import json
import re
import subprocess
import sys

import pytest

from command import environment
from conftest import REPOSITORY

DEGREES, WORKERS = (10, 50, 100, 200), range(1, 9)


def cells_of(text):
    """Rows of the table of a sweep, by degree and workers; columns by their heads."""
    lines = [line.strip("| \n").split("|") for line in text.splitlines() if line.startswith("|")]
    lines = [[cell.strip() for cell in line] for line in lines]
    heads = next(i for i, line in enumerate(lines) if line[:2] == ["degree", "workers"])
    rows = [dict(zip(lines[heads], line)) for line in lines[heads + 2 :] if line[0].isdigit()]
    return {(int(row["degree"]), int(row["workers"])): row for row in rows}


# CEL-20, CEL-21, CEL-22
def test_a_sweep_has_a_cell_for_every_degree_and_number_of_workers(tmp_path):
    command = [sys.executable, REPOSITORY / "benchmarks" / "local_store.py", "--scale", 9, "--rounds", 1]
    command += ["--degrees", 4, 12, "--workers", 1, 3, "--png", tmp_path / "a.png", "--json", tmp_path / "a.json"]
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, env=environment())
    assert done.returncode == 0, done.stderr
    cells = cells_of(done.stdout)
    assert set(cells) == {(degree, workers) for degree in (4, 12) for workers in (1, 3)}
    for row in cells.values():
        assert float(row["M edges/s"].replace(",", "")) >= 0
        assert float(row["gain of hiding"]) > 0 and 0 <= float(row["step 5 [%]"]) <= 100
    assert [cell["degree"] for cell in json.loads((tmp_path / "a.json").read_text())["cells"]] == ["4", "4", "12", "12"]
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


# CEL-20
def test_the_sweep_is_published_with_its_plot():
    results = REPOSITORY / "benchmarks" / "results"
    text = (results / "local_store.md").read_text(encoding="utf-8")
    cells = cells_of(text)
    assert set(cells) == {(degree, workers) for degree in DEGREES for workers in WORKERS}
    for row in cells.values():
        assert float(row["M edges/s"].replace(",", "")) > 0 and float(row["gain of hiding"]) > 0
    assert re.search(r"\]\(local_store\.png\)", text)
    assert (results / "local_store.png").read_bytes().startswith(b"\x89PNG")
    # A core for every worker, here two: the bar.
    assert float(cells[100, 2]["gp.bfs / local_store"]) >= 0.5


@pytest.mark.parametrize("name", ["stream", "local_store", "convert", "mpi_ranks"])
def test_the_table_of_benchmarks_leads_to_its_results(name):
    text = (REPOSITORY / "benchmarks" / "README.md").read_text(encoding="utf-8")
    row = next(line for line in text.splitlines() if line.startswith(f"| `{name}.py`"))
    assert f"(results/{name}.md)" in row
    assert (REPOSITORY / "benchmarks" / "results" / f"{name}.md").is_file()
