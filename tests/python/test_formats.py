# SPDX-License-Identifier: Apache-2.0
"""METIS, DIMACS-9, LDBC, SciPy and GAP files, and edge lists with a header, against readings that share no code."""

import bz2
import gzip
import io
import lzma
import zipfile

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gaspipe as gp
from bad_files import CSR, GAP_ROWS, gap, npz

PACKERS = {"": lambda text: text, ".gz": gzip.compress, ".xz": lzma.compress, ".bz2": bz2.compress}


@pytest.fixture
def write(tmp_path):
    """Writes text (or bytes) to a file and gives its path."""

    def write(text, name):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def edges(graph):
    """All stored (source, destination[, weight]) with labels for ids, sorted."""
    names = np.arange(graph.num_vertices) if graph.labels is None else graph.labels
    columns = [np.repeat(names, graph.out_degrees()), names[graph.indices]]
    return sorted(zip(*(column.tolist() for column in (*columns, *([graph.weights] if graph.is_weighted else [])))))


def refusal(path, error=gp.GraphFormatError, **options):
    with pytest.raises(error) as caught:
        gp.Graph.from_file(path, **options)
    return str(caught.value)


def text_of(path):
    data = path.read_bytes()
    return {".gz": gzip.decompress, ".xz": lzma.decompress}.get(path.suffix, bytes)(data).decode()


def data_lines(path, comments="#"):
    return [line.split() for line in text_of(path).splitlines() if line.strip() and line[0] not in comments]


def assert_holds(graph, num_vertices, wanted):
    assert graph.num_vertices == num_vertices
    assert edges(graph) == sorted(wanted)


# The real files


@pytest.mark.parametrize(
    "name",
    [
        "acyclicGraph_100",
        "chainGraph_1K",
        "disorderedGraph_9",
        "gridGraph_15",
        "isolatedGraph_1K",
        "maxflowGraph_100",
        "orderedGraph_9",
        "singletonGraph_1",
        "starGraph_1K",
    ],
)
def test_olives_toys_have_the_vertices_and_edges_of_their_header(data_dir, name):
    (header, *rest) = data_lines(data_dir / "olive" / name)
    n, m = map(int, header)
    assert len(rest) == m
    assert_holds(gp.Graph.from_file(data_dir / "olive" / name), n, [tuple(map(int, line)) for line in rest])
    assert_holds(gp.Graph.fromEdgeListFile(data_dir / "olive" / name), n, [tuple(map(int, line)) for line in rest])


@pytest.mark.parametrize(("name", "n"), [("wiki-Vote.txt", 8298), ("web-NotreDame.txt.gz", 325729)])
def test_snap_edge_lists_read_as_line_by_line(data_dir, name, n):
    wanted = [(int(a), int(b)) for a, b in data_lines(data_dir / name)]
    assert_holds(gp.Graph.from_file(data_dir / name), n, wanted)


def test_the_roads_of_california_read_as_line_by_line(data_dir):
    wanted = [(int(a), int(b), float(c)) for a, b, c in data_lines(data_dir / "cal-road.wel.gz")]
    assert_holds(gp.Graph.from_file(data_dir / "cal-road.wel.gz"), 21048, wanted)


@pytest.mark.parametrize("name", ["chesapeake.mtx", "cnr-2000.mtx.xz"])
def test_matrix_market_files_read_as_scipy_reads_them(data_dir, name):
    matrix = scipy.io.mmread(io.BytesIO(text_of(data_dir / name).encode())).tocoo()
    assert_holds(gp.Graph.from_file(data_dir / name), matrix.shape[0], zip(matrix.row.tolist(), matrix.col.tolist()))


@pytest.mark.parametrize(
    ("name", "n", "m"), [("lesmis", 77, 254), ("wing", 62032, 121544), ("cnr-2000-sym", 325557, 2738969)]
)
def test_metis_files_read_as_line_by_line(data_dir, name, n, m):
    (path,) = data_dir.glob(f"{name}.graph*")
    header, *rows = [line.split() for line in text_of(path).split("\n") if not line.startswith("%")]
    assert [int(number) for number in header[:2]] == [n, m]
    graph = gp.Graph.from_file(path)
    if name == "lesmis":
        wanted = [(u, int(v) - 1, int(w)) for u, row in enumerate(rows) for v, w in zip(row[::2], row[1::2])]
    else:
        wanted = [(u, int(v) - 1) for u, row in enumerate(rows) for v in row]
    assert len(wanted) == 2 * m
    assert_holds(graph, n, wanted)
    assert_holds(gp.Graph.from_dimacs_file(path), n, wanted)


