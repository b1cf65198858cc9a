# SPDX-License-Identifier: Apache-2.0
"""CSV with a header or with names, Parquet and GraphML: as pandas and NetworkX write them, and faulty ones."""

import gzip
import itertools
import subprocess
import sys

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import gaspipe as gp
from command import environment, gaspipe

EDGES = [("amy", "bob", 2), ("bob", "cat", 3), ("cat", "amy", 4), ("cat", "cat", 5)]
TABLE = pd.DataFrame(EDGES, columns=["from", "to", "weight"])


def edges_of(graph):
    return sorted(map(tuple, graph.to_table().to_numpy().tolist()))


def networkx_graph(kind):
    graph = kind()
    graph.add_nodes_from(["zoe", "amy"])  # one without edges
    graph.add_weighted_edges_from(EDGES)
    return graph


WRITERS = {
    "e.csv": lambda path: TABLE.to_csv(path, index=False),
    "e.csv.gz": lambda path: path.write_bytes(gzip.compress(TABLE.to_csv(index=False).encode())),
    "e.tsv": lambda path: path.write_bytes(b"# people\n\n" + TABLE.to_csv(index=False, sep="\t").encode()),
    "e.txt": lambda path: TABLE.to_csv(path, index=False, sep=";", encoding="utf-8-sig"),
    "headless.csv": lambda path: TABLE.to_csv(path, index=False, header=False),
    "quoted.csv": lambda path: path.write_text(
        TABLE.to_csv(index=False, quoting=1).replace(",", ", ").replace('"', "")
    ),
    "e.parquet": TABLE.to_parquet,
    "parquet": TABLE.to_parquet,
    "e.graphml": lambda path: nx.write_graphml(networkx_graph(nx.DiGraph), path),
    "graphml.xml": lambda path: nx.write_graphml(networkx_graph(nx.DiGraph), path),
}


@pytest.mark.parametrize("name", WRITERS)
def test_they_are_read_with_names_as_labels(tmp_path, name):
    WRITERS[name](tmp_path / name)
    graph = gp.Graph.from_file(tmp_path / name)
    assert edges_of(graph) == EDGES
    assert graph.to_table()["weight"].dtype == np.int64
    gp.convert(tmp_path / name, tmp_path / "out.gaspipe", memory="64 MB")
    assert edges_of(gp.Graph.load(tmp_path / "out.gaspipe")) == EDGES


def test_columns_are_chosen_and_integers_are_vertices(tmp_path):
    rng = np.random.default_rng(3)
    ends = rng.integers(0, 500, (2, 5000))
    table = pd.DataFrame({"note": ["x, y"] * 5000, "a": ends[0], "b": ends[1], "w": rng.random(5000)})
    table.to_csv(tmp_path / "t.csv", index=False)
    table.to_parquet(tmp_path / "t.parquet")
    wanted = sorted(zip(*ends.tolist(), table["w"].tolist()))
    for name in ("t.csv", "t.parquet"):
        graph = gp.Graph.from_file(tmp_path / name, columns=("a", "b", "w"))
        assert graph.labels is None and edges_of(graph) == wanted
        plain = gp.Graph.from_file(tmp_path / name, columns=["b", "a"])
        assert not plain.is_weighted
        assert np.array_equal(plain.out_degrees(), np.bincount(ends[1], minlength=plain.num_vertices))
        with pytest.raises(gp.InputError, match=r"give columns= .*'note', 'a', 'b', 'w'"):
            gp.Graph.from_file(tmp_path / name)
        with pytest.raises(gp.InputError, match=r"destination is 'bb', .*; near it: 'b'"):
            gp.Graph.from_file(tmp_path / name, columns=["a", "bb"])
        for columns in ("ab", ["a"], [1, 2], ["a", "b", "w", "note"]):
            with pytest.raises(gp.InputError, match="two or three names"):
                gp.Graph.from_file(tmp_path / name, columns=columns)
        told = gaspipe("info", tmp_path / name, "--columns", "a, b,w").stdout
        assert f"{graph.num_vertices} vertices, 5,000 edges, float64 weights" in told
    table.assign(a=table["a"] * 10**9).to_csv(tmp_path / "wide.csv", index=False)
    wide = gp.Graph.from_file(tmp_path / "wide.csv", columns=["a", "b"], relabel=True)
    assert set(wide.labels.tolist()) == {*(ends[0] * 10**9).tolist(), *ends[1].tolist()}


