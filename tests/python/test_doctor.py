# SPDX-License-Identifier: Apache-2.0
"""`gaspipe doctor`: a healthy machine, and machines that lack something."""

import json
import os
import sys
from importlib import metadata

import pytest

import gaspipe as gp
from command import gaspipe
from gaspipe import _doctor
from gaspipe._compile import toolchain
from gaspipe._doctor import build, limits, machine, packages, runs

COMPILE = build.trial.compile
REQUIRES = [
    "numpy>=1.22",
    "matplotlib>=3.5; extra == 'plot'",
    'tqdm>=4.60; extra == "progress"',
    "sphinx>=7; extra == 'docs'",
    "gaspipe[plot,table]; extra == 'test'",
    'networkx>=3.6; python_version >= "3.0" and extra == "test"',
    'networkx>=99; python_version < "3.0" and extra == "test"',
    "dask (>=2024.8) ; extra == 'dask'",
]


@pytest.fixture(autouse=True)
def healthy(tmp_path, monkeypatch):
    """A machine where nothing is missing and nothing is changed: files of the system are the test's."""
    for name in ("CXX", "CXXFLAGS", "XCL_EMULATION_MODE", *(v for v in os.environ if v.startswith(machine._VARIABLES))):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(build, "_VENDORS", str(tmp_path / "*.vendor"))
    monkeypatch.setattr(build, "_MODULE", str(tmp_path / "xocl"))
    monkeypatch.setattr(limits, "_OWN", str(tmp_path / "groups"))
    monkeypatch.setattr(limits, "_MOUNTED", str(tmp_path / "mounted"))
    for name, text in (
        ("_HUGE_PAGES", "always [madvise] never\n"),
        ("_MEMORY", "MemTotal: 16000000 kB\nMemAvailable: 8000000 kB\nHugePages_Total: 0\n"),
        ("_CPU", "model name\t: Abacus 9\nflags\t: fpu avx2\n\nmodel name\t: Abacus 8\n"),
    ):
        (tmp_path / name).write_text(text)
        monkeypatch.setattr(machine, name, str(tmp_path / name))
    monkeypatch.setattr(machine._core, "default_num_threads", lambda: 1)
    monkeypatch.setattr(build.trial, "compile", lambda: None)  # for speed; the first test compiles
    return tmp_path


def findings(check):
    """What one check finds, by its title."""
    return {found.check: found for found in _doctor.CHECKS[check]()}


def only(check):
    (found,) = findings(check).values()
    return found


@pytest.mark.needs("g++")
def test_a_healthy_machine_has_no_problems(monkeypatch, healthy):
    monkeypatch.undo()
    monkeypatch.setenv("XDG_CACHE_HOME", str(healthy / "cache"))
    monkeypatch.setattr(build, "_may_have_card", lambda: False)  # XRT reads the environment once; other tests need that
    told = json.loads(gaspipe("doctor", "--json").stdout)
    assert told["gaspipe"] == gp.__version__
    named = [found["check"] for found in told["findings"]]
    assert set(_doctor.CHECKS) - {"packages"} <= set(named)
    assert {"numpy", "click", "scipy", "networkx", "matplotlib", "pyarrow", "mpi4py", "dask", "tqdm"} <= set(named)
    assert not {"gaspipe", "sphinx", "pytest", "ruff"} & set(named)
    assert len(named) == len(set(named))
    by_check = {found["check"]: found for found in told["findings"]}
    assert by_check["numpy"]["found"].startswith(metadata.version("numpy"))
    assert "it compiles" in by_check["compiler"]["found"]
    assert str(healthy / "cache") in by_check["cache"]["found"]
    assert told["status"] in (_doctor.OK, _doctor.WARNING)
    assert (healthy / "cache" / "gaspipe").is_dir()
    # The trial is not kept; the small run's kernels are, where they are not built in.
    kept = os.listdir(healthy / "cache" / "gaspipe" / "snippets-1")
    assert all(name.startswith("sssp-") for name in kept)
    assert bool(kept) == (gp.build_info()["kernels"] != "built")