def test_the_roads_of_new_york_read_as_line_by_line(data_dir):
    lines = data_lines(data_dir / "USA-road-d.NY.gr.xz", "c")
    assert lines[0] == ["p", "sp", "264346", "730100"]
    wanted = [(int(a) - 1, int(b) - 1, int(c)) for _, a, b, c in lines[1:]]
    assert_holds(gp.Graph.from_file(data_dir / "USA-road-d.NY.gr.xz"), 264346, wanted)


@pytest.mark.parametrize("suffix", ["", ".v", ".e", ".properties"])
@pytest.mark.parametrize(("name", "directed"), [("example-directed", True), ("example-undirected", False)])
def test_ldbc_files_read_as_line_by_line(data_dir, name, directed, suffix):
    wanted = [(int(a), int(b), float(w)) for a, b, w in data_lines(data_dir / "ldbc" / f"{name}.e")]
    if not directed:
        wanted += [(b, a, w) for a, b, w in wanted]
    ids = [int(line[0]) for line in data_lines(data_dir / "ldbc" / f"{name}.v")]
    options = {"format": "ldbc"} if suffix == ".properties" else {}
    graph = gp.Graph.from_file(data_dir / "ldbc" / f"{name}{suffix}", **options)
    assert graph.labels.tolist() == sorted(ids)
    assert_holds(graph, len(ids), wanted)


# Edge lists with a header


def test_header_decides_what_the_first_line_is(write):
    path = write("# n m\n5 1\n0 1\n", "graph.txt")
    assert_holds(gp.Graph.from_file(path), 5, [(0, 1)])
    assert_holds(gp.Graph.from_file(path, header=True), 5, [(0, 1)])
    assert_holds(gp.Graph.from_edge_list_file(path, header=False), 6, [(0, 1), (5, 1)])
    found = refusal(write("5 2\n0 1\n", "short.txt"), header=True)
    assert found.endswith("short.txt:1: the header says 2 edges, but 1 edge lines follow")


# METIS


@pytest.mark.parametrize("packed", PACKERS)
@pytest.mark.parametrize("name", ["web.graph", "web.METIS"])
def test_metis_files_are_recognised_by_name_and_unpacked(write, name, packed):
    path = write(PACKERS[packed](b"% c\n3 1\n2\n1\n\n"), name + packed)
    assert_holds(gp.Graph.from_file(path), 3, [(0, 1), (1, 0)])
    assert_holds(gp.Graph.fromDimacsFile(write(path.read_bytes(), "web.txt")), 3, [(0, 1), (1, 0)])


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ("14 11 100", ["2 3 4", "", "2 5 7", "7", "", "1 1 13 8"]),  # as GAP's 4.graph: each entry an edge, a loop too
        ("14 5 1", ["2 19 3 5", "", "2 250", "7 176", "1 1"]),  # as its 4w.graph
        ("14 2 10", ["5 2", "6 1", *12 * ["1"]]),  # weights of vertices come first
    ],
)
def test_metis_files_that_list_each_edge_one_way_are_read_with_directed(write, header, rows):
    rows = rows + [""] * (14 - len(rows))
    path = write("\n".join(["% one way", header, *rows, ""]), "one.graph")
    skip, step = header.endswith(" 10"), 1 + header.endswith(" 1")
    lists = [list(map(int, row.split()))[skip:] for row in rows]
    wanted = [(u, row[i] - 1, *row[i + 1 : i + step]) for u, row in enumerate(lists) for i in range(0, len(row), step)]
    assert_holds(gp.Graph.from_file(path, directed=True), 14, wanted)
    for options in ({}, {"directed": False}):
        assert "read it with directed=True" in refusal(path, **options)
    both = write("3 2\n2\n1 3\n2\n", "both.graph")
    assert "2 neighbours make with directed=True; found 4, as without it" in refusal(both, directed=True)
    assert_holds(gp.Graph.from_file(both, directed=False), 3, [(0, 1), (1, 0), (1, 2), (2, 1)])


def test_a_metis_file_of_far_more_neighbours_than_it_says_takes_no_memory_for_them(write):
    path = write("2 1\n" + "2 " * 3_000_000 + "x\n1\n", "long.graph")  # its end would be told first
    told = refusal(path)
    assert ":1: the header says 1 edges, and there are " in told
    assert " neighbours before the file ends" in told


