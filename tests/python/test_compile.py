# SPDX-License-Identifier: Apache-2.0
"""Which compiler, and what its messages become."""

import os
import signal
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import gaspipe as gp
import snippets
from command import start
from gaspipe import _compile
from gaspipe._compile import toolchain

MATRIX = sp.csr_array(np.array([[0, 2], [0, 0]]))
GATHER = "inline prop_t gatherFunc(prop_t a, prop_t b) { return a + b; }\n"


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.delenv("CXXFLAGS", raising=False)


def program(folder, name, text="#!/bin/sh\n"):
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text)
    (folder / name).chmod(0o755)
    return str(folder / name)


def test_the_first_compiler_of_the_path_is_taken(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    clang = program(tmp_path / "bin", "clang++")
    assert toolchain.compiler() == [clang]
    gcc = program(tmp_path / "bin", "g++")
    assert toolchain.compiler() == [gcc]
    other = program(tmp_path / "bin", "c++")
    assert toolchain.compiler() == [other]


def test_cxx_is_taken_with_its_arguments(tmp_path, monkeypatch):
    mine = program(tmp_path, "my compiler")
    monkeypatch.setenv("CXX", f"'{mine}' -O1 '-DA=b c'")
    assert toolchain.compiler() == [mine, "-O1", "-DA=b c"]


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        ("CXX", "no-such-c++ -O2", "no program 'no-such-c"),
        ("CXX", "'", "No closing quot"),
        ("CXXFLAGS", "'-O0", "CXXFLAGS is .*-O0.*: No closing quotation; correct it or unset it"),
    ],
)
def test_a_wrong_command_is_an_error(monkeypatch, variable, value, message):
    monkeypatch.setenv(variable, value)
    with pytest.raises(gp.CompileError, match=message):
        gp.Algorithm("x", gather="a + b").compile()