def test_text_and_json_agree(healthy):
    (healthy / "_HUGE_PAGES").write_text("always madvise [never]\n")
    text = gaspipe("doctor").stdout
    told = json.loads(gaspipe("doctor", "--json").stdout)
    lines = text.splitlines()
    for found in told["findings"]:
        assert f"{found['status']:<9}{found['check']:<17}{found['found']}" in lines
        assert found["remedy"] in text
    warnings = [found["check"] for found in told["findings"] if found["status"] == "warning"]
    assert told["status"] == "warning"
    assert "huge pages" in warnings
    assert lines[-1] == f"No problems, {len(warnings)} warning{'s' * (len(warnings) != 1)}."
    assert f"{' ' * 9}What to do: echo madvise | sudo tee {healthy / '_HUGE_PAGES'}" in lines


def test_a_check_that_fails_is_a_problem_and_the_others_go_on(monkeypatch):
    def fail():
        yield _doctor.Finding("first", "ok", "there")
        raise ZeroDivisionError("by\nnought")

    monkeypatch.setitem(_doctor.CHECKS, "huge pages", fail)
    text = gaspipe("doctor", code=1).stdout
    assert "ok       first            there\n" in text
    assert "problem  huge pages       the check failed: ZeroDivisionError: by nought\n" in text
    assert "What to do: report it" in text
    assert "ok       run in emulator" in text
    assert text.splitlines()[-1].startswith("1 problem, ")
    told = json.loads(gaspipe("doctor", "--json", code=1).stdout)
    assert told["status"] == "problem"
    assert [found["check"] for found in told["findings"] if found["status"] == "problem"] == ["huge pages"]


# The machine.


def test_the_processor_is_told():
    assert only("CPU").found.startswith("Abacus 9, ")
    assert only("CPU").found.endswith(", x86-64-v1")  # whose AVX2 is without SSE 4
    levels = [{"fpu"}, *machine._LEVELS]
    for k in range(4):
        assert machine._vectors({"flags": " ".join(set().union(*levels[: k + 1]))}) == f"x86-64-v{k + 1}"
    assert machine._vectors({"Features": "fp asimd sve"}).endswith(" with asimd, sve")


@pytest.mark.parametrize(
    ("groups", "files"),
    [
        ("0::/job/step\n", {"job/cpu.max": "100000 100000", "job/step/cpu.max": "max 100000",
                            "job/memory.max": "max", "job/step/memory.max": "300000000"}),
        ("4:memory:/job\n3:cpuacct,cpu:/elsewhere\n0::/\n",
         {"cpu/cpu.cfs_quota_us": "100000", "cpu/cpu.cfs_period_us": "100000",
          "memory/memory.limit_in_bytes": "9223372036854771712", "memory/job/memory.limit_in_bytes": "300000000"}),
    ],
    ids=["version 2", "version 1"],
)  # fmt: skip
def test_limits_of_control_groups_count(healthy, monkeypatch, groups, files):
    assert "control group" not in only("CPU").found + only("memory").found
    (healthy / "groups").write_text(groups)
    for name, text in files.items():
        path = healthy / "mounted" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")
    assert "a control group allows the time of 1, " in only("CPU").found
    found = only("memory")
    assert found.status == "warning"
    assert "8.2 GB available; a control group allows 300 MB" in found.found
    assert only("threads").status == "ok"
    monkeypatch.setattr(machine._core, "default_num_threads", lambda: 2)
    found = only("threads")
    assert (found.status, found.remedy) == ("warning", "export OMP_NUM_THREADS=1")


def test_more_threads_than_cores_are_a_warning(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "64")
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {3, 5})
    monkeypatch.setattr(machine._core, "default_num_threads", lambda: 64)
    found = only("threads")
    assert (found.status, found.remedy) == ("warning", "export OMP_NUM_THREADS=2")
    assert found.found.startswith("64 of OpenMP, with OMP_NUM_THREADS=64; there is the time of 2 cores")
    monkeypatch.setattr(machine._core, "default_num_threads", lambda: 1)
    assert only("threads").status == "ok"


