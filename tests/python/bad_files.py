# SPDX-License-Identifier: Apache-2.0
"""The one table of files that readers must refuse: what is wrong, where, and what the error says of it."""

import io
import struct
from typing import Any, NamedTuple

import numpy as np

BANNER = "%%MatrixMarket matrix coordinate "
HUGE = 10**25


class Wrong(NamedTuple):
    """A file with one thing wrong in it."""

    name: str  # of the file; LDBC's other parts lie beside it
    content: Any  # text or bytes; a mapping of names to contents where several parts differ from the good ones
    start: str  # of the message, after the file's path
    says: str = ""  # anywhere in it
    options: dict[str, Any] = {}  # noqa: RUF012


def npz(**arrays):
    """A file of arrays as numpy.savez writes it."""
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


CSR = {"format": b"csr", "shape": (2, 2), "indptr": [0, 1, 1], "indices": [1], "data": [5]}


def gap(directed, rows, weighted):
    """A serialised graph of GAP from rows of (target, weight), in-edges after out-edges where directed."""
    back = [[(u, w) for u, row in enumerate(rows) for v, w in row if v == t] for t in range(len(rows))]
    text = struct.pack("<?qq", directed, sum(map(len, rows)), len(rows))
    for side in [rows, back][: 1 + directed]:
        text += struct.pack(f"<{len(side) + 1}q", *np.cumsum([0, *map(len, side)]).tolist())
        text += b"".join(
            struct.pack("<ii" if weighted else "<i", *pair[: 1 + weighted]) for row in side for pair in row
        )
    return text


GAP_ROWS = [[(1, 5), (2, -6)], [], [(0, 7)]]
GAP = gap(True, GAP_ROWS, False)


def matrix(kind, *lines):
    """A Matrix Market file with a line of comment: the size line is line 3, the first entry on line 4."""
    return "\n".join([BANNER + kind, "% comment", *lines, ""])


def patched(content, place, form, *values):
    """The content with numbers packed over the bytes from `place` on."""
    bytes_ = struct.pack(form, *values)
    return content[:place] + bytes_ + content[place + len(bytes_) :]


HEADER = {"header": True}
EDGE_LISTS = {
    "no edges": Wrong("a.txt", "", ": no edges found"),
    "comments only": Wrong("a.txt", "# only\n% comments\n\n", ": no edges found"),
    "header, too few edges": Wrong("a.txt", "5 3\n0 1\n2 3\n", ":1: the header says 3 edges, but 2", options=HEADER),
    "header, too many edges": Wrong("a.txt", "5 1\n0 1\n2 3\n", ":1: the header says 1 edges, but 2", options=HEADER),
    "header, id beyond": Wrong("a.txt", "5 2\n0 1\n2 5\n", ":3: found vertex id 5; the header", options=HEADER),
    "columns 2 and 3": Wrong("a.txt", "0 1\n# c\n1 2 3\n", ":3: found 3 columns, but 2 on line 1"),
    "columns 3 and 2": Wrong("a.wel", "0 1 2\n1 2\n", ":2: found 2 columns, but 3 on line 1"),
    "one column": Wrong("a.txt", "0 1\n7\n", ":2: expected"),
    "four columns": Wrong("a.txt", "0 1 2 3\n", ":1: expected"),
    "a word": Wrong("a.txt", "0 1\n# two\n12 abc\nx\n", ':3: expected "source destination [weight]", found "12 abc"'),
    "id overflows": Wrong("a.txt", f"0 1\n0 {HUGE}\n", f':2: found vertex id "{HUGE}"'),
    "id too large without relabel": Wrong("a.txt", "0 1\n2 5000000000\n", ":2: ", "relabel=True"),
    "integer weight overflows": Wrong("a.wel", f"0 1 1\n0 1 -{HUGE}\n", f':2: found weight "-{HUGE}"'),
    "decimal weight overflows": Wrong("a.wel", "0 1 1\n0 1 1e999\n", ':2: found weight "1e999"'),
    "binary": Wrong("a.txt", bytes(range(256)) * 100, ":", "binary"),
    "zeros": Wrong("a.txt", bytes(3 << 20), ":", "binary"),
}