def test_without_a_compiler_the_error_says_how_to_get_one(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(toolchain.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(gp.CompileError, match=r"needs a C\+\+17 compiler.*apt install g\+\+.*pip install") as caught:
        gp.Algorithm("x", gather="a + b")(MATRIX)
    assert isinstance(caught.value, gp.Error)
    assert not isinstance(caught.value, ValueError)


def test_the_compiler_of_the_pip_extra_is_the_last_choice(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(toolchain.importlib.util, "find_spec", lambda name: object() if name == "ziglang" else None)
    assert toolchain.compiler() == [sys.executable, "-m", "ziglang", "c++"]


def test_a_compiler_that_cannot_start_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setenv("CXX", program(tmp_path, "broken", "#!/no/such/interpreter\n"))
    with pytest.raises(gp.CompileError, match="does not start"):
        gp.Algorithm("x", gather="a + b")(MATRIX)


def test_a_compiler_that_only_fails_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setenv("CXX", program(tmp_path, "failing", "#!/bin/sh\necho out of luck >&2\nexit 3\n"))
    with pytest.raises(gp.CompileError, match="out of luck"):
        gp.Algorithm("x", gather="a + b")(MATRIX)
    monkeypatch.setenv("CXX", program(tmp_path, "silent", "#!/bin/sh\nexit 3\n"))
    with pytest.raises(gp.CompileError, match="status 3 and said nothing"):
        gp.Algorithm("x", gather="a + b")(MATRIX)


COMPILERS = [pytest.param(name, marks=pytest.mark.needs(name)) for name in ("g++", "clang++")]


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(
    ("arguments", "where", "what"),
    [
        (dict(source="\n\n" + GATHER.replace("a + b", "a + c")), "faulty.h:3:", "'c'"),
        (dict(source="#include <cmath>\n" + GATHER.replace("a + b;", "a + b")), "faulty.h:2:", "';'"),
        (dict(source=GATHER + "#include <no_such_header.h>\n"), "faulty.h:2:", "no_such_header.h"),
        (dict(gather="max(a, d)"), "faulty.gather:1:8", "'d'"),
        (dict(gather="a + b", initial="v + + nothing"), "faulty.initial:1:7", "'nothing'"),
        (dict(source=GATHER + "inline prop_t scatterFunc(prop_t a, double* w) { return *w; }"), "faulty.h:2:", ""),
        (dict(source=snippets.STRUCT_BFS, prop="int64", finish="0"), "faulty.h:", "is not the prop="),
    ],
    ids=["name", "syntax", "include", "by_name", "expression", "signature", "struct"],
)
def test_messages_name_the_users_own_lines(monkeypatch, compiler, arguments, where, what):
    monkeypatch.setenv("CXX", compiler)
    if "struct" in arguments.get("source", ""):
        arguments = {**arguments, "source": arguments["source"].replace("<class Number = std::uint32_t>", "<class N>")}
        arguments["source"] = arguments["source"].replace("Property = Number", "Property = std::uint32_t")
    algorithm = gp.Algorithm("faulty", **arguments)
    with pytest.raises(gp.CompileError) as caught:
        algorithm(MATRIX)
    lines = str(caught.value).splitlines()
    assert lines[0] == "faulty does not compile:"
    assert lines[1].startswith(where), lines
    assert "error:" in lines[1]
    assert what in lines[1]
    assert len(lines) <= 10
    assert where in caught.value.log
    assert "-std=c++17" in caught.value.command


def test_a_file_is_named_as_it_is_called(tmp_path):
    path = tmp_path / "mine.hpp"
    path.write_text(GATHER.replace("a + b", "a + c"))
    with pytest.raises(gp.CompileError, match=r"mine\.hpp:1:59: error"):
        gp.Algorithm("x", path)(MATRIX)
    path.write_text(GATHER)
    assert gp.Algorithm("x", path, until=("steps", 1))(MATRIX).values.tolist() == [0, 0]
    with pytest.raises(FileNotFoundError):
        gp.Algorithm("x", tmp_path / "missing.h")


def test_a_file_is_utf_8_with_or_without_a_byte_order_mark(tmp_path):
    path = tmp_path / "mine.h"
    path.write_text("#define ONE 1\n" + GATHER, encoding="utf-8-sig")
    assert gp.Algorithm("x", path).definition.outline.text.startswith("#define")
    path.write_bytes(b"// caf\xe9\n" + GATHER.encode())
    with pytest.raises(gp.InputError, match=r"mine\.h is not UTF-8: .* at byte 6; save it as UTF-8"):
        gp.Algorithm("x", path)


def test_a_snippet_called_as_a_system_header_does_not_take_its_place():
    _compile.library("time", {"gaspipe.cpp": "#include <time.h>\n"}, {"time.h": "#error this is the snippet\n"})


def test_flags_of_the_user_are_passed_on_and_part_of_the_key(monkeypatch):
    source = (
        GATHER + "#ifndef STEP\n#define STEP 1\n#endif\ninline prop_t scatterFunc(prop_t a, prop_t) { return STEP; }"
    )
    found = []
    for flags in ("", "-DSTEP=5", "-DSTEP=7 -march=native"):
        monkeypatch.setenv("CXXFLAGS", flags)
        found.append(gp.Algorithm("x", source, until=("steps", 1))(MATRIX).values.tolist())
    assert found == [[0, 1], [0, 5], [0, 7]]
    assert gp.cache.info().num_libraries == 3


def test_what_a_snippet_defines_itself_hides_what_is_at_hand():
    source = """
#include <cstdlib>
#define VERTEX_ACTIVE_BIT_MASK 64
constexpr prop_t MAX_PROP = 100;
inline prop_t max(prop_t a, prop_t b) { return a + b + 1000; }
inline prop_t scatterFunc(prop_t a, prop_t) { return VERTEX_ACTIVE_BIT_MASK + MAX_PROP; }
inline prop_t gatherFunc(prop_t a, prop_t b) { return max(a, b); }
"""
    assert gp.Algorithm("own", source, until=("steps", 1))(MATRIX).values.tolist()[1] > 1164
    plain = GATHER + "inline prop_t scatterFunc(prop_t a, prop_t) { return MAX_PROP ^ VERTEX_ACTIVE_BIT_MASK; }"
    assert gp.Algorithm("given", plain, until=("steps", 1))(MATRIX).values.tolist() == [0, (2**31 - 2) ^ 2**31]


def test_text_that_only_looks_like_hooks_is_not_taken_for_any():
    source = """
// inline prop_t scatterFunc(prop_t a) { return 1; }   /* not closed
/* inline prop_t applyFunc() { } */
inline const char* text() { return "scatterFunc(prop_t a) { // } {"; }
inline char brace() { return '{'; }
inline prop_t gatherFunc(prop_t, prop_t);
inline const char* raw() { return R"x(gatherFunc(a) {{{ )")x"; }
inline prop_t gatherFunc(prop_t a, prop_t b) { return a + b + 1'0 - 1'0; }
"""
    assert gp.Algorithm("tricky", source, until=("steps", 1), initial=3)(MATRIX).values.tolist() == [3, 6]


def test_the_array_form_of_extra():
    source = GATHER + (
        "inline prop_t applyFunc(prop_t t, prop_t s, prop_t, unsigned int (&extra)[3], unsigned int arg) {\n"
        "  extra[0] += 1; extra[2] += 5; return arg; }"
    )
    result = gp.Algorithm("counts", source, arg="sums[2] + step", until=("steps", 3))(MATRIX)
    assert result.values.tolist() == [12, 12]  # twice 5 of the step before, and step 2


def test_no_core_is_needed_to_see_the_header():
    text = gp.Algorithm("x", gather="a + b").header
    assert "namespace x {" in text
    assert os.fspath(Path.home()) not in text


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("trap", ["", "trap '' TERM"], ids=["obedient", "stubborn"])
def test_an_interrupt_ends_the_compiler_and_what_it_started(tmp_path, monkeypatch, trap):
    """As a notebook's interrupt does it, which may reach Python's process alone."""
    compiler, pids = tmp_path / "slow-c++", tmp_path / "pids"
    compiler.write_text(f"#!/bin/sh\n{trap}\nsleep 300 &\necho $$ $! > {pids}.new\nmv {pids}.new {pids}\nwait\nwait\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    code = "import gaspipe as gp\ngp.Algorithm('slow', gather='a').compile()"
    child = start(code=code)
    for _ in range(600):
        if pids.exists():
            break
        time.sleep(0.1)
    started = [int(pid) for pid in pids.read_text().split()]
    assert all(map(is_running, started))
    time.sleep(0.5)  # on a busy machine Python may not have come back from starting it
    child.send_signal(signal.SIGINT)
    _, error = child.communicate(timeout=60)
    assert b"KeyboardInterrupt" in error
    for _ in range(50):
        if not any(map(is_running, started)):
            break
        time.sleep(0.1)
    assert not any(map(is_running, started))
    assert not [f for f in (tmp_path / "cache").rglob("*") if f.is_file() and f.suffix != ".lock"]


def test_headers_that_a_source_includes_are_part_of_the_key_and_others_are_not(tmp_path):
    module = sys.modules["gaspipe._compile.library"]

    def write(name, text):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        module._header.cache_clear()

    def digest():
        return module.headers_digest(str(tmp_path), ["#include <vector>\n  # include <gaspipe/a.h>\nint x;\n"])

    write("gaspipe/a.h", '#pragma once\n#if 0\n#include "hls/b.h"\n#endif\n#include "gaspipe/a.h"\n')
    write("hls/b.h", "int b;\n")
    first = digest()
    assert digest() == first
    assert module.headers_digest(str(tmp_path), ['#include "no\0file.h"\n#include "none.h"\n'])  # no error here
    write("hls/c.h", "int c;\n")
    assert digest() == first
    write("hls/b.h", "int b2;\n")
    second = digest()
    assert second != first
    write("hls/b.h", '#include "hls/c.h"\n')
    assert digest() not in (first, second)
    module._header.cache_clear()


def test_headers_of_the_user_by_an_absolute_path_are_part_of_the_key_and_may_change(tmp_path):
    mine, beside = tmp_path / "mine.h", tmp_path / "beside.h"
    found = []
    for first, second in (("", ""), ("int a;\n", ""), ("int a;\n", "int b;\n")):
        mine.write_text(f'{first}#include "beside.h"\n#include "../{tmp_path.name}/mine.h"\n')
        beside.write_text(second)
        found.append(_compile.headers_digest("/none", [f'#include "{mine}"\n']))
    assert len(set(found)) == 3


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("CXXFLAGS", "-DA -I{}"),
        ("CXXFLAGS", "-isystem {}"),
        ("CXXFLAGS", "-include {}/step.h -I{}"),
        ("CXX", "g++ -iquote {}"),
        ("CPATH", "/none:{}"),
        ("CPLUS_INCLUDE_PATH", "{}"),
    ],
)
def test_headers_in_folders_of_the_user_are_part_of_the_key(tmp_path, monkeypatch, variable, value):
    mine = tmp_path / "mine"
    (mine / "deep").mkdir(parents=True)
    (mine / "step.h").write_text('#pragma once\n#include "deep/value.h"\n')
    monkeypatch.setenv(variable, value.replace("{}", str(mine)))
    command = sys.modules["gaspipe._compile.library"].command_line()
    texts = [] if "-include" in value else ['#include "step.h"\n']
    found = []
    for step in (1, 5, 1):
        (mine / "deep" / "value.h").write_text(f"constexpr int kStep = {step};\n")
        found.append(_compile.headers_digest("/none", texts, toolchain.looked_in(command)))
    assert found[0] == found[2] != found[1]


def test_a_header_in_a_folder_of_the_user_may_change(tmp_path, monkeypatch):
    monkeypatch.setenv("CXXFLAGS", f"-O0 -I {tmp_path}")
    source = f"#include <step.h>\n{GATHER}inline prop_t scatterFunc(prop_t a, prop_t) {{ return kStep; }}"
    found = []
    for step in (1, 5):
        (tmp_path / "step.h").write_text(f"constexpr int kStep = {step};\n")
        found.append(gp.Algorithm("x", source, until=("steps", 1))(MATRIX).values.tolist())
    assert found == [[0, 1], [0, 5]]


def test_the_order_of_folders_is_part_of_the_key(tmp_path, monkeypatch):
    found = []
    for order in ("ab", "ba"):
        monkeypatch.setenv("CPATH", ":".join(str(tmp_path / name) for name in order))
        found.append(_compile.headers_digest("/none", [], toolchain.looked_in([])))
    assert found[0] != found[1]


@pytest.mark.parametrize(("name", "error"), [("\ud800.h", gp.InputError), ("a\0b.h", gp.CompileError)])
def test_a_header_that_no_file_can_be_is_one_clear_error(name, error):
    odd = gp.Algorithm("odd", source=f'#include "{name}"\n{GATHER}', scatter="src", apply="acc")
    with pytest.raises(error):
        odd(MATRIX)
