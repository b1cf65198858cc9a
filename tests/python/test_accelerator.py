# SPDX-License-Identifier: Apache-2.0
"""The L3 calls: a device driven super-step by super-step, its profile, and schedulers of one's own."""

import gc
import weakref

import networkx as nx
import numpy as np
import pytest

import gaspipe as gp

SEED = 11


@pytest.fixture
def graph():
    """Return 300 vertices and 2,000 edges at random, in several partitions."""
    random = np.random.default_rng(SEED)
    return gp.Graph((random.integers(0, 300, 2000), random.integers(0, 300, 2000)), num_vertices=300)


def prepared(graph, algorithm="bfs", question=None, **options):
    accelerator = gp.Accelerator.acceleratorInit(algorithm, **{"device": "emulator", **options})
    accelerator.acceleratorDataLoad(graph)
    accelerator.acceleratorDataPreprocess(**({"root": 0} if question is None else question))
    return accelerator


def depths(graph):
    """Return the levels from vertex 0, by NetworkX."""
    peer = nx.DiGraph()
    peer.add_nodes_from(range(graph.num_vertices))
    rows = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr))
    peer.add_edges_from(zip(rows.tolist(), graph.indices.tolist()))
    found = nx.single_source_shortest_path_length(peer, 0)
    return np.array([found.get(v, -1) for v in range(graph.num_vertices)])


@pytest.mark.parametrize("device", ["cpu", "emulator", "emulator:u50"])
def test_super_steps_are_levels(graph, device):
    expected = depths(graph)
    with prepared(graph, device=device) as accelerator:
        step, goes_on = 0, True
        while goes_on:
            goes_on = accelerator.acceleratorSuperStep()
            step += 1
            levels = accelerator.acceleratorQueryProperty().astype(np.int64)
            reached = levels != 0xFFFFFFFF
            assert np.array_equal(reached, (expected >= 0) & (expected <= step))
            assert np.array_equal(levels[reached], expected[reached])
        assert accelerator.stats.num_supersteps == step == expected.max() + 1
        result = accelerator.result()
    assert np.array_equal(result.depth, expected)
    assert result.stats.device == device.partition(":")[0]


