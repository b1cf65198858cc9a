# SPDX-License-Identifier: Apache-2.0
"""Reports of profiles and of frontier programs: their figures are what was counted, beside SciPy's levels."""

import numpy as np
import pytest

import gaspipe as gp
from frontier_program import bfs, levels_of, random_matrix
from test_frontier_engine import engine_of
from test_report import parsed


@pytest.mark.parametrize("device", ["emulator", "cpu"])
def test_profiles_have_a_report(device, tmp_path):
    graph = gp.generate.rmat(9, 8, seed=3)
    with gp.Accelerator("bfs", device=device) as accelerator:
        accelerator.acceleratorDataLoad(graph)
        accelerator.acceleratorDataPreprocess(root=0)
        profile = accelerator.acceleratorProfile(verify=True)
        result = accelerator.result()
    report = profile.report(tmp_path / "profile.html", other=result)
    assert (tmp_path / "profile.html").read_text(encoding="utf-8") == report.html
    assert report.title.startswith("Profile of bfs on ")
    page = parsed(profile.report())
    facts = profile.report().html
    assert "every super-step, against the CPU" in facts
    levels = result.depth.max() + 2  # the root's, and one that finds no more
    assert len(page.table("Time of every super-step")) == levels - 1
    if device == "cpu":
        assert "Kernels that were started, measured" not in page.tables
        return
    units = {row[0][0]: row[1][1] for row in page.table("Kernels that were started")}
    assert units.pop("apply kernel") == levels - 1
    assert sum(units.values()) == len(profile.kernels) - (levels - 1)
    seconds = [profile.kernels["seconds"][profile.kernels["unit"] == unit].sum() for unit in profile.units]
    assert page.numbers("Kernels that were started", 3) == pytest.approx(seconds)


@pytest.mark.needs("g++")
@pytest.mark.parametrize("domains", [None, 2])
def test_frontier_programs_have_a_report(compiled_snippets, domains):
    matrix = random_matrix(300, 1500, 4)
    engine = engine_of(gp.Graph(matrix), domains=domains)
    assert len(engine.calls) == 0
    assert "Calls by functor, measured" not in parsed(engine.report()).tables
    bfs(engine, 5)
    levels = np.array(levels_of(matrix, 5))
    sizes = [int((levels == level).sum()) for level in range(int(levels.max()) + 1)]
    page = parsed(engine.report())
    rows = {(row[0][0], row[1][0]): [cell[1] for cell in row[2:5]] for row in page.table("Calls by functor")}
    walked = [values for (call, functor), values in rows.items() if functor == "Bfs" and call == "edge_filter"]
    assert walked[0][:2] == [len(sizes), sum(sizes)]
    found = engine.calls
    of_edges = found[found["call"] == "edge_filter"]
    assert of_edges["vertices"].tolist() == sizes
    assert found[found["call"] == "vertex_filter"]["reached"].tolist() == [*sizes[1:], 0]
    assert (found["seconds"] > 0).all()
    assert page.numbers("Calls, measured", 3) == found["vertices"].tolist()
    assert "Report(Frontier program shared: calls" in repr(engine.report())
    engine.read_graph(gp.Graph(matrix))
    assert len(engine.calls) == 0
