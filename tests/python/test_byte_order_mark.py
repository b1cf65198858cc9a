# SPDX-License-Identifier: Apache-2.0
"""Text files that start with a UTF-8 byte order mark, as spreadsheets write them, hold what they hold without it."""

import codecs
import gzip

import pytest

import gaspipe as gp
from command import gaspipe

TEXTS = {
    "g.txt": b"# c\n0 1 5\n1 2 6\n",
    "g.csv": b"0,1,5\n1,2,6\n",
    "g.mtx": b"%%MatrixMarket matrix coordinate integer general\n% c\n3 3 2\n1 2 5\n2 3 6\n",
    "matrix": b"%%MatrixMarket matrix coordinate integer general\n% c\n3 3 2\n1 2 5\n% c\n2 3 6\n",
    "g.gr": b"p sp 3 2\na 1 2 5\na 2 3 6\n",
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_the_mark_is_passed_over(tmp_path, name, pack):
    path = tmp_path / name
    path.write_bytes(pack(codecs.BOM_UTF8 + TEXTS[name]))
    wanted = [[0, 1, 5], [1, 2, 6]]
    assert gp.Graph.from_file(path).to_table().to_numpy().tolist() == wanted
    gp.convert(path, tmp_path / "g.gaspipe")
    assert gp.Graph.load(tmp_path / "g.gaspipe").to_table().to_numpy().tolist() == wanted


def test_metis_files_too(tmp_path):
    (tmp_path / "g.graph").write_bytes(codecs.BOM_UTF8 + b"3 2\n2\n1 3\n2\n")
    table = gp.Graph.from_file(tmp_path / "g.graph").to_table()
    assert table.to_numpy().tolist() == [[0, 1], [1, 0], [1, 2], [2, 1]]


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_all_files_of_ldbc_too(tmp_path, pack):
    suffix = ".gz" if pack is gzip.compress else ""
    for name, text in ((f".v{suffix}", b"3\n8\n5\n"), (f".e{suffix}", b"8 3 5\n3 5 6\n")):
        (tmp_path / f"g{name}").write_bytes(pack(codecs.BOM_UTF8 + text))
    (tmp_path / "g.properties").write_bytes(codecs.BOM_UTF8 + b"graph.g.directed = true\ngraph.g.meta.edges = 2\n")
    wanted = [[3, 5, 6], [8, 3, 5]]
    assert gp.Graph.from_file(tmp_path / "g").to_table().to_numpy().tolist() == wanted
    gp.convert(tmp_path / "g", tmp_path / "g.gaspipe")
    assert gp.Graph.load(tmp_path / "g.gaspipe").to_table().to_numpy().tolist() == wanted


@pytest.mark.parametrize("text", [b"", b"0", codecs.BOM_UTF8, codecs.BOM_UTF8 * 2 + b"0 1\n", b"\xef\xbb0 1\n"])
def test_what_is_no_mark_or_no_more_than_one_is_refused(tmp_path, text):
    path = tmp_path / "g.txt"
    path.write_bytes(text)
    with pytest.raises(gp.GraphFormatError, match=r"g\.txt"):
        gp.Graph.from_file(path)


@pytest.mark.parametrize(
    ("command", "option", "text", "plain"),
    [
        ("closeness", "--vertices", b"1\n2\n", "1,2"),
        ("jaccard", "--pairs", b"0,1\n1 2\n", "0,1 1,2"),
    ],
)
def test_lists_of_vertices_on_the_command_line_too(tmp_path, command, option, text, plain):
    (tmp_path / "g.txt").write_bytes(TEXTS["g.txt"])
    (tmp_path / "list").write_bytes(codecs.BOM_UTF8 + text)
    found = []
    for given in (f"@{tmp_path / 'list'}", plain):
        gaspipe(command, tmp_path / "g.txt", option, given, "--out", tmp_path / "out.csv")
        found.append((tmp_path / "out.csv").read_text())
    assert found[0] == found[1]
