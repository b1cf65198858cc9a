# SPDX-License-Identifier: Apache-2.0
"""Columns of tables and of column files: one that is asked for is taken or refused, and ids are never rounded."""

import pandas as pd
import pyarrow as pa
import pytest

import gaspipe as gp


def test_a_column_cannot_be_weights_and_an_end(tmp_path):
    table = pd.DataFrame({"source": [0, 1], "target": [1, 2]})
    with pytest.raises(gp.InputError, match=r"one column cannot be two things: found .*weight='source'"):
        gp.Graph.from_table(table, weight="source")
    table.to_csv(tmp_path / "t.csv", index=False)
    table.to_parquet(tmp_path / "t.parquet")
    for name in ("t.csv", "t.parquet"):
        with pytest.raises(gp.InputError, match=r"one column cannot be two things: found .*weight='source'"):
            gp.Graph.from_file(tmp_path / name, columns=("source", "target", "source"))


def test_floats_that_may_be_rounded_integers_are_no_ids(tmp_path):
    below = 2**53 - 1
    table = pd.DataFrame({"source": [float(below), 2.0], "target": [1.0, 2.0]})
    for kind in (table, pa.Table.from_pandas(table)):
        assert gp.Graph.from_table(kind, relabel=True).labels.tolist() == [1, 2, below]
    (tmp_path / "t.csv").write_text(f"source,target\n{2**53},1\n{2**53 + 1},2\n2.0,3\n")  # read as floats
    message = (
        r"column 'source' has 9007199254740992\.0 in row 0; vertex ids are integers, and those of 2\*\*53 and more"
    )
    with pytest.raises(gp.InputError, match=message):
        gp.Graph.from_file(tmp_path / "t.csv", relabel=True)
    with pytest.raises(gp.InputError, match=message):
        gp.Graph.from_table(pd.DataFrame({"source": [2.0**53], "target": [1]}), relabel=True)
    (tmp_path / "t.csv").write_text(f"source,target\n{2**53},1\n{2**53 + 1},2\n")
    assert gp.Graph.from_file(tmp_path / "t.csv", relabel=True).labels.tolist() == [1, 2, 2**53, 2**53 + 1]


def test_a_field_without_a_name_is_no_vertex(tmp_path):
    path = tmp_path / "t.csv"
    for field in ("", " ", '""'):
        path.write_text(f"source,target\namy,bob\n{field},cat\n")
        with pytest.raises(gp.GraphFormatError, match="column 'source' is empty in row 1; drop such rows or fill them"):
            gp.Graph.from_file(path)
