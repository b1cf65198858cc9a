# SPDX-License-Identifier: Apache-2.0
"""Matrix times vector, an entry at a time over NumPy's own arithmetic."""

import numpy as np


def tolerance(number, matrix, **parameters):
    """Largest relative L1 distance of an answer in a number format; integers are exact."""
    # A sum over the entries of a row may lose a rounding per entry.
    longest = max(np.diff(matrix.indptr), default=0)
    return {"float32": 2.0**-24, "float64": 2.0**-53}.get(number, 0) * (longest + 10)


def parameters(num_vertices):
    """Parameters to try on a graph of so many vertices: numbers that every format holds."""
    counted = np.arange(num_vertices) % 5 + 1
    return [{"x": counted.astype(np.int32)}, {"x": counted - 3}]


def answer(matrix, x):
    """`A @ x` in the widest dtype of NumPy's kind for it; integers wrap around. Without weights every entry is 1."""
    x = np.asarray(x)
    entries = np.ones(matrix.nnz, x.dtype) if matrix.data.dtype == bool else matrix.data
    common = np.result_type(entries.dtype, x.dtype)
    dtype = np.float64 if common.kind == "f" else np.uint64 if common == np.uint64 else np.int64
    product = np.zeros(matrix.shape[0], dtype)
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    with np.errstate(invalid="ignore"):  # 0 * inf
        np.add.at(product, rows, entries.astype(dtype) * x.astype(dtype)[matrix.indices])
    return product
