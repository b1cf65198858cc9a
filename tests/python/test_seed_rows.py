# SPDX-License-Identifier: Apache-2.0
"""Features of the seed systems (tests name the rows of the list of them) that have a test each."""

import functools
import re

import pytest

from conftest import REPOSITORY

# Olive, but for runs over its devices; Cell; GraphOps' blocks.
ROWS = [f"OLV-{row}" for row in (*range(1, 17), *range(21, 26), *range(27, 37), 38, 39)]
ROWS += [f"CEL-{row}" for row in range(1, 25)]
ROWS += [f"GOP-{row}" for row in range(1, 38)]


@functools.cache
def named():
    """Rows by the files of tests that name them."""
    found = {}
    for ending in ("cpp", "py"):
        for path in (REPOSITORY / "tests").rglob(f"*_test.{ending}" if ending == "cpp" else f"test_*.{ending}"):
            for row in re.findall(r"\b(?:OLV|GOP|CEL|TGP)-\d+\b", path.read_text(encoding="utf-8")):
                found.setdefault(row, set()).add(path.name)
    return found


@pytest.mark.parametrize("row", ROWS)
def test_a_test_names_every_row(row):
    assert named().get(row), f"no test names {row}"