_MATRICES = {  # wrong lines of a matrix of 2 x 2, and which line is called wrong
    "empty": ("", 1),
    "no banner": ("1 2\n", 1),
    "half a banner": ("%%MatrixMarket\n", 1),
    "array": ("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n", 1),
    "complex": (matrix("complex general", "2 2 1", "1 2 1 0"), 1),
    "hermitian": (matrix("complex hermitian", "2 2 1", "2 1 1 0"), 1),
    "unknown symmetry": (matrix("integer upside-down", "2 2 1", "1 2 1"), 1),
    "no size line": (BANNER + "integer general\n", 2),
    "two sizes": (matrix("integer general", "2 2", "1 2 1"), 3),
    "negative size": (matrix("integer general", "2 -2 1", "1 2 1"), 3),
    "symmetric rectangle": (matrix("integer symmetric", "2 3 1", "1 3 1"), 3),
    "a word for an id": (matrix("integer general", "2 2 1", "1 x 1"), 4),
    "column beyond": (matrix("integer general", "2 2 2", "1 2 1", "1 3 1"), 5),
    "row 0": (matrix("integer general", "2 2 1", "0 1 1"), 4),
    "value overflows": (matrix("integer general", "2 2 1", "1 2 99999999999999999999"), 4),
    "too many entries": (matrix("integer general", "2 2 1", "1 2 1", "2 2 1"), 3),
    "too few entries": (matrix("integer general", "2 2 2", "1 2 1"), 3),
    "too few entries of many digits": (  # with room for one more
        matrix("integer general", "10 10 10", *(f"{i} {i} 123456789" for i in range(1, 10))),
        3,
    ),
}
_ENTRIES = {  # that do not fit the banner
    "integer": (
        "1 2 5.5", "1 2 5.0", "1 2 1e3", "1 2 5,7", "1 2 0x10", "1 2 nan", "1 2 9223372036854775808",
        "1 2 -9223372036854775809", "1 2", "1 2 3 4", "1.0 2 3",
    ),
    "real": (
        "1 2 5,7", "1 2 5abc", "1 2 1dd3", "1 2 1d", "1 2 d3", "1 2 +-5", "1 2 --5", "1 2 0x10", "1 2 1.5+10",
        "1 2 1e999", "1 2", "1 2 3 4", "1,2,3",
    ),
    "pattern": ("1 2 9", "1 2.9", "1 2,", "1 2 x", "1 3", "0 1", "1 -1", "1"),
}  # fmt: skip
MATRIX_MARKET = {
    "mtx, entries are counted from the size line": Wrong(
        "a.mtx", BANNER + "pattern general\n9 9 3\n1 2\n2 3\n", ":2: the size line says 3"
    ),
    "mtx, an entry too many": Wrong("a.mtx", BANNER + "pattern general\n9 9 1\n1 2\n2 3\n", ":2: the size line says 1"),
    "mtx, row beyond": Wrong("a.mtx", BANNER + "pattern general\n2 2 1\n3 2\n", ":3: "),
    "mtx, column 0": Wrong("a.mtx", BANNER + "pattern general\n2 2 1\n1 0\n", ":3: "),
    "mtx, id overflows": Wrong("a.mtx", BANNER + f"pattern general\n2 2 1\n1 {HUGE}\n", ":3: "),
    "mtx, size overflows": Wrong("a.mtx", BANNER + f"pattern general\n{HUGE} {HUGE} 1\n1 2\n", ":2: "),
    "mtx, complex without entries": Wrong("a.mtx", matrix("complex general", "2 2 0"), ":1: ", "complex"),
    "mtx, nul after the last entry": Wrong(
        "a.mtx", BANNER + "integer general\n3 3 2\n1 2 5\n3 1 7\0\n", ":4: the file looks binary"
    ),
    "mtx, skew diagonal": Wrong("a.mtx", matrix("integer skew-symmetric", "2 2 1", "2 2 5"), ":4: ", "the diagonal"),
    "mtx, real skew diagonal": Wrong(
        "a.mtx", matrix("real skew-symmetric", "2 2 1", "2 2 0.5"), ":4: ", "the diagonal"
    ),
    "mtx, skew without a negative": Wrong(
        "a.mtx", matrix("integer skew-symmetric", "2 2 1", "2 1 -9223372036854775808"), ":4: ", "exceeds 64 bits"
    ),
}
MATRIX_MARKET |= {f"mtx, {what}": Wrong("a.mtx", text, f":{line}: ") for what, (text, line) in _MATRICES.items()}
MATRIX_MARKET |= {
    f"mtx, {kind} {entry}": Wrong(
        "a.mtx",
        matrix(f"{kind} general", "2 2 2", "2 2" if kind == "pattern" else "2 2 1", entry),
        ":5: ",
        entry.split()[-1],
    )
    for kind, entries in _ENTRIES.items()
    for entry in entries
}