def test_a_header_is_told_from_names_or_asked_for(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("who,whom\namy,bob\n")
    with pytest.raises(gp.InputError, match="whether the first row, 'who', 'whom', names the columns; give header="):
        gp.Graph.from_file(path)
    assert gp.Graph.from_file(path, header=True).labels.tolist() == ["amy", "bob"]
    assert gp.Graph.from_file(path, header=False).labels.tolist() == ["amy", "bob", "who", "whom"]
    assert gp.Graph.from_file(path, columns=["whom", "who"]).to_table().to_numpy().tolist() == [["bob", "amy"]]
    for text in ("w,x\ny,z\n", "to,amy\nbob,cat\n"):  # vertices may be called as columns are
        path.write_text(text)
        with pytest.raises(gp.InputError, match="whether the first row"):
            gp.Graph.from_file(path)
    path.write_bytes("# one\u2028comment\nfrom,to\n1,2\n".encode())
    assert gp.Graph.from_file(path).num_edges == 1
    for text, vertices in (("a,b\n1,2\n", 3), ("src;dst\nx;y\n", 2), ("1,2\n2,3\n", 4)):
        path.write_text(text)
        assert gp.Graph.from_file(path).num_vertices == vertices, text


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("before", ["", "# a comment\n" * 500])
def test_a_long_first_row_is_read_whole(tmp_path, pack, before):
    path = tmp_path / "t.csv"
    names = [*(f"a column with a long name, {i}" for i in range(400)), "source", "target"]
    table = pd.DataFrame([[0] * 400 + [3, 5], [0] * 400 + [1, 3]], columns=names)
    path.write_bytes(pack((before + table.to_csv(index=False)).encode()))
    graph = gp.Graph.from_file(path, format="csv")
    assert graph.to_table().to_numpy().tolist() == [[1, 3], [3, 5]]
    chosen = gp.Graph.from_file(path, format="csv", columns=("target", "source", names[0]))
    assert chosen.to_table().to_numpy().tolist() == [[3, 1, 0], [5, 3, 0]]
    path.write_text("source,target," + "x" * 2**20 + "\n1,2,3\n")
    with pytest.raises(gp.GraphFormatError, match=r"t\.csv:1: the line is longer than 1 MiB"):
        gp.Graph.from_file(path, format="csv")


@pytest.mark.parametrize(
    ("text", "encoding", "says"),
    [
        ("from,to\namy,bob\nbob,zo\u00eb\n", "latin-1", r':3: found "bob,zo\xeb", which is not UTF-8; save'),
        ("# \u00eb\r\nfrom,to,fa\u00e7on\r\namy,bob,1\r\n", "latin-1", r':2: found "from,to,fa\xe7on", which is not'),
        ("from,to\ramy,bob\rbob,zo\u00eb\r", "cp1252", r':3: found "bob,zo\xeb", which is not UTF-8; save'),
        ("from,to\namy,bob\n" * 200000 + "bob,zo\u00eb\n", "latin-1", r":400001: found"),
        ("from,to\namy,bob\n", "utf-16", ": found a NUL, as in UTF-16 or binary files; save the file as CSV in UTF-8"),
    ],
)
def test_text_that_is_not_utf_8_is_refused_with_its_line(tmp_path, text, encoding, says):
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode(encoding))
    with pytest.raises(gp.GraphFormatError) as caught:
        gp.Graph.from_file(path, format="csv")
    assert str(caught.value).startswith(f"{path}{says}")
    path.write_text(text, encoding="utf-8")
    assert gp.Graph.from_file(path, format="csv").labels[:2].tolist() == ["amy", "bob"]


