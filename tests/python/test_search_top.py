# SPDX-License-Identifier: Apache-2.0
"""The rendered top of a search that pushes or pulls searches a whole graph in one launch, on memory made here."""

import ctypes

import numpy as np
import pytest

import gaspipe as gp
from gaspipe._card import build as _build
from gaspipe._card import kernels as _kernels
from searches import check_tree, hops
from test_kernels import INCLUDE
from test_rendered_tops import aligned, compile_library

MARKS, GROUP = 512, 64  # bits of a word of memory; vertices of a group of heads


def memory(matrix, num_pes):
    """Lists, heads and rows of every PE, as hls/local_store/code.h and pull.h describe them, and codes by vertex."""
    num = matrix.shape[0]
    share = -(-num // num_pes // MARKS) * MARKS or MARKS
    reverse = matrix.T.tocsr()
    degrees = np.diff(matrix.indptr).astype(np.int64).tolist()
    lists, codes = [[] for _ in range(num_pes)], np.zeros(num, np.uint64)
    for v in range(num):
        words = 1 + -(-degrees[v] // 8) if degrees[v] else 0
        own = lists[v // share]
        codes[v] = len(own) // 8 << 32 | min(words, 255) << 24 | v % share
        own += [0] * (8 * words)
    for v in filter(degrees.__getitem__, range(num)):
        turns = (matrix.indices[matrix.indptr[v] : matrix.indptr[v + 1]] // share - v // share) % num_pes
        targets = matrix.indices[matrix.indptr[v] : matrix.indptr[v + 1]][np.argsort(turns, kind="stable")]
        ends = [int((turns <= s).sum()) for s in range(8)]
        words = 1 + -(-len(targets) // 8)
        header = [ends[2 * i + 1] << 32 | ends[2 * i] for i in range(4)] + [words << 32 | int(v), 0, 0, 0]
        first = int(codes[v] >> np.uint64(32)) * 8
        found = [*header, *map(int, codes[targets])]
        lists[v // share][first : first + len(found)] = found
    rows = []
    for pe in range(num_pes):
        heads, own = [], []
        for v in range(pe * share, (pe + 1) * share):
            sources = reverse.indices[reverse.indptr[v] : reverse.indptr[v + 1]] if v < num else []
            code = int(codes[v]) if v < num else 0
            first, others = (int(sources[0]), [*map(int, sources[1:])]) if len(sources) else (v, [])
            heads += [first, share // 4 + len(own) // 16, code >> 32, len(others) << 8 | (code >> 24) % 256]
            own += others + [0] * (-len(others) % 16)
        rows.append(heads + own)
    return share, [aligned(one, np.uint64) for one in lists], [aligned(one, np.uint32) for one in rows], codes


def queues_of(share, num_pes, root, codes):
    """Both states of every PE, and room for the queue: the root is in it, and marked."""
    state = 1 + share // MARKS
    queues = [aligned(np.zeros(8 * (2 * state + share + 1)), np.uint64) for _ in range(num_pes)]
    for queue in queues:
        queue[0] = 2 * state
    own, index = queues[root // share], root % share
    own[1], own[2] = 1, int(codes[root]) >> 24 & 255
    own[8 + index // 64] = 1 << index % 64
    own[16 * state] = codes[root]
    return state, queues


@pytest.fixture(scope="module", params=[2, 4])
def top(request, tmp_path_factory):
    """The top of so many PEs, compiled for the host."""
    folder = tmp_path_factory.mktemp("top")
    made = _build.plan(INCLUDE, "bfs", "u250", config="pull_bfs", units=request.param, capacity=2048).design
    (folder / "top.cpp").write_text(_kernels.render_kernel(INCLUDE, "pull_bfs", made, "search"))
    compile_library(folder / "top.cpp", folder / "top.so")
    return request.param, ctypes.CDLL(str(folder / "top.so"))


@pytest.mark.parametrize("at_a_time", [100, 1])
def test_a_launch_finds_all_levels_and_one_may_go_on_where_another_stopped(top, at_a_time):
    num_pes, library = top
    graph = gp.generate.kronecker(10, 8, seed=4)
    matrix = graph.to_scipy()
    root = int(np.flatnonzero(np.diff(matrix.indptr) == 2)[0])
    share, lists, rows, codes = memory(matrix, num_pes)
    state, queues = queues_of(share, num_pes, root, codes)
    num_words = int((codes >> np.uint64(24) & np.uint64(255)).sum())
    num_headed = int((np.diff(matrix.T.tocsr().indptr) > 0).sum())
    arrays = [*queues, *lists, *lists, *rows, *rows, *queues]
    for level in range(0, 10, at_a_time):
        scalars = state, level, share // GROUP, at_a_time, num_words, num_headed
        library.search(*(ctypes.c_void_p(a.ctypes.data) for a in arrays), *map(ctypes.c_uint32, scalars))
    depth, parent = np.full(len(codes), -1, np.int32), np.full(len(codes), -1)
    depth[root], parent[root] = 0, root
    for pe, queue in enumerate(queues):
        code, found_from = queue[16 * state :].reshape(-1, 2).T
        level = (found_from >> np.uint64(32)).astype(np.int32)
        at = pe * share + (code % np.uint64(1 << 24)).astype(np.int64)[level > 0]
        depth[at], parent[at] = level[level > 0], found_from[level > 0] % np.uint64(1 << 32)
    wanted = hops(matrix, root)
    np.testing.assert_array_equal(depth, wanted)
    check_tree(matrix, root, wanted, parent)
    assert wanted.max() > 2
