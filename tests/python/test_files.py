# SPDX-License-Identifier: Apache-2.0
import bz2
import gzip
import lzma
import math
import os
import pathlib
import sys
import threading

import numpy as np
import pytest

import gaspipe as gp
from bad_files import BANNER
from bad_files import matrix as matrix_market

PACKERS = {"plain": lambda text: text, "gz": gzip.compress, "xz": lzma.compress, "bz2": bz2.compress}


@pytest.fixture
def write(tmp_path):
    """Writes text (or bytes) to a new file and gives its path."""

    def write(text, name="graph.txt"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def edges(graph):
    """All stored (source, destination, weight), sorted; weight None where the graph has none."""
    matrix = graph.to_scipy()
    sources = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr)).tolist()
    weights = matrix.data.tolist() if graph.is_weighted else [None] * len(sources)
    return sorted(zip(sources, matrix.indices.tolist(), weights))


def pairs(graph):
    return [edge[:2] for edge in edges(graph)]


def refusal(path, error=gp.GraphFormatError, **options):
    """The message of the error, which names the file."""
    with pytest.raises(error) as caught:
        gp.Graph.from_file(path, **options)
    assert str(caught.value).startswith(str(path))
    assert isinstance(caught.value, gp.Error) and isinstance(caught.value, ValueError)
    return str(caught.value)[len(str(path)) :]


# Edge lists


def test_an_edge_list_has_a_vertex_for_every_id_up_to_the_largest(write):
    graph = gp.Graph.from_file(write("# SNAP\n% other\n0\t1\n\n5 2\n2 , 2\n"))
    assert pairs(graph) == [(0, 1), (2, 2), (5, 2)]
    assert (graph.num_vertices, graph.num_edges) == (6, 3)
    assert not graph.is_weighted
    assert graph.labels is None


def test_an_edge_list_may_have_windows_line_ends_and_no_final_newline(write):
    assert pairs(gp.Graph.from_file(write("# SNAP\r\n0\t1\r\n\r\n1 2"))) == [(0, 1), (1, 2)]


@pytest.mark.parametrize(
    ("column", "dtype"),
    [
        (["1", "-2", "2147483647"], np.int32),
        (["1", "-2", "2147483648"], np.int64),
        (["1", "2.5", "-1e3"], np.float64),
    ],
)
def test_weights_take_the_narrowest_type_that_holds_them(write, column, dtype):
    graph = gp.Graph.from_file(write("".join(f"{i} {i + 1} {weight}\n" for i, weight in enumerate(column))))
    assert graph.is_weighted
    assert graph.to_scipy().data.dtype == dtype
    assert edges(graph) == [(i, i + 1, float(weight)) for i, weight in enumerate(column)]


def test_relabel_numbers_the_ids_that_occur_and_keeps_them_as_labels(write):
    graph = gp.Graph.from_file(write("9000000000 7\n7 30\n"), relabel=True)
    assert pairs(graph) == [(0, 1), (2, 0)]
    assert graph.labels.dtype == np.int64
    assert graph.labels.tolist() == [7, 30, 9000000000]


def test_a_large_edge_list_keeps_every_edge(write):
    seed = 5
    print("seed", seed)
    ends = np.random.default_rng(seed).integers(0, 50_000, (400_000, 2))
    text = "".join(f"{source}\t{destination}\n" for source, destination in ends.tolist())
    graph = gp.Graph.from_file(write(gzip.compress(text.encode(), 1)))
    assert pairs(graph) == sorted(map(tuple, ends.tolist()))


def test_ids_that_are_far_apart_ask_for_relabel(write):
    assert "relabel=True" in refusal(write("0 1\n4000000000 1\n"), gp.InputError)


# Matrix Market