def test_metis_weights_take_the_type_that_holds_them(write):
    for weight, dtype in ((2**31 - 1, np.int32), (2**31, np.int64)):
        graph = gp.Graph.from_file(write(f"2 1 1\n2 {weight}\n1 {weight}\n", "web.graph"))
        assert graph.weights.dtype == dtype
        assert edges(graph) == [(0, 1, weight), (1, 0, weight)]


def test_metis_keeps_weights_and_sizes_of_vertices_beside_the_graph(write):
    graph = gp.Graph.from_file(write("2 1 111 2\n40 1 2 2 9\n50 3 4 1 9\n", "web.graph"))
    assert graph.vertex_data["weights"].tolist() == [[1, 2], [3, 4]]
    assert graph.vertex_data["sizes"].tolist() == [40, 50]
    assert graph.weights.tolist() == [9, 9]
    plain = gp.Graph.from_file(write("2 0 1\n\n\n", "plain.graph"))
    assert dict(plain.vertex_data) == {}
    assert plain.num_edges == 0


def rectangular_matrices():
    rng = np.random.default_rng(7)
    for rows, columns in ((3, 5), (5, 3), (1, 4), (4, 1), (3, 3), (0, 2), (2, 0), (0, 0)):
        yield scipy.sparse.csr_array(np.triu(rng.integers(0, 4, (rows, columns)), -1))


@pytest.mark.parametrize("layout", ["csr", "csc", "coo", "bsr", "dia"])
def test_npz_reads_rectangles_when_asked(tmp_path, layout):
    for matrix in rectangular_matrices():
        if layout == "bsr" and 0 in matrix.shape:
            continue
        path = tmp_path / "m.npz"
        scipy.sparse.save_npz(path, matrix.asformat(layout))
        graph = gp.Graph.from_file(path, rectangular=True)
        assert graph.shape == matrix.shape
        assert graph.num_vertices == max(*matrix.shape, 1)
        assert np.array_equal(graph.to_scipy().toarray(), matrix.toarray())
        if graph.shape != (3, 3):
            with pytest.raises(gp.InputError, match=r"m\.npz: .*(a graph needs a square one|no vertices)"):
                gp.Graph.from_file(path)


def test_matrix_market_reads_rectangles_when_asked(tmp_path):
    for matrix in rectangular_matrices():
        if 0 in matrix.shape:
            continue
        path = tmp_path / "m.mtx"
        scipy.io.mmwrite(path, matrix)
        graph = gp.Graph.from_file(path, rectangular=True)
        assert graph.shape == matrix.shape
        assert np.array_equal(graph.to_scipy().toarray(), matrix.toarray())


def test_matrix_market_reads_a_matrix_of_0_x_0_when_asked(write, tmp_path):
    path = write("%%MatrixMarket matrix coordinate real general\n0 0 0\n", "m.mtx")
    gp.convert(path, tmp_path / "m.gaspipe", rectangular=True)
    for graph in (gp.Graph.from_file(path, rectangular=True), gp.Graph.load(tmp_path / "m.gaspipe")):
        assert (graph.shape, graph.num_vertices) == ((0, 0), 1)
    for read in (gp.Graph.from_file, lambda file: gp.convert(file, tmp_path / "m.gaspipe")):
        with pytest.raises(gp.InputError, match=r"m\.mtx: graph has no vertices"):
            read(path)


def test_rectangular_is_for_formats_that_hold_matrices(write):
    with pytest.raises(gp.InputError, match="rectangular= is for format 'matrix_market' and 'npz'"):
        gp.Graph.from_file(write("0 1\n", "e.txt"), rectangular=True)


def test_dialect_says_what_fmt_100_means(write):
    loops = write("3 5 100\n1 2\n1 3\n2\n", "loops.graph")
    for options in ({}, {"dialect": "dimacs10"}):
        assert_holds(gp.Graph.from_file(loops, **options), 3, [(0, 0), (0, 1), (1, 0), (1, 2), (2, 1)])
    assert ":1: " in refusal(loops, dialect="metis")
    sizes = write("2 1 100\n7 2\n7 1\n", "sizes.graph")
    for options in ({}, {"dialect": "metis"}):
        assert_holds(gp.Graph.from_dimacs_file(sizes, **options), 2, [(0, 1), (1, 0)])
    assert ":2: found vertex id 7" in refusal(sizes, dialect="dimacs10")
    with pytest.raises(gp.InputError, match="'metis' and 'dimacs10'"):
        gp.Graph.from_file(sizes, dialect="olive")


