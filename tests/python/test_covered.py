# SPDX-License-Identifier: Apache-2.0
"""benchmarks/covered: lines as llvm-cov itself counts them; reasons, and what the bar does not allow."""

import json
import subprocess
import sys

import pytest

from conftest import REPOSITORY

sys.path.append(str(REPOSITORY / "benchmarks" / "covered"))

import native_lines
import reached

PROGRAM = """
template <class T> T larger(T a, T b) {
  if (a < b) {
    return b;
  }
  return a;
}
int never(int x) {
  return x
    + 1;
}
#if 0
int skipped() { return 1; }
#endif
int main(int count, char**) {
  for (int i = 0; i < 3; ++i) {
    if (i == count) continue;
    if (count > 5) { return never(i); }
    count += larger(i, 0) > 9 ? 7
                              : 0;
  }
  switch (count) {
    case 1: return int(larger(0.0, 1.0)) - 1;
    default:
      return 2;
  }
}
"""


@pytest.mark.needs("llvm-cov")
def test_lines_are_those_of_llvm_cov(tmp_path):
    source, program = tmp_path / "a.cpp", tmp_path / "a"
    source.write_text(PROGRAM)
    counted = [f"-fprofile-instr-generate={tmp_path / 'profiles' / '%m.profraw'}", "-fcoverage-mapping"]
    subprocess.run([native_lines.tool("clang++"), *counted, source, "-o", program], check=True)
    subprocess.run([program], check=True)
    command = [native_lines.tool("llvm-cov"), "export", f"-instr-profile={native_lines.merged(tmp_path)}", program]
    exported = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    (file,) = json.loads(exported)["data"][0]["files"]
    lcov = subprocess.run([*command, "-format=lcov"], check=True, capture_output=True, text=True).stdout
    pairs = [line[3:].split(",") for line in lcov.splitlines() if line.startswith("DA:")]
    lines = native_lines.lines_of(file["segments"])
    assert lines == {int(line): int(count) for line, count in pairs}
    at = {text.strip(): number for number, text in enumerate(PROGRAM.splitlines(), 1)}
    assert lines[at["return b;"]] == 1  # by the instance of double alone
    assert lines[at["+ 1;"]] == 0
    assert at["int skipped() { return 1; }"] not in lines


CODE = """\
void f() {
  if (card) {
    open();

    close();  // both
  }
  go();
  stop();
}
"""


@pytest.fixture
def files(tmp_path, monkeypatch):
    (tmp_path / "cpp").mkdir()
    (tmp_path / "cpp" / "a.cpp").write_text(CODE)
    monkeypatch.setattr(reached, "REPOSITORY", tmp_path)
    monkeypatch.setattr(reached, "gaps_of", lambda *args: gaps(*args, tmp_path))
    return {"cpp/a.cpp": reached.Measured(3, [3, 5, 8], 1, 2)}


gaps = reached.gaps_of


def test_lines_without_code_do_not_part_a_gap(files, tmp_path):
    known = [reached.Reason("cpp/*", "if .card", "needs a card"), reached.Reason("hls/*", "", "never")]
    found = gaps("cpp/a.cpp", files["cpp/a.cpp"], known, tmp_path)
    assert found == [reached.Gap("cpp/a.cpp", 3, 5, 2, "needs a card"), reached.Gap("cpp/a.cpp", 8, 8, 1, "")]


def test_a_low_total_and_lines_without_a_reason_are_faults(files, monkeypatch):
    monkeypatch.setattr(reached, "reasons", lambda: [reached.Reason("cpp/a.cpp", "card", "needs a card")])
    text, faults = reached.write(files, [])
    assert faults[0].startswith("cpp/ and hls/: 50.0 %")
    assert faults[1:] == ["cpp/a.cpp: 50.0 %, and 1 lines have no reason"]
    assert "**needs a card** (2 lines)" in text
    assert "- cpp/a.cpp: 3-5" in text


def test_reasons_that_nothing_needs_are_told(files, monkeypatch):
    monkeypatch.setattr(reached, "reasons", lambda: [reached.Reason("cpp/b.cpp", "", "is gone")])
    full = {"cpp/a.cpp": reached.Measured(6, [], 2, 2)}
    text, faults = reached.write(full, [])
    assert "no line needs any more: cpp/b.cpp (is gone)" in text
    assert faults == []


def test_every_reason_names_files_that_are_there():
    paths = [
        str(path.relative_to(REPOSITORY)) for top in ("cpp", "hls", "python") for path in (REPOSITORY / top).rglob("*")
    ]
    for reason in reached.reasons():
        assert any(reached.fnmatch(path, reason.file) for path in paths), reason
        assert reason.reason