def test_columns_that_are_not_read_may_be_in_any_encoding(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("from,to,note\namy,bob,zo\u00eb\n".encode("latin-1"))
    assert gp.Graph.from_file(path, columns=("from", "to")).labels.tolist() == ["amy", "bob"]


@pytest.mark.parametrize(
    "text",
    [
        "from\tto\tmiles, by road\nAmy, A.\tBob\t2\n",
        "from;to;miles, by road\nAmy, A.;Bob;2\n",
        "Amy, A.\tBob\t2\nAmy, A.\tBob\t2\n",
        '"Amy, A."\tBob\t2\n"Amy, A."\tBob\t2\n',
        'from,to,miles;kilometres\n"Amy, A.",Bob,2\n',
    ],
)
def test_marks_within_names_do_not_separate_columns(tmp_path, text):
    path = tmp_path / "t.csv"
    path.write_text(text)
    has_header = text.startswith("from")
    graph = gp.Graph.from_file(path, header=has_header, format="csv")
    assert edges_of(graph) == [("Amy, A.", "Bob", 2)] * (1 if has_header else 2)


@pytest.mark.parametrize("kind", [nx.Graph, nx.MultiDiGraph, nx.MultiGraph])
def test_graphml_keeps_order_direction_and_edges_without_weights(tmp_path, kind):
    path = tmp_path / "g.graphml"
    graph = networkx_graph(kind)
    nx.write_graphml(graph, path)
    found = gp.Graph.from_file(path)
    assert found.labels.tolist() == list(graph)
    ends = [(u, v, w) for u, v, w in graph.edges(data="weight")]
    wanted = ends if graph.is_directed() else [*ends, *((v, u, w) for u, v, w in ends if u != v)]
    assert edges_of(found) == sorted(wanted)
    nx.write_graphml(nx.path_graph(3, create_using=kind), path)
    assert not gp.Graph.from_file(path).is_weighted


DOCTYPE = '<!DOCTYPE g [<!ENTITY a "aa"><!ENTITY b "&a;&a;&a;&a;">]>'
NODES = '<node id="a"/><node id="b"/>'
KEY = '<key id="k" for="edge" attr.name="weight" attr.type="{}">{}</key>'


def markup(body, before="", kind="directed"):
    return f'<graphml>{before}<graph edgedefault="{kind}">\n{body}</graph></graphml>'


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("g.csv", "from,to\n", "no row"),
        ("g.csv", "from,to\n1\n", "Expected 2 columns"),
        ("g.csv", "from,to\n1,2\n3,\n", "column 'to' has a null in row 1"),
        ("g.csv", "from,to\n1,x\n", "must be called by the same type"),
        ("g.csv", "from,to\n1.5,2\n", "vertex ids are integers"),
        ("g.csv", "from,to\n-1,2\n", "is -1"),
        ("g.parquet", "PAR1", "g.parquet: Parquet"),
        ("g.graphml", markup(""), ": there are no nodes; at least one is needed"),
        ("g.graphml", DOCTYPE + markup("&b;"), ":1: the file declares entities"),
        ("g.graphml", "", ":1: no element found"),
        ("g.graphml", '<?xml version="1.0" encoding="none"?><graphml/>', ":1: unknown encoding"),
        ("g.graphml", '<?xml version="1.0" encoding="big5"?><graphml/>', ":1: multi-byte encodings"),
        ("g.graphml", "<html/>", "'html', not 'graphml'"),
        ("g.graphml", "<graphml/>", "there is no graph"),
        ("g.graphml", markup(NODES)[:-9], ":2: unclosed token"),
        ("g.graphml", markup('<node id="a"/>\n<node id="a"/>'), ":3: a second node is called 'a'"),
        ("g.graphml", markup('<edge source="a" target="a"/>'), ":2: the edge has the end 'a', and no node"),
        ("g.graphml", markup(NODES + '<edge source="a"/>'), "no 'target' of the edge"),
        ("g.graphml", markup('<node id="a"><graph/></node>'), "a graph within a graph"),
        ("g.graphml", markup("<hyperedge/>"), "hyperedges"),
        ("g.graphml", markup(NODES + '<edge source="a" target="b" directed="false"/>'), "graphs with both"),
        ("g.graphml", markup("", kind="both"), "edgedefault is 'both'"),
        ("g.graphml", markup("", KEY.format("string", "")), "weights are of type 'string'"),
        ("g.graphml", markup(NODES + '<edge source="a" target="b"/>', KEY.format("int", "")), "no 'weight'"),
        (
            "g.graphml",
            markup(NODES + '<edge source="a" target="b"><data key="k">nan</data></edge>', KEY.format("double", "")),
            "the weight is 'nan'",
        ),
        *(
            (
                "g.graphml",
                markup(f'{NODES}<edge source="a" target="b"><data key="k">{text}</data></edge>', KEY.format(kind, "")),
                f":2: the weight is '{text}', no number",
            )
            for kind, text in (("int", "1_0"), ("double", "1_0.5"), ("int", "\u0663"), ("double", "\u0663.5"))
        ),
    ],
)
def test_what_is_wrong_is_told_with_the_file(tmp_path, name, text, message):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(gp.Error, match=message) as caught:
        gp.Graph.from_file(path)
    assert isinstance(caught.value, (gp.InputError, gp.GraphFormatError))
    assert str(path) in str(caught.value)


def test_a_default_weight_and_nodes_behind_edges(tmp_path):
    path = tmp_path / "g.graphml"
    edges = '<edge source="b" target="a"><data key="k"> 7 </data></edge><edge source="a" target="b"/>'
    path.write_text(markup(edges + NODES, KEY.format("int", "<default>3</default>")))
    assert edges_of(gp.Graph.from_file(path)) == [("a", "b", 3), ("b", "a", 7)]


def test_every_cut_of_a_file_is_read_or_refused(tmp_path):
    for name in ("e.csv", "e.parquet", "e.graphml"):
        WRITERS[name](tmp_path / name)
        whole = (tmp_path / name).read_bytes()
        for end in itertools.chain(range(0, min(len(whole), 120)), range(120, len(whole), 97)):
            (tmp_path / f"cut-{name}").write_bytes(whole[:end])
            try:
                gp.Graph.from_file(tmp_path / f"cut-{name}")
            except (gp.GraphFormatError, gp.InputError) as error:
                assert "\n" not in str(error)


def test_without_pyarrow_it_is_told_what_to_install(tmp_path, monkeypatch):
    WRITERS["e.csv"](tmp_path / "e.csv")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(gp.InputError, match="CSV is read with pyarrow, which is missing; pip install pyarrow"):
        gp.Graph.from_file(tmp_path / "e.csv")


def test_nothing_else_has_to_be_imported_before(tmp_path):
    for name in ("e.csv", "e.parquet", "e.graphml"):
        WRITERS[name](tmp_path / name)
        program = f"import gaspipe as gp; print(gp.Graph.from_file({str(tmp_path / name)!r}).num_edges)"
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment())
        assert (done.stdout, done.stderr) == ("4\n", "")
