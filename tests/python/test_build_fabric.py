# SPDX-License-Identifier: Apache-2.0
"""`gaspipe build` by LUTs and BRAM: what a region lacks is refused, units go where there is room, and what is taken."""

import pytest

import gaspipe as gp
from command import gaspipe
from gaspipe import _core
from gaspipe._card import boards as _boards
from gaspipe._card import build as _build
from gaspipe._card.boards import Slr
from test_fabric import ALL_BRAM, ALL_LUTS, APPLY_BRAM, APPLY_LUTS, UNIT_BRAM, UNIT_LUTS

_read = _boards.read


def planned(monkeypatch, **region):
    slrs = (Slr(**{"uram": 4096, "bram": 9999, "luts": 9_999_999, **region}),)
    monkeypatch.setattr(_boards, "read", lambda name: _read(name)._replace(slrs=slrs))
    return _build.plan(gp.get_include(), "bfs", "u250", units=4)


@pytest.mark.parametrize(
    # Of blocks 90 % may be used: 223 leave 200.
    ("what", "enough"),
    [("luts", ALL_LUTS), ("bram", 223)],
)
def test_a_build_refuses_what_a_region_lacks(what, enough, monkeypatch):
    plan = planned(monkeypatch, **{what: enough})
    assert [tuple(kernel) for kernel in plan.fabric] == [(UNIT_LUTS, UNIT_BRAM)] * 4 + [(APPLY_LUTS, APPLY_BRAM)]
    assert plan.slrs == [0] * 5
    said = (
        rf"4 compute units of {UNIT_BRAM} blocks of BRAM and about {UNIT_LUTS} LUTs, and an apply kernel of "
        rf"{APPLY_BRAM} blocks of BRAM and about {APPLY_LUTS} LUTs, each in one region, do not fit u250, whose regions "
        "have .*; LUTs are an estimate by yosys, which finds more than Vivado. Use fewer compute units"
    )
    with pytest.raises(gp.CapacityError, match=said):
        planned(monkeypatch, **{what: enough - 1})


def test_a_build_has_fewer_units_by_default_where_luts_are_few(monkeypatch):
    """A unit of 64 bits takes more than the middle region of a U200 has, and two take more than one of the others."""
    plan = _build.plan(gp.get_include(), "sssp", "u200", number="uint64", config="packed")
    assert plan.design.units == 2
    assert 160_000 < plan.fabric[0].luts < 355_000 < 2 * plan.fabric[0].luts
    assert _build.plan(gp.get_include(), "sssp", "u250", number="uint64", config="packed").design.units == 4
    with pytest.raises(
        gp.CapacityError, match=r"3 compute units of 34 blocks of BRAM .* do not fit u200, whose regions"
    ):
        _build.plan(gp.get_include(), "sssp", "u200", number="uint64", config="packed", units=3)


def test_a_build_puts_units_where_their_luts_are(monkeypatch):
    """Most URAM is where there are LUTs for one unit; the rest goes elsewhere, and apply where there is room."""
    slrs = (Slr(999, 9999, UNIT_LUTS + APPLY_LUTS - 1), Slr(600, 9999, 3 * UNIT_LUTS), Slr(1, 9999, APPLY_LUTS))
    monkeypatch.setattr(_boards, "read", lambda name: _read(name)._replace(slrs=slrs))
    assert _build.plan(gp.get_include(), "bfs", "u250", units=4, capacity=1 << 18).slrs == [0, 1, 1, 1, 2]


def test_a_build_for_hbm_has_fewer_pipelines_where_luts_are_few(monkeypatch):
    def with_luts(luts):
        monkeypatch.setattr(_boards, "read", lambda name: _read(name)._replace(slrs=(Slr(4096, 9999, luts),)))
        return _build.plan(gp.get_include(), "bfs", "u280", config="hbm")

    (dense, _), (sparse, _) = (
        _core.kernel_fabric(f"{kind}_gather_scatter", 16, 16, 4, False, False) for kind in ("dense", "sparse")
    )
    apply = {units: _core.apply_fabric("apply_parts", units, 4, False, 0)[0] for units in (2, 3)}
    assert with_luts(2 * dense + sparse + apply[3]).design.units == 3
    assert with_luts(2 * dense + sparse + apply[3] - 1).design.units == 2
    assert with_luts(dense + sparse + apply[2]).design.units == 2
    said = (
        rf"one takes 64 blocks of URAM, 34 blocks of BRAM and about {dense} LUTs, and the other 32, 26 .* use .packed."
    )
    with pytest.raises(gp.CapacityError, match=said):
        with_luts(dense + sparse + apply[2] - 1)


def test_the_command_shows_what_is_taken(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = gaspipe("build", "bfs", "--board", "u250").stdout
    assert f"URAM 1,024 of 1,280, BRAM {ALL_BRAM} of 2,000, LUTs about {ALL_LUTS:,} of 1,380,000" in said
    said = gaspipe("build", "bfs", "--board", "u280", "--units", 4).stdout
    assert f"BRAM {ALL_BRAM} of 2,016, LUTs about {ALL_LUTS:,}\n" in said
    assert "LUTs not estimated" in gaspipe("build", "pagerank", "--number", "float32", "--board", "u250").stdout