@pytest.mark.filterwarnings("error")
def test_without_a_device_it_is_the_cpu_where_there_is_no_card(graph, monkeypatch, tmp_path):
    for name in ("GASPIPE_XCLBIN", "GASPIPE_XCLBIN_PATH", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    for options in ({}, {"device": "auto"}, {"scheduler": "longest_first"}):
        with gp.Accelerator("bfs", **options) as accelerator:
            if options:
                accelerator.registerScheduler(lambda parts: None, lambda part: [0], lambda parts: range(len(parts)))
            accelerator.acceleratorDataLoad(graph)
            accelerator.acceleratorDataPreprocess(root=0)
            accelerator.acceleratorProfile()
            assert np.array_equal(accelerator.result().depth, depths(graph))
            assert accelerator.stats.device == "cpu"
    with pytest.raises(gp.DeviceError, match="cannot be used"), gp.Accelerator("bfs", device="fpga") as accelerator:
        accelerator.acceleratorDataLoad(graph)
        accelerator.acceleratorDataPreprocess(root=0)


@pytest.mark.parametrize("algorithm", gp.algorithms)
def test_every_super_step_is_verified(graph, algorithm):
    question = {"x": np.arange(300, dtype=np.float32)} if algorithm == "spmv" else {}
    parts = graph.partition(capacity=64, compute_units=3)
    with prepared(graph, algorithm, question, partitioning=parts) as accelerator:
        profile = accelerator.acceleratorProfile(verify=True)
        assert profile.verified
        assert len(profile.supersteps) == accelerator.stats.num_supersteps
        assert np.array_equal(
            accelerator.result().values,
            getattr(gp, algorithm)(graph, **question, device="emulator", partitioning=parts).values,
            equal_nan=True,
        )


@pytest.mark.parametrize("options", [{"device": "emulator:u250"}, {"device": "emulator:u280", "config": "hbm"}])
def test_attempts_before_the_first_step_are_made_up_for(options):
    # Numbers of fixed point, whose scale emulators with clocks find first.
    graph = gp.generate.kronecker(7, seed=1)
    with prepared(graph, "pagerank", {"max_iter": 4, "tol": 0}, number="fixed", **options) as accelerator:
        profile = accelerator.acceleratorProfile(verify=True)
        assert accelerator.stats.attempts > 1
    assert profile.verified
    assert len(profile.supersteps) == 4


def test_profile_tells_units_phases_and_super_steps(graph):
    parts = graph.partition(capacity=64, compute_units=3)
    with prepared(graph, device="emulator:u250", partitioning=parts, skip_idle=False) as accelerator:
        profile = accelerator.acceleratorProfile()
    steps, kernels = len(profile.supersteps), profile.kernels
    assert not profile.verified
    assert len(kernels) == steps * len(parts) * 4
    assert set(kernels["unit"]) == {-1, 0, 1, 2}
    assert np.array_equal(np.unique(kernels["superstep"]), np.arange(steps))
    assert (kernels["cycles"] > 0).all() and (kernels["seconds"] > 0).all()
    assert {unit: own["runs"] for unit, own in profile.units.items()} == dict.fromkeys(
        (-1, 0, 1, 2), steps * len(parts)
    )
    # A super-step: each unit's kernels one after the other, a launch before each; then at least the last apply, and at
    # most all of them. Before it the host, from the third on beside the units: no edges are passed over, and the
    # program did not end at what was counted before.
    own = np.array(
        [
            [kernels["cycles"][(kernels["superstep"] == s) & (kernels["unit"] == u)].sum() for u in (0, 1, 2, -1)]
            for s in range(steps)
        ]
    )
    prediction = profile.stats.prediction
    launch, host = (
        1e6 * prediction.clock_mhz * s for s in (prediction.launch_seconds, prediction.step_overhead_seconds)
    )
    gathered = own[:, :3].max(axis=1) + len(parts) * launch
    least = np.where(np.arange(steps) > 1, np.maximum(gathered, host), gathered + host) + launch
    assert (prediction.steps["cycles"] > least).all()
    assert (prediction.steps["cycles"] <= least + own[:, 3] + (len(parts) - 1) * launch + 1).all()
    assert profile.stats.predicted_cycles == prediction.steps["cycles"].sum()
    assert profile.supersteps["edges"].sum() == 2000 * steps
    assert "compute unit 2" in repr(profile) and "<pre>" in profile._repr_html_()


def test_cpu_profile_has_no_kernels(graph):
    with prepared(graph, device="cpu") as accelerator:
        profile = accelerator.acceleratorProfile(verify=True)
        assert len(profile.kernels) == 0 and profile.verified and profile.units == {}
        with pytest.raises(gp.DeviceError, match=r"\"cpu\" has no kernels"):
            accelerator.kernelInit()


def test_profile_of_the_rest_cannot_be_verified(graph):
    with prepared(graph) as accelerator:
        accelerator.acceleratorSuperStep()
        with pytest.raises(gp.InputError, match="whole run"):
            accelerator.acceleratorProfile(verify=True)
        profile = accelerator.acceleratorProfile()
        assert len(profile.supersteps) == accelerator.stats.num_supersteps - 1


def test_kernels_and_their_arguments(graph):
    parts = graph.partition(capacity=64, compute_units=2)
    with prepared(graph, partitioning=parts) as accelerator:
        assert [kernel["instance"] for kernel in accelerator.kernelInit()] == ["gs_1", "gs_2", "apply_1"]
        assert accelerator.getGatherScatter(1)["unit"] == 1
        assert accelerator.getApply()["unit"] is None
        share = accelerator.getSubPartition(4, 1)
        assert repr(share) == repr(parts[4][1])
        given = accelerator.setGsKernel(4, 1)
        assert given["num_words"] * 16 == share.num_padded_edges == given["sources"] // 4
        assert (given["first"], given["last"]) == (256, 300)
        assert accelerator.setApplyKernel(4)["updated_1"] == 304 * 4
        for call in (
            lambda: accelerator.getPartition(5),
            lambda: accelerator.getSubPartition(0, 2),
            lambda: accelerator.setGsKernel(5, 0),
            lambda: accelerator.setGsKernel(0, 2),
            lambda: accelerator.getGatherScatter(2),
            lambda: accelerator.getGatherScatter(-1),
        ):
            with pytest.raises(gp.InputError):
                call()


@pytest.mark.parametrize("device", ["emulator", "emulator:u250"])
def test_a_scheduler_of_ones_own_changes_the_order_and_not_the_result(graph, device):
    seen = []
    random = np.random.default_rng(SEED)
    parts = graph.partition(capacity=64, compute_units=4)
    accelerator = gp.Accelerator("wcc", device=device, partitioning=parts)
    accelerator.registerScheduler(
        lambda all_parts: seen.append(("init", len(all_parts))),
        lambda part: (seen.append(("sub", part.index)), random.permutation(4))[1],
        lambda all_parts: (seen.append(("parts", len(all_parts))), random.permutation(5))[1],
    )
    accelerator.acceleratorDataLoad(graph)
    accelerator.acceleratorDataPreprocess()
    # Weak components are of both directions: other partitions than `parts`, as many.
    assert seen == [("init", 5), *(("sub", i) for i in range(5)), ("parts", 5)]
    assert accelerator.acceleratorProfile(verify=True).verified
    assert np.array_equal(accelerator.result().component, gp.wcc(graph).component)


@pytest.mark.parametrize("scheduler", ["in_order", "longest_first", "equal_cycles"])
def test_named_schedulers_give_the_same_result(graph, scheduler):
    parts = graph.partition(capacity=64, compute_units=4)
    with prepared(graph, scheduler=scheduler, partitioning=parts) as accelerator:
        accelerator.acceleratorProfile(verify=True)
        assert np.array_equal(accelerator.result().depth, depths(graph))


@pytest.mark.parametrize(
    "parts, message",
    [
        ((None, lambda p: [0], lambda p: [0]), "three functions, found None"),
        ((print, lambda p: [0, 0], lambda p: range(5)), "unit"),
        ((print, lambda p: [0, 1], lambda p: [0]), "partition"),
        ((print, lambda p: [0, 1], lambda p: ["a"]), "integers"),
        ((print, lambda p: [0, 7], lambda p: range(5)), "unit"),
    ],
)
def test_schedulers_that_are_none(graph, parts, message, capsys):
    accelerator = gp.Accelerator("bfs", device="emulator", partitioning=graph.partition(capacity=64, compute_units=2))
    accelerator.acceleratorDataLoad(graph)
    with pytest.raises(gp.InputError, match=message):
        accelerator.registerScheduler(*parts)
        accelerator.acceleratorDataPreprocess(root=0)


def test_a_schedulers_own_error_comes_through(graph):
    def broken(parts):
        raise RuntimeError("not today")

    accelerator = gp.Accelerator("bfs", device="emulator")
    accelerator.registerScheduler(print, lambda part: range(len(part)), broken)
    accelerator.acceleratorDataLoad(graph)
    with pytest.raises(RuntimeError, match="not today"):
        accelerator.acceleratorDataPreprocess(root=0)


def test_a_scheduler_where_there_are_no_kernels_is_refused(graph):
    accelerator = gp.Accelerator("bfs", device="cpu")
    with pytest.raises(gp.InputError, match=r"a scheduler orders the kernels .* device is 'cpu'"):
        accelerator.registerScheduler(print, lambda part: range(len(part)), lambda parts: range(len(parts)))
    with pytest.raises(gp.InputError, match=r"a scheduler orders the kernels .* device is 'cpu'"):
        gp.Accelerator("bfs", device="cpu", scheduler="longest_first")
    accelerator.acceleratorDataLoad(graph)
    accelerator.acceleratorDataPreprocess(root=0)  # as if none had been registered
    assert accelerator.acceleratorSuperStep()


def test_what_comes_before_what(graph):
    accelerator = gp.Accelerator("bfs", device="emulator")
    with pytest.raises(gp.InputError, match="acceleratorDataLoad first"):
        accelerator.acceleratorDataPreprocess(root=0)
    accelerator.acceleratorDataLoad(graph)
    with pytest.raises(gp.InputError, match="acceleratorDataPreprocess"):
        accelerator.acceleratorSuperStep()
    accelerator.acceleratorDataPreprocess(root=0)
    with pytest.raises(gp.InputError, match="no answer yet"):
        accelerator.result()
    accelerator.acceleratorProfile()
    with pytest.raises(gp.InputError, match="begins another"):
        accelerator.acceleratorSuperStep()
    accelerator.acceleratorDataPreprocess(root=1)
    assert accelerator.acceleratorSuperStep()
    accelerator.acceleratorDeinit()
    with pytest.raises(gp.InputError):
        accelerator.acceleratorSuperStep()
    accelerator.acceleratorDataLoad(graph)
    accelerator.acceleratorDataPreprocess(root=0)
    assert "prepared" in repr(accelerator)


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"algorithm": "no_such"}, gp.InputError, "no_such"),
        ({"device": "tpu"}, gp.InputError, "tpu"),
        ({"scheduler": "random"}, gp.InputError, "longest_first"),
        ({"number": 3}, gp.InputError, "number is 3; a string is needed"),
        ({"num_threads": 0}, gp.InputError, "num_threads"),
        ({"partitioning": [1]}, gp.InputError, "Graph.partition"),
    ],
)
def test_bad_options(options, error, message):
    with pytest.raises(error, match=message):
        gp.Accelerator(**{"algorithm": "bfs", "device": "cpu", **options})