@pytest.mark.parametrize(
    ("kind", "lines", "expected"),
    [
        ("pattern general", ["3 3 3", "1 2", "3 1", "2 2"], [(0, 1, None), (1, 1, None), (2, 0, None)]),
        ("integer general", ["3 3 2", "1 2 5", "3 1 -7"], [(0, 1, 5), (2, 0, -7)]),
        ("real general", ["3 3 2", "1 2 0.5", "3 1 1e3"], [(0, 1, 0.5), (2, 0, 1000.0)]),
        (
            "pattern symmetric",
            ["3 3 3", "1 1", "2 1", "3 2"],
            [(0, 0, None), (0, 1, None), (1, 0, None), (1, 2, None), (2, 1, None)],
        ),
        ("integer symmetric", ["2 2 2", "1 1 4", "2 1 5"], [(0, 0, 4), (0, 1, 5), (1, 0, 5)]),
        ("real skew-symmetric", ["2 2 1", "2 1 1.5"], [(0, 1, -1.5), (1, 0, 1.5)]),
        ("Integer General", ["2 2 1", "", "1 2 5"], [(0, 1, 5)]),
    ],
)
def test_matrix_market_entries_count_from_one_and_symmetry_gives_both_triangles(write, kind, lines, expected):
    graph = gp.Graph.from_file(write(matrix_market(kind, *lines), "graph.mtx"))
    assert edges(graph) == expected
    assert graph.num_vertices == int(lines[0].split()[0])
    assert graph.is_weighted == ("pattern" not in kind)
    assert graph.labels is None
    if graph.is_weighted:
        assert graph.to_scipy().data.dtype.kind == ("f" if "real" in kind else "i")


def test_matrix_market_may_have_windows_line_ends_and_no_final_newline(write):
    text = matrix_market("pattern general", "3 3 2", "1 2", "3 1").rstrip("\n").replace("\n", "\r\n")
    assert pairs(gp.Graph.from_file(write(text, "graph.mtx"))) == [(0, 1), (2, 0)]


@pytest.mark.needs("scipy.io")
def test_matrix_market_reads_as_scipy_reads_it(write):
    import scipy.io as scipy_io

    seed = 6
    print("seed", seed)
    random = np.random.default_rng(seed)
    cells = np.sort(random.choice(2000 * 2000, 50_000, replace=False))
    weights = random.normal(size=50_000).tolist()
    lines = [f"{c // 2000 + 1} {c % 2000 + 1} {w!r}" for c, w in zip(cells.tolist(), weights)]
    path = write(matrix_market("real general", "2000 2000 50000", *lines), "graph.mtx")
    difference = gp.Graph.from_file(path).to_scipy() - scipy_io.mmread(path)
    assert abs(difference).max() == 0


def test_matrix_market_needs_neither_scipy_nor_fast_matrix_market(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "fast_matrix_market", None)
    monkeypatch.setitem(sys.modules, "scipy.io", None)
    path = write(matrix_market("integer symmetric", "2 2 2", "1 1 4", "2 1 5"), "graph.mtx")
    assert edges(gp.Graph.from_file(path)) == [(0, 0, 4), (0, 1, 5), (1, 0, 5)]


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("real", "1d3", 1000.0),
        ("real", "-1.5D+03", -1500.0),
        ("double", "0.1234567890123456789d-2", 0.001234567890123456789),
        ("real", "+5", 5.0),
        ("real", ".5", 0.5),
        ("real", "5.", 5.0),
        ("real", "7", 7.0),
        ("real", "1E-3", 0.001),
        ("real", "-0.1", -0.1),
        ("real", "99999999999999999999", 1e20),
        ("real", "1.7976931348623157e308", 1.7976931348623157e308),
        ("real", "-Inf", -math.inf),
        ("integer", "+5", 5),
        ("integer", "9223372036854775807", 2**63 - 1),
        ("integer", "-9223372036854775808", -(2**63)),
        ("integer", "0000000000000000000000000000012", 12),
    ],
)
def test_a_matrix_market_value_is_read_as_it_is_written(write, kind, value, expected):
    graph = gp.Graph.from_file(write(matrix_market(f"{kind} general", "2 2 1", f"1 2 {value}"), "graph.mtx"))
    assert graph.weights.dtype == (np.int64 if kind == "integer" else np.float64)
    assert graph.weights.tolist() == [expected]


def test_the_diagonal_of_a_skew_symmetric_matrix_may_hold_zeros(write):
    path = write(matrix_market("real skew-symmetric", "2 2 2", "1 1 0", "2 1 5"), "zero.mtx")
    assert edges(gp.Graph.from_file(path)) == [(0, 0, 0), (0, 1, -5), (1, 0, 5)]