def test_only_huge_pages_that_are_never_used_are_a_warning(healthy):
    file, expected = healthy / "_HUGE_PAGES", {"never": "warning", "madvise": "ok", "always": "ok"}
    for name, status in expected.items():
        file.write_text(" ".join(f"[{other}]" if other == name else other for other in expected))
        assert only("huge pages").status == status
    file.unlink()
    assert only("huge pages").status == "ok"


def test_a_full_temporary_folder_is_told(healthy, monkeypatch):
    monkeypatch.setattr(machine.tempfile, "gettempdir", lambda: str(healthy))
    free = {"free": 10**10}
    monkeypatch.setattr(machine.shutil, "disk_usage", lambda path: type("Usage", (), free))
    assert only("temporary files").found == f"{healthy}: 10 GB free"
    free["free"] = 0
    found = only("temporary files")
    assert (found.status, found.found) == ("warning", f"{healthy}: nothing free")
    assert "TMPDIR" in found.remedy

    def none():
        raise FileNotFoundError(2, "No usable temporary directory found in ['/tmp']")

    monkeypatch.setattr(machine.tempfile, "gettempdir", none)
    assert only("temporary files")[1:3] == ("problem", "No usable temporary directory found in ['/tmp']")


# The compiler, the cache, cards.


def test_without_a_compiler_there_is_a_warning_and_a_wrong_one_is_a_problem(healthy, monkeypatch):
    monkeypatch.setenv("PATH", str(healthy))
    monkeypatch.setattr(toolchain.importlib.util, "find_spec", lambda name: None)
    found = only("compiler")
    assert found.status == "warning"
    assert "there is no c++, g++, clang++" in found.found
    assert found.remedy.startswith("install one (Debian, Ubuntu: apt install g++")
    gaspipe("doctor")
    monkeypatch.setenv("CXX", "no-such-c++")
    found = only("compiler")
    assert found[1:] == (
        "problem",
        "CXX is 'no-such-c++', and there is no program 'no-such-c++'",
        "correct it or unset it",
    )
    gaspipe("doctor", code=1)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("#!/bin/sh\n[ $# = 1 ] && echo Mine 1.2 && exit\necho out of luck >&2\nexit 3\n", "out of luck"),
        ("#!/no/such/interpreter\n", "it does not start"),
    ],
)
def test_a_compiler_that_fails_is_a_problem(healthy, monkeypatch, text, says):
    monkeypatch.setattr(build.trial, "compile", COMPILE)
    path = healthy / "mine"
    path.write_text(text)
    path.chmod(0o755)
    monkeypatch.setenv("CXX", str(path))
    found = only("compiler")
    assert found.status == "problem"
    assert found.found.startswith(f"{path}: ")
    assert says in found.found
    assert "set CXX" in found.remedy


def test_the_compiler_of_the_extra_is_named(healthy, monkeypatch):
    monkeypatch.setenv("PATH", str(healthy))
    monkeypatch.setattr(toolchain.importlib.util, "find_spec", lambda name: object())
    monkeypatch.setattr(build.trial, "version", lambda command: "clang version 18")
    found = only("compiler")
    assert found.found == (
        f"{sys.executable} -m ziglang c++ (that of the extra [compiler]): clang version 18; it compiles"
    )


def test_a_cache_folder_that_cannot_be_trusted_is_a_warning(healthy, monkeypatch):
    assert only("cache").found == f"{healthy / 'cache'}/gaspipe/snippets-1: 0 compiled snippets (0 bytes)"
    folder = healthy / "cache" / "gaspipe" / "snippets-1"
    folder.chmod(0o777)
    found = only("cache")
    assert found.status == "warning"
    assert f"others may write {folder}" in found.found
    assert "XDG_CACHE_HOME" in found.remedy
    folder.chmod(0o700)
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/none")  # where not even root may write
    assert only("cache").status == "warning"
    monkeypatch.setenv("XDG_CACHE_HOME", str(healthy / "cache"))
    monkeypatch.setattr(os, "geteuid", lambda: 54321)
    found = only("cache")
    assert found.status == "warning"
    assert "belongs to another user" in found.found
    gaspipe("doctor")