METIS = {
    "metis, empty": Wrong("a.graph", "", ": found no header"),
    "metis, too few rows": Wrong("a.graph", "3 2\n2\n1 3\n", ":3: the file ends after the lines of 2 vertices"),
    "metis, too many rows": Wrong("a.graph", "3 2\n2\n1 3\n2\n1\n", ":5: found a line more than the 3 vertices"),
    "metis, other edges": Wrong("a.graph", "3 3\n2\n1 3\n2\n", ":1: the header says 3 edges"),
    "metis, id beyond": Wrong("a.graph", "3 2\n2\n1 4\n2\n", ":3: found vertex id 4; allowed are 1 to 3"),
    "metis, one end only": Wrong("a.graph", "4 2\n2\n3\n4\n1\n", ":2: vertex 1 lists 2 more often"),
    "metis, no weight": Wrong("a.graph", "2 1 1\n2 7\n1\n", ":3: found no weight"),
    "metis, id overflows": Wrong("a.graph", f"2 1\n{HUGE}\n1\n", f':2: found "{HUGE}"'),
    "metis, weight overflows": Wrong("a.graph", f"2 1 1\n2 {HUGE}\n1 1\n", f':2: found "{HUGE}"'),
    "metis, vertices overflow": Wrong("a.graph", "4294967296 1\n2\n1\n", ":1: found 4294967296 vertices"),
}

DIMACS9 = {
    "gr, too few arcs": Wrong("a.gr", "c\np sp 3 3\na 1 2 5\n", ":2: the header says 3 edges, but 1"),
    "gr, too many arcs": Wrong("a.gr", "p sp 3 0\na 1 2 5\n", ":1: the header says 0 edges, but 1"),
    "gr, id beyond": Wrong("a.gr", "p sp 3 1\na 1 4 5\n", ":2: found vertex id 4; the problem line allows 1 to 3"),
    "gr, no weight": Wrong("a.gr", "p sp 3 1\na 1 3\n", ":2: expected"),
    "gr, no problem line": Wrong("a.gr", "c\na 1 2 3\n", ':2: expected the problem line "p sp vertices arcs"'),
    "gr, id overflows": Wrong("a.gr", f"p sp 3 1\na 1 {HUGE} 2\n", f':2: found vertex id "{HUGE}"'),
    "gr, weight overflows": Wrong("a.gr", f"p sp 3 1\na 1 2 {HUGE}\n", f':2: found weight "{HUGE}"'),
    "gr, count overflows": Wrong("a.gr", f"p sp 3 {HUGE}\na 1 2 3\n", ":1: expected the problem line"),
}

LDBC = {
    "ldbc, id beyond": Wrong("a.e", "# c\n1 2\n1 9\n", ":3: found a vertex that is not in the vertex file"),
    "ldbc, mixed columns": Wrong("a.e", "1 2\n1 3 5\n", ":2: found 3 columns, but 2 on line 1"),
    "ldbc, a word for an edge": Wrong("a.e", "1 2\nx\n", ":2: "),
    "ldbc, two ids": Wrong("a.v", "1\n2 3\n", ':2: found "2 3"; allowed is one vertex id'),
    "ldbc, a word for an id": Wrong("a.v", "1\nx\n", ':2: found "x"; allowed is one vertex id'),
    "ldbc, an id twice": Wrong("a.v", "1\n2\n1\n", ":3: found vertex 1 again"),
    "ldbc, id overflows": Wrong("a.v", f"1\n{HUGE}\n", f':2: found "{HUGE}"'),
    "ldbc, id beyond 63 bits": Wrong("a.v", {"a.v": "9223372036854775808\n", "a.e": ""}, ":1: found "),
    "ldbc, no vertices": Wrong("a.v", {"a.v": "", "a.e": ""}, ": found no vertices"),
    "ldbc, a line of 3 MiB": Wrong("a.v", b"1" * (3 << 20), ":1: the line is longer than 1 MiB"),
    "ldbc, weight overflows": Wrong("a.e", f"1 2 {HUGE}\n", f':1: found weight "{HUGE}"'),
    "ldbc, count overflows": Wrong("a.properties", f"graph.a.meta.edges = {HUGE}\n", f':1: found "{HUGE}"'),
}