# Matrix Market


def test_a_last_line_that_ends_oddly_does_not_crash_the_matrix_market_reader(write):
    start = "%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 2 5\n"
    assert_holds(gp.Graph.from_file(write(start + "3 1 7 ", "a.mtx")), 3, [(0, 1, 5), (2, 0, 7)])


# DIMACS-9


@pytest.mark.parametrize("packed", PACKERS)
@pytest.mark.parametrize("name", ["roads.gr", "roads"])
def test_dimacs9_files_are_recognised_by_name_or_content(write, name, packed):
    text = b"c roads\nc\np sp 4 2\na 1 2 803\na 4 1 -7\n"
    graph = gp.Graph.from_file(write(PACKERS[packed](text), name + packed))
    assert_holds(graph, 4, [(0, 1, 803), (3, 0, -7)])


# LDBC


def test_ldbc_keeps_isolated_vertices_and_64_bit_ids(write, tmp_path):
    largest = 2**63 - 1
    write(f"{largest}\n7\n\n30\r\n", "a.v")
    write(f"7 {largest}\n7 7\n", "a.e")
    for path in (tmp_path / "a", tmp_path / "a.v", tmp_path / "a.e"):
        graph = gp.Graph.from_file(path, directed=True)
        assert graph.labels.tolist() == [7, 30, largest]
        assert_holds(graph, 3, [(7, 7), (7, largest)])
    graph = gp.Graph.from_file(tmp_path / "a", directed=False)
    assert_holds(graph, 3, [(7, 7), (7, largest), (largest, 7)])


@pytest.mark.parametrize("packed", PACKERS)
def test_ldbc_files_may_be_packed_and_have_no_edges(write, tmp_path, packed):
    write(PACKERS[packed](b"3\n1"), "a.v" + packed)
    write(PACKERS[packed](b""), "a.e" + packed)
    graph = gp.Graph.from_file(tmp_path / "a", directed=True)
    assert graph.labels.tolist() == [1, 3]
    assert graph.num_edges == 0


def test_ldbc_properties_say_whether_edges_are_directed(write, tmp_path):
    write("1\n2\n", "a.v")
    write("1 2 0.5\n", "a.e")
    path = tmp_path / "a"
    assert "give directed=" in refusal(path, gp.InputError)
    write("graph.a.directed = false\n", "a.properties")
    assert_holds(gp.Graph.from_file(path), 2, [(1, 2, 0.5), (2, 1, 0.5)])
    assert "directed=True" in refusal(path, gp.InputError, directed=True)
    write("# c\ngraph.a.directed = maybe\n", "a.properties")
    assert 'a.properties:2: found "maybe"; allowed are true and false' in refusal(path)
    write("graph.a.directed = true\ngraph.a.meta.vertices = 3\n", "a.properties")
    assert "found 2 vertices" in refusal(path)
    write("graph.a.directed = true\ngraph.a.meta.edges = 3\n", "a.properties")
    assert "found 1 edges" in refusal(path)


def test_an_ldbc_part_that_is_missing_stays_an_os_error(write):
    with pytest.raises(FileNotFoundError, match=r"a\.e"):
        gp.Graph.from_file(write("1\n", "a.v"), directed=True)
    assert_holds(gp.Graph.from_file(write("0 1\n", "b.e")), 2, [(0, 1)])  # alone it is an edge list


# SciPy


@pytest.mark.parametrize("layout", ["csr", "csc", "coo", "bsr", "dia"])
@pytest.mark.parametrize("dtype", [bool, np.int8, np.int32, np.int64, np.float32, np.float64])
@pytest.mark.parametrize("kind", ["array", "matrix"])
def test_npz_files_read_as_the_matrix_itself(tmp_path, rng, layout, dtype, kind):
    dense = rng.integers(0, 3, (6, 6)).astype(dtype)
    matrix = getattr(scipy.sparse, f"{layout}_{kind}")(dense)
    for compressed in (True, False):
        scipy.sparse.save_npz(tmp_path / "a.npz", matrix, compressed=compressed)
        graph, wanted = gp.Graph.from_file(tmp_path / "a.npz"), gp.Graph(matrix)
        assert edges(graph) == edges(wanted)
        assert graph.num_vertices == 6
        assert graph.is_weighted == wanted.is_weighted


