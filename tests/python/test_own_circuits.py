# SPDX-License-Identifier: Apache-2.0
"""Hooks of a custom algorithm as circuits: too slow for the board, no circuit at all, not measured."""

import logging

import pytest

import gaspipe as gp
import kept
from gaspipe._card.boards import read
from gaspipe._own import circuits

needs_tools = pytest.mark.needs("circuit")


@pytest.fixture(autouse=True, scope="module")
def cache(tmp_path_factory):
    """Findings of these tests, and no others."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        patched.setattr("gaspipe._circuit.synthesize", kept.cost)
        yield


# Sums that multiply on the way are far from 250 MHz; a minimum is not.
SLOW = {"gather": "a * 3 + b * a", "raw_merge": "a * 3 + b * a", "merge": "a * 3 + b * a", "scatter": "src"}


def slow(**changes):
    return gp.Algorithm("slow", **{**SLOW, "prop": "uint32", **changes})


def quick(**changes):
    return gp.Algorithm("quick", **{"gather": "a < b ? a : b", "scatter": "src + 1", "identity": 2**32 - 1, **changes})


def messages(algorithm, board="u250", clock_mhz=0):
    return circuits.messages(algorithm._libraries, read(board), clock_mhz)


@needs_tools
def test_a_loop_that_takes_too_long_to_measure_is_named(monkeypatch):
    # The first to measure these hooks, of which the tests that follow take what was found.
    monkeypatch.setattr(circuits, "_MOST_SECONDS", 1)
    algorithm = slow()
    (message,) = messages(algorithm)
    assert message == "slow: raw_merge was not measured: yosys has not mapped it to LUTs in 1 seconds"
    monkeypatch.setattr(circuits, "_MOST_SECONDS", 600)
    (message,) = messages(algorithm)  # not kept
    assert "the loop with raw_merge closes at" in message


@needs_tools
def test_a_loop_that_cannot_close_is_named_with_its_clock():
    (message,) = messages(slow())
    assert message.startswith("slow: the loop with raw_merge closes at ")
    assert "the kernels for u250 are to run at" in message
    mhz = int(message.split("closes at ")[1].split(" MHz")[0])
    assert 20 < mhz < read("u250").clock_mhz
    assert f"ask for clock_mhz={mhz}" in message
    assert messages(slow(), clock_mhz=mhz) == []


@needs_tools
def test_a_build_warns_and_writes(tmp_path):
    with pytest.warns(RuntimeWarning, match="the loop with raw_merge closes at"):
        slow().build("u250", tmp_path / "out")
    assert (tmp_path / "out" / "manifest.json").is_file()


@needs_tools
def test_quick_hooks_have_no_message():
    assert messages(quick()) == []


@needs_tools
def test_a_finding_is_kept(monkeypatch):
    first = messages(slow())
    monkeypatch.setattr(circuits, "_measure", lambda *_: pytest.fail("measured again"))
    assert messages(slow()) == first


@needs_tools
def test_what_is_no_circuit_is_named_with_the_line_of_the_snippet():
    snippet = """
static inline prop_t power(prop_t x, prop_t n) {
  return n == 0 ? 1 : x * power(x, n - 1) + power(n / 2, x);
}
static inline prop_t gatherFunc(prop_t a, prop_t b) {
  return a + power(a, b);
}
"""
    found = circuits.messages(gp.Algorithm("recursive", snippet, scatter="src")._libraries, read("u250"), 0)
    gathering = [m for m in found if "gather is no circuit" in m]
    assert len(gathering) == 1
    assert "power" in gathering[0]
    assert "calls itself" in gathering[0]
    assert ":3:" in gathering[0] or ":6:" in gathering[0]


def test_floating_point_is_not_covered():
    d = gp.Algorithm("sums", gather="a + b", scatter="src", prop="float32").definition
    assert not circuits.is_covered(d)


def test_without_the_tools_a_record_tells_what_to_install(monkeypatch, caplog):
    monkeypatch.setattr(circuits, "missing_packages", lambda: ["yosys"])
    with caplog.at_level(logging.INFO, logger="gaspipe"):
        assert messages(slow()) == []
    assert "slow: hooks not measured as circuits; install yosys" in caplog.text
