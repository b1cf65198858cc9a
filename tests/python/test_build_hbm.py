# SPDX-License-Identifier: Apache-2.0
"""`gaspipe build --config hbm`: how many pipelines a board takes, where their ports lead to, what compilers say."""

import pytest

import gaspipe as gp
from gaspipe._card import boards as _boards
from gaspipe._card import build as _build
from gaspipe._card import kernels as _kernels
from gaspipe._card import links as _links
from gaspipe._card.boards import Slr
from gaspipe._card.numbers import bytes_of as _bytes_of
from test_kernels import BOARDS, INCLUDE, check_syntax, compilers_in_turn, design, instances, parse_link

_read = _boards.read
ON_HBM = [board for board in BOARDS if _boards.read(board).memory == "HBM"]


GRAPHS = {"bfs": gp.generate.kronecker(8, 4, seed=1), "sssp": gp.generate.kronecker(8, 4, seed=1, weights=(1, 9))}


def planned(board="u280", algorithm="bfs", **how):
    return _build.plan(INCLUDE, algorithm, board, config="hbm", **how)


@pytest.mark.parametrize("algorithm", ["bfs", "sssp"])
@pytest.mark.parametrize("board", ON_HBM)
def test_a_pipeline_has_two_channels_and_apply_one(board, algorithm):
    plan = planned(board, algorithm)
    units, num_dense = plan.design.units, len(_kernels.instances(INCLUDE, "dense_gather_scatter", plan.design))
    linked = parse_link(_build.files(INCLUDE, plan)["link.cfg"])
    pipelines = [f"dense_{i + 1}" for i in range(num_dense)] + [f"sparse_{i + 1}" for i in range(units - num_dense)]
    assert 1 <= units - num_dense < num_dense
    wanted = {f"apply_parts_1.{port}": f"HBM[{2 * units}:{2 * units + 1}]" for port in ("properties", "own")}
    wanted["apply_parts_1.sums"] = f"HBM[{2 * units + 2}:{2 * units + 3}]"
    streams = {}
    for i, cu in enumerate(pipelines):
        wanted[f"{cu}.edges"] = f"HBM[{2 * i}]"
        for port in ("memory", "gathered", "parts", "updated"):
            wanted[f"{cu}.{port}"] = f"HBM[{2 * i + 1}]"
        streams[f"{cu}.to_apply"] = f"apply_parts_1.gathered_{i}:64"
        streams[f"apply_parts_1.updated_{i}"] = f"{cu}.from_apply:64"
    assert linked["sp"] == wanted
    assert linked["sc"] == streams
    assert [name.rpartition(":")[2].split(".") for name in linked["nk"].values()] == [
        pipelines[:num_dense],
        pipelines[num_dense:],
        ["apply_parts_1"],
    ]
    # As many as are predicted. HBM has 32 ports, one of them the host's: two of every pipeline, two or three of apply.
    assert units == gp.predict(algorithm, GRAPHS[algorithm], board=board, config="hbm").stats.prediction.num_units
    assert _links.num_masters(INCLUDE, plan.design, "HBM", 32) == {"HBM": 2 * units + 2}
    # 16 copies in four blocks each, or 16 memories of 8,192 rows, two blocks of 4,096.
    slrs = _boards.read(board).slrs
    if slrs:
        assert plan.design.capacity == 1 << 18 or 64 * num_dense + 32 * (units - num_dense) > 0.9 * sum(
            slr.uram for slr in slrs
        )
        assert len(linked["slr"]) == units + 1


def test_a_board_with_less_uram_has_fewer_pipelines_of_whole_partitions(monkeypatch):
    """Two dense pipelines of 64 blocks and a sparse one of 32 take a region of 200, of which 90 % are used."""
    for slrs, units in (([Slr(200, 672)] * 2, 5), ([Slr(72, 672), Slr(40, 672)], 2)):
        monkeypatch.setattr(_boards, "read", lambda name, slrs=slrs, read=_read: read(name)._replace(slrs=tuple(slrs)))
        for number in ("uint32", "uint64"):
            plan = planned(algorithm="sssp", number=number)
            assert (plan.design.units, plan.design.capacity) == (units, (1 << 18) // (_bytes_of(number) // 4))
            assert len(plan.slrs) == units + 1
        with pytest.raises(gp.CapacityError, match="9 compute units of 16 PEs do not fit u280; use fewer"):
            planned(units=9)
    for changed, said in (
        (
            {"slrs": (Slr(70, 672),)},
            "one takes 64 blocks of URAM, .* and the other 32, .*; the regions of u280 have 70, 672 and an unknown "
            "number, of whose blocks 90 % may be used",
        ),
        ({"num_banks": 7}, "at least 8 pseudo-channels of HBM, for 2 pipelines and apply; u280 has 7; use .packed."),
    ):
        monkeypatch.setattr(_boards, "read", lambda name, changed=changed: _read(name)._replace(**changed))
        with pytest.raises(gp.CapacityError, match=said):
            planned()
    monkeypatch.setattr(_boards, "read", lambda name: _read(name)._replace(slrs=()))
    assert planned().design.units == 14


def test_what_such_a_build_cannot_be_is_refused():
    for how, error, said in (
        ({"board": "u250"}, gp.CapacityError, 'config "hbm" needs pseudo-channels of HBM; u250 has 4 banks of DDR'),
        ({"units": 1}, gp.InputError, '1 compute units; config "hbm" has 2 to 14 pipelines on u280'),
        ({"units": 15}, gp.InputError, '15 compute units; config "hbm" has 2 to 14'),
        ({"capacity": 1040}, gp.InputError, "a capacity of 1040 vertices; .* a multiple of 128"),
        ({"units": 9, "capacity": 1 << 20}, gp.CapacityError, r"need 2048 URAM blocks, and u280 has 960"),
    ):
        with pytest.raises(error, match=said):
            planned(**how)


@pytest.mark.parametrize(
    ("algorithm", "number", "compiler"), compilers_in_turn(each for each in instances() if each[1] != "bits512")
)
def test_compilers_accept_the_tops(algorithm, number, compiler, tmp_path):
    paths = []
    for units, capacity, weighted in ((2, 1 << 18, None), (9, 4096, False), (14, 1 << 17, None)):
        sizes = {"units": units, "lanes": 16, "pes": 16, "capacity": capacity, "config": "hbm"}
        made = design(algorithm, number, weighted=weighted, **sizes)
        for kernel in _kernels.kernels_of(INCLUDE, made):
            paths.append(tmp_path / f"{kernel}_{units}.cpp")
            paths[-1].write_text(_kernels.render_kernel(INCLUDE, kernel, made, "kernel"))
    done = check_syntax(paths, compiler)
    assert done.returncode == 0, done.stderr