def test_npz_files_are_recognised_by_content_and_unpacked(tmp_path, write):
    matrix = scipy.sparse.csr_array(np.array([[0, 5], [0, 0]]))
    scipy.sparse.save_npz(tmp_path / "a.npz", matrix)
    for packed, pack in PACKERS.items():
        path = write(pack((tmp_path / "a.npz").read_bytes()), "noname" + packed)
        assert_holds(gp.Graph.from_file(path), 2, [(0, 1, 5)])


def test_an_npz_that_is_not_square_is_refused(write):
    assert "square" in refusal(write(npz(**{**CSR, "shape": (2, 3)}), "a.npz"), gp.InputError)


def test_an_npz_that_declares_more_than_it_holds_allocates_nothing(write):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, values in CSR.items():
            member = io.BytesIO()
            np.save(member, np.array(values))
            text = member.getvalue()
            archive.writestr(
                f"{name}.npy",
                text.replace(b"(1,), }" + b" " * 14, b"(1000000000000,), }  ") if name == "data" else text,
            )
    assert "takes 8000000000000 bytes" in refusal(write(file.getvalue(), "a.npz"))


# GAP


@pytest.mark.parametrize("packed", PACKERS)
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("suffix", ["sg", "wsg"])
def test_gap_files_have_the_out_edges_of_every_row(write, suffix, directed, packed):
    weighted = suffix == "wsg"
    path = write(PACKERS[packed](gap(directed, GAP_ROWS, weighted)), f"a.{suffix}{packed}")
    wanted = [(u, *pair[: 1 + weighted]) for u, row in enumerate(GAP_ROWS) for pair in row]
    assert_holds(gp.Graph.from_file(path), 3, wanted)
    assert_holds(gp.Graph.from_file(write(path.read_bytes(), "a"), format="gap"), 3, wanted)


# All


def test_options_are_refused_where_a_format_has_no_use_for_them(write):
    text = write("0 1\n", "graph.txt")
    for options in ({"dialect": "metis"}, {"columns": ["a", "b"]}):
        assert "is for format" in refusal(text, gp.InputError, **options)
    rows = write("1 0\n\n", "web.graph")
    for options in ({"relabel": True}, {"header": True}):
        assert "is for format" in refusal(rows, gp.InputError, **options)
    assert "'edge_list', 'matrix_market', 'metis', 'dimacs9', 'ldbc', 'npz', 'gap'" in refusal(
        text, gp.InputError, format="gml"
    )


SMALL = {
    "a.txt": b"# c\n9 3\n0 1 7\n\n5 4 8.5\r\n5,4,1e3\n",
    "a.graph": b"% c\n4 2 11 2\n1 1\n2 3 3 5 4 6\n0 0 2 5\n0 0 2 6\n",
    "b.graph": b"3 5 100\n1 2\n1 3\n2\n",
    "a.gr": b"c x\np sp 4 2\na 1 2 803\nc\na 2 1 7\n",
    "a.mtx": b"%%MatrixMarket matrix coordinate integer general\n% c\n3 3 2\n1 2 5\n3 1 7\n",
    "a.npz": npz(**CSR),
    "a.sg": gap(True, GAP_ROWS, False),
    "a.wsg": gap(False, GAP_ROWS, True),
    "a.v": b"1\n2\n30\n",
    "a.e": b"1 2 0.5\n30 1 2\n",
    "a.txt.gz": gzip.compress(b"0 1\n2 0\n", mtime=0),
}
CHANGES = st.lists(
    st.tuples(st.sampled_from(["set", "insert", "cut", "copy"]), st.integers(0, 1 << 16), st.integers(0, 255)),
    min_size=1,
    max_size=4,
)


@pytest.mark.parametrize("name", SMALL)
@settings(max_examples=150, deadline=2000, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=CHANGES)
def test_changed_bytes_make_a_graph_or_an_error(tmp_path, name, changes):
    content = bytearray(SMALL[name])
    for kind, place, byte in changes:
        place %= len(content) + 1
        if kind == "set":
            content[place : place + 1] = bytes([byte])
        elif kind == "insert":
            content[place:place] = bytes([byte])
        elif kind == "cut":
            del content[place:]
        else:
            content[place:place] = content[place : place + byte]
    for other in ("a.v", "a.e"):
        (tmp_path / other).write_bytes(SMALL[other])
    (tmp_path / name).write_bytes(content)
    options = {"format": "ldbc", "directed": True} if name in ("a.v", "a.e") else {}
    try:
        graph = gp.Graph.from_file(tmp_path / name, **options)
    except (gp.Error, OSError):
        return
    assert graph.num_vertices >= 1
    assert int(graph.out_degrees().sum()) == graph.num_edges
