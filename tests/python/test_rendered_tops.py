# SPDX-License-Identifier: Apache-2.0
"""The rendered tops compute: compiled for the host, the text that Vitis gets is run by the emulator."""

import ctypes

import numpy as np
import pytest

import kept
from gaspipe._card import kernels as _kernels
from test_kernels import COMPILER, INCLUDE, KERNELS, design


def aligned(values, dtype):
    """Return a copy of `values` as 64-byte words, filled up with zeros."""
    values = np.asarray(values, dtype)
    words = np.zeros((values.nbytes + 63) // 64 * 64 + 64, np.uint8)
    start = -words.ctypes.data % 64
    array = words[start : start + (values.nbytes + 63) // 64 * 64].view(dtype)
    array[: len(values)] = values
    return array


def compile_for_the_host(made, folder):
    """Both tops in a library: as one source and not optimized, for their one small step."""
    library, source = folder / "kernels.so", folder / "both.cpp"
    source.write_text("".join(_kernels.render_kernel(INCLUDE, kernel, made, f"{kernel}_top") for kernel in KERNELS))
    compile_library(source, library)
    return ctypes.CDLL(str(library))


def compile_library(source, library):
    command = [*COMPILER, "-std=c++17", "-O0", "-shared", "-fPIC", "-I", INCLUDE, source]
    kept.compiled(command, source.parent, output=library).check_returncode()


def superstep(made, folder, rng, properties, weights_dtype, sum_dtype, aux=(), arg=()):
    """Run both kernels over random edges; return the edges, every unit's new properties, and the sums."""
    library, n, dtype = compile_for_the_host(made, folder), len(properties), properties.dtype
    scalars, edges, gathered = [ctypes.c_uint32(x) for x in (0, n)], [], []

    def pointer(array):
        return ctypes.c_void_p(array.ctypes.data)

    held = aligned(properties, dtype)
    for unit in range(made.units):
        m = 16 * (unit % 3 + 1)
        src, dst = np.sort(rng.integers(0, n, m)), rng.integers(0, n, m)
        weights = rng.integers(1, 9, m)
        edges.append((src, dst, weights))
        arrays = [aligned(src, np.uint32), aligned(dst, np.uint32)]
        if made.weighted:
            arrays.append(aligned(weights, weights_dtype))
        gathered.append(aligned(np.zeros(n), dtype))
        arrays += [held, gathered[-1]]
        library.gather_scatter_top(*map(pointer, arrays), ctypes.c_uint32(m // 16), *scalars)
    updated = [aligned(np.zeros(n), dtype) for _ in range(made.units)]
    inputs = [aligned(a, dtype) for a in aux]
    sums = aligned(np.zeros(16), sum_dtype)  # with the word of activity
    words = np.zeros(_kernels.ARG_WORDS, np.uint32)
    words[: len(arg)] = np.asarray(arg).view(np.uint32) if len(arg) else ()
    arrays = [*gathered, held, *inputs, *updated, sums]
    library.apply_top(*map(pointer, arrays), *scalars, *(ctypes.c_uint32(int(w)) for w in words))
    src, dst, weights = (np.concatenate(part) for part in zip(*edges))
    return (src, dst, weights), [new[:n] for new in updated], sums


@pytest.mark.parametrize(("units", "lanes", "pes"), [(1, 8, 8), (3, 16, 4), (16, 8, 16)])
def test_rendered_bfs_takes_a_step(units, lanes, pes, rng, tmp_path):
    unreached = np.uint32(0xFFFFFFFF)
    levels = np.where(rng.random(77) < 0.3, rng.integers(0, 5, 77), unreached).astype(np.uint32)
    made = design("bfs", "uint32", units=units, lanes=lanes, pes=pes, capacity=96)
    (src, dst, _), updated, sums = superstep(made, tmp_path, rng, levels, None, np.uint64)
    expected = levels.copy()
    reached = levels[src] != unreached
    np.minimum.at(expected, dst[reached], levels[src[reached]] + 1)
    for new in updated:
        np.testing.assert_array_equal(new, expected)
    assert sums[0] == (expected < levels).sum() > 0


def test_rendered_spmv_multiplies(rng, tmp_path):
    x = rng.integers(-9, 9, 50).astype(np.int32)
    made = design("spmv", "int32", units=2)
    (src, dst, weights), updated, _ = superstep(made, tmp_path, rng, x, np.int32, np.uint64)
    expected = np.zeros(50, np.int64)
    np.add.at(expected, dst, weights * x[src])
    for new in updated:
        np.testing.assert_array_equal(new, expected)


def test_rendered_pagerank_gets_its_inputs_and_its_argument(rng, tmp_path):
    # Two inputs and an Arg of two floats: what has to arrive in the right order.
    n = 40
    contribution = rng.random(n).astype(np.float32)
    degrees, teleport = rng.integers(0, 4, n).astype(np.float32), rng.random(n).astype(np.float32)
    base, damping = np.float32(0.25), np.float32(0.75)
    made = design("pagerank", "float32", units=2)
    (src, dst, _), updated, sums = superstep(
        made, tmp_path, rng, contribution, None, np.float64, (degrees, teleport), np.array([base, damping])
    )
    total = np.zeros(n)
    np.add.at(total, dst, contribution[src].astype(float))
    rank = base * teleport + damping * total
    divisor = np.maximum(degrees, 1)
    for new in updated:
        np.testing.assert_allclose(new, rank / divisor, rtol=1e-5)
    assert sums[0] == pytest.approx(np.abs(rank - contribution * divisor).sum(), rel=1e-4)
    assert sums[1] == pytest.approx(rank[degrees == 0].sum(), rel=1e-4)
