# SPDX-License-Identifier: Apache-2.0
"""Distances at the end of a number format: right, or a CapacityError, whatever runs them."""

import numpy as np
import pytest

import gaspipe as gp

MOST = 2**63 - 1
LARGEST = {
    "uint32": 2**32 - 2,
    "uint64": MOST,
    "float32": np.finfo(np.float32).max,
    "float64": np.finfo(np.float64).max,
}
PLACES = {
    "auto": {},
    "two threads": {"num_threads": 2},
    "gas": {"method": "gas"},
    "emulator": {"device": "emulator"},
    "exact": {"device": "emulator", "execution": "exact"},
}
places = pytest.mark.parametrize("how", PLACES.values(), ids=PLACES)


def relaxed(num_vertices, edges, root, word):
    """Bellman-Ford in the numbers of `word`: Python's integers, which never overflow, or NumPy's floats."""
    distance = [None] * num_vertices
    distance[root] = word(0)
    with np.errstate(over="ignore"):
        for _ in range(num_vertices):
            for u, v, w in edges:
                if distance[u] is not None and not np.isinf(float(w)):
                    sum_ = distance[u] + word(w)
                    if distance[v] is None or sum_ < distance[v]:
                        distance[v] = sum_
    return distance


def check(edges, num_vertices, weights, number, **how):
    """One run against `relaxed`: an error exactly where a distance is larger than the format's largest."""
    sources, targets = (np.array(ends, np.int64) for ends in zip(*edges))
    is_float = weights.dtype.kind == "f" or number.startswith("float")
    formats = {"auto": ["uint32", "uint64"] if weights.dtype == np.int32 else ["uint64"]}.get(number, [number])
    if is_float:
        formats = [weights.dtype.name if number == "auto" else number]
    word = np.dtype(formats[-1]).type if is_float else int
    wanted = relaxed(num_vertices, list(zip(sources, targets, weights.tolist())), 0, word)
    longest = max(d for d in wanted if d is not None)
    graph = gp.Graph((sources, targets, weights), num_vertices=num_vertices)
    fitting = [i for i, name in enumerate(formats) if longest <= LARGEST[name]]
    if not fitting:
        with pytest.raises(gp.CapacityError, match=f'does not fit number="{formats[-1]}"'):
            gp.sssp(graph, 0, number=number, **how)
        return "refused"
    result = gp.sssp(graph, 0, number=number, **how)
    unreached = np.inf if is_float else -1
    assert result.distance.tolist() == [unreached if d is None else d for d in wanted]
    assert (result.stats.number, result.stats.attempts) == (formats[fitting[0]], fitting[0] + 1)
    return result.stats.number


@places
def test_a_sum_that_a_better_path_replaces_is_no_overflow(how):
    weights = np.array([MOST, 1, 1])
    assert gp.sssp(([0, 0, 2], [1, 2, 1], weights), 0, **how).distance.tolist() == [0, 2, 1]
    # Found late: the long way to vertex 1 is there two super-steps before the short one.
    edges = [(0, 1), (1, 5), (0, 2), (2, 3), (3, 4), (4, 1)]
    for most, dtype in ((MOST, np.int64), (2**31 - 1, np.int32)):
        assert check(edges, 6, np.array([most, most, 1, 1, 1, 1], dtype), "auto", **how) in ("refused", "uint32")
    result = gp.sssp(([0, 1, 0, 2, 1], [1, 3, 2, 1, 3], [2**62, 2**62, 1, 1, 5]), 0, **how)
    assert result.distance.tolist() == [0, 2, 1, 7]


@places
@pytest.mark.parametrize("number", LARGEST)
def test_the_largest_distance_of_a_format_is_legal_and_the_next_is_not(number, how):
    largest = LARGEST[number]
    if number.startswith("float"):
        weights = np.array([largest / 2, largest / 2, largest], number)
        beyond = np.array([largest / 2, np.nextafter(largest / 2, largest, dtype=number), largest], number)
    else:
        half = largest // 2
        weights = np.array([half, largest - half, largest], np.int64)
        beyond = weights + [0, 1, 0]
    edges = [(0, 1), (1, 2), (0, 3)]
    assert check(edges, 5, weights, number, **how) == number
    assert check(edges, 5, beyond, number, **how) == "refused"


@places
def test_integers_that_leave_32_bits_are_found_again_in_64(how):
    edges = [(0, 1), (1, 2), (2, 3), (3, 0)]
    most = 2**31 - 1
    assert check(edges, 5, np.array([most, most, 0, 1], np.int32), "auto", **how) == "uint32"
    assert check(edges, 5, np.array([most, most, 1, 1], np.int32), "auto", **how) == "uint64"
    assert check(edges, 5, np.array([most, most, 1, 1], np.int32), "uint32", **how) == "refused"


@places
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_an_infinite_weight_is_no_overflow(dtype, how):
    most = np.finfo(dtype).max
    edges = [(0, 1), (1, 2), (0, 3)]
    assert check(edges, 4, np.array([most, np.inf, 1], dtype), "auto", **how) == np.dtype(dtype).name
    assert check(edges, 4, np.array([most, most, np.inf], dtype), "auto", **how) == "refused"


@places
def test_a_weight_that_is_infinite_in_the_number_asked_for_only_is_an_overflow(how):
    graph = gp.Graph(([0, 0, 2], [1, 2, 1], [1e300, 1.0, np.inf]))
    with pytest.raises(gp.CapacityError, match='number="float32"'):
        gp.sssp(graph, number="float32", **how)
    assert gp.sssp(graph, number="float64", **how).distance.tolist() == [0, 1e300, 1]
    nearer = gp.Graph(([0, 0, 2], [1, 2, 1], [1e300, 1.0, 1.0]))
    assert gp.sssp(nearer, number="float32", **how).distance.tolist() == [0, 2, 1]


WEIGHTS = {
    np.int32: [0, 1, 3, 2**30, 2**31 - 2, 2**31 - 1],
    np.int64: [0, 1, 2, 2**31, 2**32 - 2, 2**32 - 1, 2**61, 2**62 - 1, 2**62, MOST - 1, MOST],
    np.float32: np.array([0, 1, 1e38, 1.1e38, 3.4e38, np.inf], np.float32).tolist() + [LARGEST["float32"]],
    np.float64: [0, 1, 1e307, 6e307, 1.7e308, LARGEST["float64"], np.inf],
}


@pytest.mark.parametrize("dtype", WEIGHTS, ids=lambda dtype: dtype.__name__)
def test_random_graphs_of_extreme_weights_are_right_everywhere(dtype, rng):
    numbers = ("auto", "uint32" if dtype == np.int32 else "float64")
    found = set()
    for turn in range(80):
        n = int(rng.integers(3, 9))
        edges = [tuple(ends) for ends in rng.integers(0, n, (int(rng.integers(n, 3 * n)), 2)).tolist()]
        weights = np.array(rng.choice(WEIGHTS[dtype], len(edges)), dtype)
        places = [how for name, how in PLACES.items() if name != "exact" or turn < 8]
        outcomes = {check(edges, n, weights, numbers[turn % 2], **how) for how in places}
        assert len(outcomes) == 1
        found |= outcomes
    assert "refused" in found
    assert len(found) > 1