_CHANGES = {  # of CSR's members, and what the error says
    "unknown layout": ({"format": b"lil"}, "found a matrix in 'lil'; allowed are 'csr'"),
    "indptr falls": ({"indptr": [0, 2, 1]}, "indptr"),
    "indptr short": ({"indptr": [0, 1]}, "indptr has 2 entries"),
    "indptr of reals": ({"indptr": [0.0, 1.0, 1.0]}, "dtype float64"),
    "index beyond": ({"indices": [2]}, "indices[0] is 2"),
    "index negative": ({"indices": [-1]}, "indices[0] is -1"),
    "more weights": ({"data": [5, 6]}, "found 2 weights for 1 edges"),
    "complex": ({"data": [5j]}, "dtype complex128"),
    "objects": ({"data": np.array([None])}, "data has dtype object"),
    "three sizes": ({"shape": (2, 2, 2)}, "its shape is [2, 2, 2]; a matrix has rows and columns"),
    "one size": ({"shape": (2,)}, "its shape is [2]; a matrix has rows and columns"),
    "size negative": ({"shape": (-2, 2)}, "found -2 x 2"),
    "size huge": ({"shape": (1 << 40, 1 << 40)}, "at most 4294967295"),
    "coo without rows": ({"format": b"coo"}, "there is no array 'row'"),
    "coo, index beyond": ({"format": b"coo", "row": [0], "col": [2]}, "2"),
    "coo, size huge": (
        {"format": b"coo", "shape": (1 << 31, 1 << 31), "row": [0], "col": [2]},
        "a matrix of 2147483648",
    ),
    "coo, rows and columns": ({"format": b"coo", "row": [0, 1], "col": [0]}, "must be equal"),
    "dia without offsets": ({"format": b"dia"}, "no array 'offsets'"),
    "bsr without blocks": ({"format": b"bsr"}, "not the blocks of"),
}
_NOT_SCIPYS = {
    "empty": b"",
    "an empty archive's start": b"PK\x03\x04",
    "cut": npz(**CSR)[:-30],
    "other arrays": npz(a=[1]),
    "a bracket in an array's header": npz(**CSR).replace(b"(2,), }", b"(2,),(}"),
    "a part before the file": npz(**CSR)[:-6] + struct.pack("<IH", 1 << 20, 0),
}
SCIPY = {
    f"npz, {what}": Wrong("a.npz", npz(**{**CSR, **change}), ":", says) for what, (change, says) in _CHANGES.items()
}
SCIPY |= {
    f"npz, {what}": Wrong("a.npz", content, ": not as scipy.sparse.save_npz writes it")
    for what, content in _NOT_SCIPYS.items()
}
SCIPY |= {"npz, a name damaged": Wrong("a.npz", npz(**CSR).replace(b"data.npy", b"dada.npy"), ": ")}

_SMALL_GAP = gap(False, [[(1, 0)], [(0, 0)]], False)
GAP_FILES = {
    "gap, empty": Wrong("a.sg", b"", ": ", "allowed"),
    "gap, a header cut": Wrong("a.sg", GAP[:10], ": ", "allowed"),
    "gap, no flag": Wrong("a.sg", b"\2" + GAP[1:], ": ", "allowed"),
    "gap, with weights": Wrong("a.sg", gap(True, GAP_ROWS, True), ": ", "take"),
    "gap, too few bytes": Wrong("a.sg", _SMALL_GAP[:-1], ": found 48 bytes; 2 vertices and 2 edges take 49"),
    "gap, too many bytes": Wrong("a.sg", _SMALL_GAP + b"\0", ": found 50 bytes; 2 vertices and 2 edges take 49"),
    "gap, edges overflow": Wrong("a.sg", patched(_SMALL_GAP, 1, "<q", 2**62), ": found 49 bytes"),
    "gap, id 3": Wrong("a.sg", patched(GAP, 49, "<i", 3), ": ", "is 3"),
    "gap, id -1": Wrong("a.sg", patched(GAP, 49, "<i", -1), ": ", "is -1"),
}
GAP_FILES |= {
    f"gap, {edges} edges of {vertices} vertices": Wrong("a.sg", patched(GAP, 1, "<qq", edges, vertices), ": ")
    for edges, vertices in ((3, 1 << 31), (1 << 60, 3), (-1, 3), (3, -1), (3, 0), (3, (1 << 31) + 1))
}
GAP_FILES |= {
    f"gap, offset {value} at byte {place}": Wrong("a.sg", patched(GAP, place, "<q", value), ": ", "indptr")
    for place, value in ((17, 1), (25, 9), (41, 4))
}

WRONG = {**EDGE_LISTS, **MATRIX_MARKET, **METIS, **DIMACS9, **LDBC, **SCIPY, **GAP_FILES}