def test_what_a_card_lacks_is_a_warning_where_there_is_one(healthy, empty, monkeypatch):
    assert only("cards").status == "ok"
    assert "there is no card" in only("cards").found
    (healthy / "0.vendor").write_text("0x8086\n")
    assert only("cards").status == "ok"
    (healthy / "1.vendor").write_text("0x10ee\n")
    found = only("cards")
    steps = build._check.check()
    missing = build._check.first_missing(steps)
    assert found.status == "warning"
    assert found.found.endswith(f"missing: {missing.title}. {missing.found}")
    assert found.remedy == missing.remedy
    ready = [step._replace(ok=True, found=f"{step.title} is there") for step in steps]
    monkeypatch.setattr(build._check, "check", lambda: ready)
    assert only("cards").status == "ok"
    assert only("cards").found.endswith("; cards is there")


def test_a_build_is_told(monkeypatch):
    info = {**gp.build_info(), "xrt": None, "liburing": False, "build_type": "Debug", "commit": "0123456789abcdef"}
    monkeypatch.setattr(build, "build_info", lambda: info)
    assert only("build").status == "warning"
    assert f"gaspipe {gp.__version__}, commit 0123456789ab" in only("build").found
    assert (only("liburing").status, only("cards").status) == ("ok", "ok")
    assert "liburing-dev" in only("liburing").remedy
    assert "built without XRT" in only("cards").found


# Packages, and the small runs.


def test_packages_are_held_against_the_metadata_of_gaspipe(monkeypatch):
    versions = {"numpy": "2.4.6", "matplotlib": "3.4.9", "networkx": "3.6", "dask": "2024.8.0rc1"}

    def version(name):
        if name not in versions:
            raise metadata.PackageNotFoundError(name)
        return versions[name]

    monkeypatch.setattr(packages.metadata, "requires", lambda name: {"gaspipe": REQUIRES}[name])
    monkeypatch.setattr(packages.metadata, "version", version)
    found = findings("packages")
    assert list(found) == ["numpy", "matplotlib", "tqdm", "networkx", "dask"]
    assert [each.status for each in found.values()] == ["ok", "warning", "ok", "ok", "ok"]
    assert found["matplotlib"][2:] == ("3.4.9, and gaspipe needs 3.5 or newer", "pip install 'matplotlib>=3.5'")
    assert found["tqdm"][2:] == ("not installed, for the extra [progress]", "pip install 'tqdm>=4.60'")
    assert found["networkx"].found == "3.6 (needs 3.6 or newer)"
    del versions["networkx"]
    assert findings("packages")["networkx"].remedy == "pip install 'networkx>=3.6'"
    assert "warning  matplotlib       3.4.9" in gaspipe("doctor").stdout
    versions["numpy"] = "1.9"
    assert "problem  numpy            1.9, and gaspipe needs 1.22 or newer" in gaspipe("doctor", code=1).stdout
    del versions["numpy"]
    assert findings("packages")["numpy"].status == "problem"


def test_without_metadata_of_gaspipe_there_is_a_warning(monkeypatch):
    def requires(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(packages.metadata, "requires", requires)
    assert only("packages").status == "warning"


@pytest.mark.parametrize(("check", "device"), [("run on cpu", "cpu"), ("run in emulator", "emulator")])
def test_a_wrong_answer_of_the_small_run_is_a_problem(monkeypatch, check, device):
    assert only(check)[1:3] == ("ok", f"sssp answers as it should: {device}, 3 super-steps")
    right, devices = gp.sssp, []

    def wrong(graph, root, device):
        devices.append(device)
        return right(graph, root=2, device=device)

    monkeypatch.setattr(runs._algorithms, "sssp", wrong)
    found = only(check)
    assert devices == [device]
    assert (found.status, found.found) == (
        "problem",
        "sssp answers [-1, -1, 0, 7, -1, -1], which should be [0, 4, 1, 6, -1, -1]",
    )
    gaspipe("doctor", code=1)
