# SPDX-License-Identifier: Apache-2.0
"""What is kept of tools (kept.py) is taken for the same input alone."""

import pytest

import kept

pytestmark = pytest.mark.needs("g++")


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("GASPIPE_TESTS_COMPILED", str(tmp_path / "kept"))
    monkeypatch.delenv("GASPIPE_WHOLE", raising=False)
    return tmp_path / "kept" / "snippets" / "results"


@pytest.fixture
def runs(monkeypatch):
    """The commands that were run, but for those that tell what is included."""
    found, run = [], kept.subprocess.run

    def told(command, **options):
        if "-M" not in command and "--version" not in command:
            found.append(command)
        return run(command, **options)

    monkeypatch.setattr(kept.subprocess, "run", told)
    return found


def written(folder, header="int f();\n", source='#include "own.h"\n'):
    folder.mkdir(exist_ok=True)
    (folder / "own.h").write_text(header)
    (folder / "own.cpp").write_text(source)
    return folder


def checked(folder, *options):
    return kept.compiled(["g++", "-fsyntax-only", *options, folder / "own.cpp"], folder)


def test_the_same_files_elsewhere_are_not_compiled_again(tmp_path, runs):
    for name in ("one", "other"):
        done = checked(written(tmp_path / name, header="int f() { return x; }\n"))
        assert done.returncode == 1
        assert f"{tmp_path / name}/own.h:1:18: error: " in done.stderr
    assert len(runs) == 1


def test_another_header_source_or_option_is_compiled(tmp_path, runs, monkeypatch):
    folder = tmp_path / "one"
    changes = {"header": "int f(;\n"}, {"source": "int f() {}\n"}, {}
    for at, change in enumerate(changes):
        done = checked(written(folder, **change))
        assert (done.returncode, len(runs)) == (int(at == 0), at + 1)
    checked(folder, "-O2")
    assert len(runs) == 4
    checked(folder)
    assert len(runs) == 4
    monkeypatch.setenv("GASPIPE_WHOLE", "1")
    checked(folder)
    assert len(runs) == 5


def test_a_header_that_is_missing_is_looked_for_again(tmp_path, runs):
    folder = written(tmp_path / "one", source='#include "none.h"\n')
    for _ in range(2):
        assert "none.h" in checked(folder).stderr
    assert len(runs) == 2


def test_what_is_written_is_written_again(tmp_path, runs, place):
    folder = written(tmp_path / "one", source="int f() { return 3; }\n")
    for _ in range(2):
        kept.compiled(["g++", "-shared", folder / "own.cpp"], folder, output=folder / "own.so").check_returncode()
        assert (folder / "own.so").read_bytes().startswith(b"\x7fELF")
        (folder / "own.so").unlink()
    assert len(runs) == 1
    next(place.glob("*.out")).unlink()
    kept.compiled(["g++", "-shared", folder / "own.cpp"], folder, output=folder / "own.so").check_returncode()
    assert len(runs) == 2


def test_values_are_made_once_and_errors_are_not_kept():
    made = []

    def make():
        made.append(len(made))
        if made == [0]:
            raise RuntimeError("not this time")
        return {"found": made[-1]}

    with pytest.raises(RuntimeError, match="not this time"):
        kept.values(["x", 1], make)
    assert [kept.values(["x", 1], make), kept.values(["x", 1], make)] == [{"found": 1}] * 2
    assert kept.values(["x", 2], make) == {"found": 2}