def test_matrix_market_entries_may_stand_between_comments_and_blank_lines(write):
    text = matrix_market(
        "integer general", "", "% sizes", "  3 3\t2 ", "", "% one", "\t1  2 5 ", "   ", "  %two", "3 1 7"
    )
    assert edges(gp.Graph.from_file(write(text, "graph.mtx"))) == [(0, 1, 5), (2, 0, 7)]


@pytest.mark.needs("scipy.io")
@pytest.mark.parametrize("field", ["pattern", "integer", "real"])
@pytest.mark.parametrize("symmetry", ["general", "symmetric", "skew-symmetric"])
def test_matrices_of_every_kind_read_as_scipy_reads_them(write, field, symmetry):
    from scipy import io as scipy_io

    if (field, symmetry) == ("pattern", "skew-symmetric"):
        return  # there is none: SciPy gives the other triangle -1
    seed = 20
    print("seed", seed)
    random = np.random.default_rng(seed)
    n, count = 700, 30_000  # several pieces of text
    rows, columns = np.unravel_index(random.choice(n * n, count, replace=False), (n, n))
    if symmetry != "general":
        below = rows > columns
        rows, columns = rows[below], columns[below]
    values = random.integers(-(10**6), 10**6, len(rows)) if field == "integer" else random.normal(size=len(rows))
    shown = [""] * len(rows) if field == "pattern" else [f" {value!r}" for value in values.tolist()]
    lines = [f"{row + 1} {column + 1}{value}" for row, column, value in zip(rows.tolist(), columns.tolist(), shown)]
    path = write(matrix_market(f"{field} {symmetry}", f"{n} {n} {len(rows)}", *lines), "graph.mtx")
    wanted = scipy_io.mmread(path).tocsr()
    for threads in (1, 2):
        found = gp.Graph.from_file(path, num_threads=threads).to_scipy()
        assert found.nnz == wanted.nnz and (found != wanted).nnz == 0


@pytest.mark.parametrize("packed", ["plain", "gz"])
def test_a_header_that_declares_more_than_the_file_holds_allocates_nothing(write, packed):
    text = matrix_market("real general", "9 9 1000000000000000", "1 1 1")
    found = refusal(write(PACKERS[packed](text.encode()), "graph.mtx"))
    assert "1000000000000000 entries" in found


def test_entries_of_the_shortest_form_pass_the_check_of_the_header(write):
    text = matrix_market("pattern general", "1 1 3", "1 1", "1 1", "1 1")
    assert pairs(gp.Graph.from_file(write(text.rstrip("\n"), "graph.mtx"))) == [(0, 0)] * 3


def test_a_matrix_far_larger_than_its_entries_is_refused(write):
    assert "4000000000 x 4000000000" in refusal(
        write(matrix_market("pattern general", "4000000000 4000000000 1", "1 1"), "graph.mtx"), gp.InputError
    )
    refusal(write(matrix_market("pattern general", "5000000000 5000000000 1", "1 1"), "graph.mtx"))


# Both formats


@pytest.mark.parametrize("packed", PACKERS)
@pytest.mark.parametrize("name", ["graph.txt", "graph.mtx", "graph"])
def test_format_and_compression_are_recognised_whatever_the_name(write, packed, name):
    matrix = write(PACKERS[packed](matrix_market("pattern general", "3 3 2", "1 2", "3 1").encode()), name)
    assert pairs(gp.Graph.from_file(matrix)) == [(0, 1), (2, 0)]
    if not name.endswith(".mtx"):
        assert pairs(gp.Graph.from_file(write(PACKERS[packed](b"0 1\n2 0\n"), name))) == [(0, 1), (2, 0)]


def test_the_name_tells_a_matrix_market_file_whose_content_is_not(write):
    for name in ("graph.mtx", "graph.MTX.GZ", "graph.mtx.xz"):
        assert "%%MatrixMarket" in refusal(write("0 1\n", name))


def test_format_overrules_name_and_content(write):
    assert pairs(gp.Graph.from_file(write("0 1\n", "graph.mtx"), format="edge_list")) == [(0, 1)]
    refusal(write("0 1\n"), format="matrix_market")
    with pytest.raises(gp.InputError, match="edge_list"):
        gp.Graph.from_file(write("0 1\n"), format="gml")


