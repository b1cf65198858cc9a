# SPDX-License-Identifier: Apache-2.0
"""What cannot become hardware is refused by the emulator, with the line; the CPU runs it."""

import pytest
import scipy.sparse as sp

import gaspipe as gp
from gaspipe._own.snippet import lint

GATHER = "inline prop_t gatherFunc(prop_t a, prop_t b) { return a + b; }\n"


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("inline int f(int n) { return n ? f(n - 1) : 0; }", "recursion (f calls itself)"),
        ("int f(int n);", None),
        ("inline int* f() { return new int(3); }", "the heap (new)"),
        ("inline void f(int* p) { delete p; }", "the heap (delete)"),
        ("struct A { A() = delete; };", None),
        ("inline void* f() { return malloc (8); }", "the heap (malloc)"),
        ("inline int f() { std::vector<int> v; return v.size(); }", "the heap (std::vector)"),
        ("inline int f(int n) { if (n) throw n; return n; }", "exceptions (throw)"),
        ("struct A { virtual int f(); };", "virtual functions (virtual)"),
        ("inline int f() { static int count = 0; return count++; }", "state between calls (static int count =)"),
        ("inline int f() { static constexpr int k = 0; return k; }", None),
        ("inline int f(int n) { again: if (n--) goto again; return n; }", "goto (goto)"),
        ('inline void f() { printf("x"); }', "input and output (printf)"),
        ('// new throw\ninline const char* f() { return "new throw"; }', None),
        ("inline int most(int a, int b, int c) { return most(a, most(b, c)); }\nint most(int, int);", None),
        ("#define NEW new", None),
    ],
)
def test_faults_are_found_with_their_lines(line, what):
    expected = [] if what is None else [f"x.h:3: hardware has no {what}"]
    assert lint("\n" + GATHER + line, "x.h") == expected


def test_recursion_through_other_functions_is_found():
    text = "int g(int);\ninline int f(int n) { return g(n); }\ninline int g(int n) {\n  return n ? f(n - 1) : 0; }\n"
    found = lint(text, "x.h")
    assert [f.split(" hardware")[0] for f in found] == ["x.h:2:", "x.h:4:"]
    assert "f calls g, which leads back to it" in found[0]


def test_the_emulator_refuses_what_the_cpu_runs(compiled_snippets):
    source = GATHER + (
        "inline prop_t twice(prop_t n) { return n == 0 ? 0 : 2 + twice(n - 1); }\n"
        "inline prop_t scatterFunc(prop_t a, prop_t) { return twice(a); }\n"
    )
    algorithm = gp.Algorithm("recursive", source, initial=3, until=("steps", 1))
    matrix = sp.csr_array([[0, 1], [0, 0]])
    assert algorithm(matrix).values.tolist() == [3, 9]
    with pytest.raises(gp.InputError, match=r"recursive\.h:2: hardware has no recursion \(twice calls itself\)"):
        algorithm(matrix, device="emulator")
    named = gp.Algorithm("named", gather="a + (throw 1, b)")
    with pytest.raises(gp.InputError, match=r"named\.gather:1: hardware has no exceptions"):
        named(matrix, device="emulator:u250")
