# SPDX-License-Identifier: Apache-2.0
"""Files that are no edge lists, but of which pandas and NetworkX make graphs: the error says how, and that works."""

import gzip
import re

import networkx as nx
import pandas as pd
import pytest

import gaspipe as gp

EDGES = [("amy", "bob", 2), ("bob", "cat", 3), ("cat", "amy", 4)]
TABLE = pd.DataFrame(EDGES, columns=["from", "to", "weight"])


def hint(path, **options):
    with pytest.raises(gp.GraphFormatError) as caught:
        gp.Graph.from_file(path, **options)
    message = str(caught.value)
    assert message.startswith(str(path)) and "\n" not in message
    found = re.search(r"gaspipe\.Graph.*$", message)
    return found and found[0]


def graphml(path):
    graph = nx.DiGraph()
    graph.add_weighted_edges_from(EDGES)
    nx.write_graphml(graph, path)


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("e.csv", lambda path: TABLE.to_csv(path, index=False)),
        ("e.csv.gz", lambda path: path.write_bytes(gzip.compress(TABLE.to_csv(index=False).encode()))),
        ("e.tsv", lambda path: path.write_bytes(b"# people\n" + TABLE.to_csv(index=False, sep="\t").encode())),
        ("e.txt", lambda path: TABLE.to_csv(path, index=False, sep=";")),
        ("e.parquet", TABLE.to_parquet),
        ("e.graphml", graphml),
    ],
)
def test_the_error_says_what_reads_the_file(tmp_path, name, write):
    path = tmp_path / name
    write(path)
    how = hint(path)
    if name == "e.tsv":  # pandas has to be told of comments
        how = how.replace("sep=", "comment='#', sep=")
    graph = eval(how, {"gaspipe": gp, "pandas": pd, "networkx": nx, "path": path})
    found = {tuple(row) for row in graph.to_table().to_numpy().tolist()}
    assert found == set(EDGES)
    with pytest.raises(gp.GraphFormatError, match=r"gaspipe\.Graph"):
        gp.convert(path, tmp_path / "out.gaspipe", memory="64 MB")


@pytest.mark.parametrize("content", [b"", b"1,2\n3,x\n", b"1 2 3 4\n", b"\0\1,\2", b"word\n", b"\x1f\x8bgz"])
def test_other_faults_get_no_hint(tmp_path, content):
    path = tmp_path / "e.csv"
    path.write_bytes(content)
    assert hint(path, format="edge_list") is None
