# SPDX-License-Identifier: Apache-2.0
"""Macros of the project's own: few, and each with its reason in the table of hls/platform.h."""

import re

from conftest import REPOSITORY

MOST = 20
DEFINED = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
ASKED = re.compile(r"^[ \t]*#[ \t]*(?:if|elif|ifdef|ifndef)\b[^\n]*?\b(GASPIPE_\w+)", re.MULTILINE)
GIVEN = re.compile(r"target_compile_definitions\([^)]*?\b(GASPIPE_\w+)")
ROW = re.compile(r"^//   (GASPIPE_\w+)(\([^)]*\))?  +\S", re.MULTILINE)


def names(pattern, suffixes):
    files = [f for folder in ("hls", "cpp", "tests") for f in (REPOSITORY / folder).rglob("*")]
    texts = [f.read_text(encoding="utf-8") for f in files if f.name.endswith(suffixes)]
    return {name for text in texts for name in pattern.findall(text)}


def test_the_table_has_every_macro_and_no_other():
    table = [row[0] for row in ROW.findall((REPOSITORY / "hls" / "platform.h").read_text(encoding="utf-8"))]
    defined = names(DEFINED, (".h", ".cpp", ".in"))
    options = names(ASKED, (".h", ".cpp", ".in")) | names(GIVEN, ("CMakeLists.txt",))
    assert len(defined) > 5
    assert sorted(table) == sorted(defined | options)
    assert len(table) <= MOST


def test_every_macro_is_prefixed():
    assert {name for name in names(DEFINED, (".h", ".cpp", ".in")) if not name.startswith("GASPIPE_")} == set()