def test_bad_questions(graph):
    accelerator = gp.Accelerator("bfs", device="emulator")
    accelerator.acceleratorDataLoad(graph)
    with pytest.raises(gp.InputError, match="root"):
        accelerator.acceleratorDataPreprocess(root=300)
    with pytest.raises(gp.InputError, match="rooot"):
        accelerator.acceleratorDataPreprocess(rooot=3)
    accelerator.acceleratorDataPreprocess(root=3)


def test_nothing_is_kept_after_deinit(graph):
    accelerator = gp.Accelerator("bfs", device="emulator")

    class Order:
        def __call__(self, parts):
            return range(len(parts))

    order = Order()
    watch = weakref.ref(order)
    accelerator.registerScheduler(print, lambda part: range(len(part)), order)
    accelerator.acceleratorDataLoad(graph)
    accelerator.acceleratorDataPreprocess(root=0)
    accelerator.acceleratorDeinit()
    del order, accelerator
    gc.collect()
    assert watch() is None


def test_a_card_is_stepped_profiled_and_given_back(graph, emulated_card, monkeypatch):
    monkeypatch.setenv("GASPIPE_XCLBIN", str(emulated_card.add("bfs", units=2)))
    parts = graph.partition(capacity=64, compute_units=2)
    with gp.Accelerator("bfs", device="fpga", partitioning=parts, scheduler="longest_first") as accelerator:
        accelerator.acceleratorDataLoad(graph)
        accelerator.acceleratorDataPreprocess(root=0)
        kernels = accelerator.kernelInit()
        assert [kernel["instance"] for kernel in kernels] == ["gs_1", "gs_2", "apply_1"]
        assert all(kernel["kernel"].startswith(("gs_8_8_", "apply_")) for kernel in kernels)
        profile = accelerator.acceleratorProfile(verify=True)
        assert np.array_equal(accelerator.result().depth, depths(graph))
        assert accelerator.stats.device == "fpga"
        # While the accelerator has the card, another call of this thread would wait for itself.
        with pytest.raises(gp.DeviceError, match="running the call"):
            gp.bfs(graph, device="fpga", fallback=False)
    steps = len(profile.supersteps)
    assert profile.verified
    assert len(profile.kernels) == steps * len(parts) * 3
    assert profile.supersteps["bytes_to_card"][0] > profile.supersteps["bytes_to_card"][1] == 0
    assert (profile.supersteps["bytes_from_card"] >= 64 * len(parts)).all()
    own = profile.kernels[profile.kernels["unit"] == 0]
    ends = own["start_seconds"] + own["seconds"]
    for step in range(steps):
        of_step = own["superstep"] == step
        assert (own["start_seconds"][of_step][1:] >= ends[of_step][:-1] - 1e-9).all()  # one run after the other
    again = gp.bfs(graph, device="fpga", fallback=False, partitioning=parts, scheduler="longest_first")
    assert again.stats.edge_bytes_uploaded == 0  # the graph is where the accelerator put it
    gp.release_devices()