@pytest.mark.parametrize("packed", ["gz", "xz", "bz2"])
@pytest.mark.parametrize("name", ["graph.txt", "graph.mtx"])
def test_compressed_files_that_are_cut_or_damaged_are_refused(write, packed, name):
    seed = 7
    print("seed", seed)
    ends = np.random.default_rng(seed).integers(1, 1000, (5000, 2)).tolist()
    lines = [f"{source} {destination}" for source, destination in ends]
    if name.endswith(".mtx"):
        lines = [BANNER + "pattern general", "1000 1000 5000", *lines]
    whole = PACKERS[packed]("\n".join(lines).encode())
    damaged = bytearray(whole)
    damaged[len(damaged) // 2] ^= 0xFF
    for number, content in enumerate([whole[: len(whole) // 2], whole[:-5], whole[:12], bytes(damaged)]):
        assert "damaged" in refusal(write(content, f"{number}{name}"))


def test_files_of_several_compressed_parts_are_read_to_the_end(write):
    for packed in ("gz", "xz", "bz2"):
        parts = PACKERS[packed](b"0 1\n2") + PACKERS[packed](b" 0\n")
        assert pairs(gp.Graph.from_file(write(parts))) == [(0, 1), (2, 0)]


def test_paths_may_be_strings_or_path_objects_and_have_any_characters(write):
    path = write("0 1\n", "my graph \u00e9.txt")
    assert isinstance(path, pathlib.Path)
    assert pairs(gp.Graph.from_file(path)) == pairs(gp.Graph.from_file(str(path))) == [(0, 1)]
    assert refusal(write("x\n", "my graph 2.txt")).startswith(":1: ")


@pytest.mark.skipif(sys.platform != "linux", reason="file names are bytes on Linux")
def test_a_file_name_that_is_no_utf8_is_read(tmp_path):
    path = os.fsencode(tmp_path) + b"/\xff.txt"
    with open(path, "wb") as file:
        file.write(b"0 1\n")
    assert pairs(gp.Graph.from_file(os.fsdecode(path))) == [(0, 1)]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("name", ["pipe", "pipe.mtx"])
def test_a_pipe_is_read_once(tmp_path, name):
    path = tmp_path / name
    os.mkfifo(path)
    text = matrix_market("pattern general", "2 2 1", "1 2") if name.endswith(".mtx") else "0 1\n"
    writer = threading.Thread(target=path.write_bytes, args=(gzip.compress(text.encode()),))
    writer.start()
    graph = gp.Graph.from_file(path)
    writer.join()
    assert pairs(graph) == [(0, 1)]


@pytest.mark.parametrize("name", ["a\ud800.txt", "a\0.txt"])
def test_a_path_that_no_file_can_have_is_an_input_error(tmp_path, name):
    graph = gp.generate.chain(3)
    path = str(tmp_path / name)
    for use in (gp.Graph.from_file, gp.Graph.load, graph.to_file, graph.save):
        with pytest.raises(gp.InputError, match="NUL or a lone surrogate"):
            use(path)
    with pytest.raises(gp.InputError, match="NUL or a lone surrogate"):
        gp.Graph.from_file(path, format="ldbc")


def test_a_path_of_too_many_letters_is_one_os_error_that_names_it(tmp_path):
    graph = gp.generate.chain(3)
    path = str(tmp_path / ("a" * 300 + ".txt"))
    for use in (gp.Graph.from_file, gp.Graph.load, graph.to_file, graph.save):
        with pytest.raises(OSError, match="File name too long") as caught:
            use(path)
        assert caught.value.filename == path
    assert list(tmp_path.iterdir()) == []


def test_what_the_system_refuses_stays_an_os_error(tmp_path):
    for name in ("missing.txt", "missing.mtx"):
        with pytest.raises(FileNotFoundError):
            gp.Graph.from_file(tmp_path / name)
    with pytest.raises(IsADirectoryError):
        gp.Graph.from_file(tmp_path)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read every file")
def test_a_file_without_permission_stays_a_permission_error(write):
    path = write("0 1\n")
    path.chmod(0)
    with pytest.raises(PermissionError):
        gp.Graph.from_file(path)
