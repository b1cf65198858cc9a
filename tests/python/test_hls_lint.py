# SPDX-License-Identifier: Apache-2.0
"""What Vitis is to read stays inside its subset of C++ (tests/hls/lint), and other compilers accept it as C++14."""

import re
import subprocess
import sys

import pytest

from conftest import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "tests" / "hls"))
import lint

import kept
import snippets

HLS = REPOSITORY / "hls"
BAD = REPOSITORY / "tests" / "hls" / "lint" / "bad_kernel.cpp"
TOPS = REPOSITORY / "tests" / "hls" / "lint" / "tops.cpp"
POLLING = REPOSITORY / "tests" / "hls" / "emulator" / "round_robin.h"
FOLDERS = ("algorithm", "module", "block", "local_store", "thundergp", "device", ".")
HEADERS = sorted({header for folder in FOLDERS for header in HLS.glob(f"{folder}/*.h")} - {HLS / "platform.h"})
# Not the tables of ports, which the host reads. test_kernels.py renders the tops and has compilers read them.
KERNELS = sorted(set(HLS.glob("kernel/*.h")) - {HLS / "kernel" / "port.h", *HLS.glob("kernel/*.ports.h")})

needs_clang = pytest.mark.needs("clang++")
COMPILERS = [pytest.param(name, marks=pytest.mark.needs(name)) for name in ("g++", "clang++")]


def name(path):
    return str(path.relative_to(REPOSITORY))


def planted(clang):
    """The faults that the comments of the bad kernel tell of."""
    for number, line in enumerate(BAD.read_text(encoding="utf-8").splitlines(), 1):
        comment = line.partition("  // ")[2]
        for next_line, kind, what in re.findall(r"(next line's )?fault( \(clang\))?: ([^;]*)", comment):
            if clang or not kind:
                yield number + bool(next_line), what.strip()


@pytest.mark.parametrize("clang", [False, pytest.param(True, marks=needs_clang)])
def test_every_planted_fault_is_found_and_nothing_else(clang):
    expected = set(planted(clang))
    assert len(expected) > 35
    assert set(lint.lint(BAD, tree=clang)) == expected


@pytest.mark.parametrize("path", HEADERS + KERNELS, ids=name)
def test_sources_stay_inside_the_subset(path):
    assert lint.lint(path, tree=False) == []


def findings_in_the_tree(path):
    """What clang's syntax tree of a file shows; the test above has what its text does."""
    command, text = lint.tree.command(path)
    code = kept.files_in(REPOSITORY / "tests" / "hls" / "lint", pattern="*.py")
    found = kept.of_sources(command, path.parent, text, [code], lambda: sorted(lint.Tree(path).found))
    return [tuple(each) for each in found]


@needs_clang
@pytest.mark.parametrize("path", HEADERS, ids=name)
def test_syntax_trees_stay_inside_the_subset(path):
    assert findings_in_the_tree(path) == []


@pytest.mark.parametrize("algorithm", ["widest", "active_bit", "fixed_pagerank", "struct_bfs", "one_line", "pagerank"])
def test_what_is_written_around_snippets_stays_inside_the_subset(algorithm, tmp_path):
    (tmp_path / "algorithm").mkdir()  # as the built-in ones are
    path = tmp_path / "algorithm" / "program.h"
    path.write_text(getattr(snippets, algorithm)().description.kernel_header)
    assert lint.lint(path) == []


@needs_clang
def test_clang_accepts_what_vitis_reads():
    # All at once, for alone each has been read by clang above, and by g++ in test_headers.py.
    check_syntax(HEADERS, "clang++")


@pytest.mark.parametrize("compiler", COMPILERS)
def test_compilers_accept_instances_of_every_kernel(compiler):
    check_syntax([TOPS], compiler)


@needs_clang
def test_syntax_trees_of_instances_stay_inside_the_subset():
    assert lint.lint(TOPS, tree=False) == findings_in_the_tree(TOPS) == []


def check_syntax(paths, compiler):
    flags = ["-std=c++14", "-fsyntax-only", "-DGASPIPE_VITIS", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas"]
    source = "".join(f'#include "{name(path)}"\n' for path in paths)
    command = [compiler, "-x", "c++", *flags, "-I", str(lint.STUBS), "-I", str(REPOSITORY), "-"]
    run = kept.compiled(command, HLS, source)
    assert run.returncode == 0, run.stderr


def test_memory_of_the_chip_has_the_latency_that_intervals_follow_from():
    bound = re.findall(r"BIND_STORAGE [^)]* latency = (\d+)\)", (HLS / "platform.h").read_text(encoding="utf-8"))
    named = re.search(r"kMemoryRead = (\d+)", (HLS / "module" / "latency.h").read_text(encoding="utf-8"))
    assert bound == [named[1]]


TRIPS = "GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 2);"


@pytest.mark.parametrize(
    ("loop", "found"),
    [
        ("for (int i = 0; i < 8; ++i) { GASPIPE_PRAGMA(HLS UNROLL); }", set()),
        ("for (int i = lanes - 1; i >= 0; --i) { GASPIPE_PRAGMA(HLS UNROLL); }", set()),
        ("for (int i = 0; i < Word<T>::kSize; ++i) { GASPIPE_PIPELINE(1); }", set()),
        (
            "for (int i = 0; i < n; ++i) { GASPIPE_PIPELINE(1); GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 2); }",
            set(),
        ),
        ("for (int i = 0; i < n; ++i) { GASPIPE_PIPELINE(1); }", {"loop of varying length without LOOP_TRIPCOUNT"}),
        ("for (int i = n; i >= 0; --i) { GASPIPE_PIPELINE(1); }", {"loop of varying length without LOOP_TRIPCOUNT"}),
        # The trip count of the loop inside is not that of the one around it.
        (
            f"while (n) {{ for (int i = 0; i < n; ++i) {{ GASPIPE_PIPELINE(1); {TRIPS} }} }}",
            {"loop of varying length without LOOP_TRIPCOUNT"},
        ),
        (
            f"while (n) {{ GASPIPE_PIPELINE(1); {TRIPS} for (int i = 0; i < 4; ++i) n += i; }}",
            {"innermost loop without PIPELINE or UNROLL"},
        ),
        ('// new, goto; throw\n const char* s = "delete";', set()),
    ],
)
def test_loops_are_judged_by_their_own_length_and_pragmas(loop, found):
    text = "template <int lanes, class T>\nvoid f(int n) {\n" + loop + "\n}\n"
    assert {what for _, what in lint.faults(text)} == found


def test_a_loop_may_only_call_functions_that_have_pipelines():
    pipeline = "inline void g(int n) {{\n  for (int i = 0; i < 8; ++i) {{\n    {};\n  }}\n}}\n"
    loop = "inline void f(int n) {\n  for (int i = 0; i < 8; ++i) {\n    g(i);%s\n  }\n}\n"
    assert not lint.faults(pipeline.format("GASPIPE_PIPELINE(1)") + loop % "")
    assert lint.faults(pipeline.format("GASPIPE_PIPELINE(1)") + loop % " ++n;")
    assert len(lint.faults(pipeline.format("n += i") + loop % "")) == 2


@pytest.mark.parametrize("tree", [False, pytest.param(True, marks=needs_clang)])
def test_a_declared_module_may_poll(tree, tmp_path):
    assert lint.lint(POLLING, tree=tree) == []
    text = POLLING.read_text(encoding="utf-8")
    undeclared = tmp_path / "round_robin.h"
    undeclared.write_text(text.replace("// Polls: ", "// "))
    assert [what for _, what in lint.lint(undeclared, tree=False)] == ["poll of a stream"]
    undeclared.write_text(re.sub(r"// Polls: .*?\ntemplate", "// Polls:\ntemplate", text, flags=re.DOTALL))  # no reason
    assert [what for _, what in lint.lint(undeclared, tree=False)] == ["poll of a stream"]


def test_no_module_may_give_up_after_a_time():
    text = "// Polls: it may ask.\ninline void f(stream<int>& in) { %s(in); }\n"
    assert not lint.faults(text % "read_from_stream_nb")
    assert {what for _, what in lint.faults(text % "clear_stream")} == {"time-out on a stream"}


def test_every_module_that_polls_is_tested_in_any_order():
    polling = {}
    for path in [*HLS.rglob("*.h"), POLLING]:
        source = lint.Source(path.read_text(encoding="utf-8"))
        polling.update({f[0]: path for f in source.functions if lint.POLLS.search(source.comment_above(f))})
    assert polling["roundRobin"] == POLLING
    texts = [path.read_text(encoding="utf-8") for path in (REPOSITORY / "tests" / "hls").rglob("*_test.cpp")]
    tested = "".join(text for text in texts if "difference_in_any_order(" in text)
    assert [function for function in polling if not re.search(rf"\b{function}\b", tested)] == []


def test_leaf_functions_may_leave_loops_to_their_caller_but_not_their_length():
    loop = "inline int f(int n) {{\n  for (int i = 0; i < {}; ++i) n += i;\n  return n;\n}}\n"
    assert not lint.faults(loop.format(8), leaf=True)
    assert lint.faults(loop.format("n"), leaf=True)
    assert not lint.faults("// Runs on the host.\n" + loop.format("n"), leaf=True)


def test_tokens_are_narrower_than_the_vendors_limit():
    for words, fits in ((127, True), (128, False)):
        source = (
            f"#include <hls_stream.h>\nstruct T {{ int w[{words}]; }};\nT f(hls::stream<T>& s) {{ return s.read(); }}\n"
        )
        command = ["g++", "-x", "c++", "-std=c++14", "-fsyntax-only", "-I", str(lint.STUBS), "-"]
        run = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
        assert (run.returncode == 0) == fits, run.stderr


def test_the_stubs_are_not_in_the_package():
    assert not list(HLS.rglob("hls_stream.h"))
