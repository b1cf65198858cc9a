# SPDX-License-Identifier: Apache-2.0
"""Algorithm.check: right programs pass, each broken law is found, with a small counterexample."""

import pytest

import gaspipe as gp
import snippets


@pytest.fixture(autouse=True, scope="module")
def cache(compiled_snippets):
    """Snippets that the whole session shares."""


@pytest.mark.parametrize("make", [snippets.widest, snippets.active_bit, snippets.struct_bfs])
def test_right_programs_pass(make):
    found = make().check()
    assert found.devices == ("cpu", "emulator")
    assert found.num_graphs == 4
    assert found.num_updates > 2
    assert found.num_cases > 1000


def test_floats_may_round():
    assert snippets.pagerank().check(devices=("cpu",), max_iter=20).num_cases > 1000


def faulty(**hooks):
    source = "".join(f"inline prop_t {name}(prop_t a, prop_t b) {{ return {body}; }}\n" for name, body in hooks.items())
    return gp.Algorithm("faulty", source, initial="v + 1", until=("steps", 3))


@pytest.mark.parametrize(
    ("algorithm", "law"),
    [
        (faulty(gatherFunc="2 * a + b"), r"gatherFunc depends on the order: updates \[\d+, \d+\] give \d+, "),
        (faulty(gatherFunc="a - b"), "applyMerge"),
        (faulty(gatherFunc="a + b", applyMerge="a"), r"applyMerge is not commutative: updates \[\d+, \d+\]"),
        (faulty(gatherFunc="a + b", applyMerge="a > b ? a : b"), "applyMerge of the first"),
        (faulty(gatherFunc="a + b", updateMergeInRAWSolver="a"), r"updateMergeInRAWSolver.*\[\d+, \d+\]"),
        (gp.Algorithm("faulty", gather="min(a, b)", initial="v + 1", identity=3, merge="a"), "commutative"),
    ],
    ids=["order", "difference", "commutative", "parts", "raw", "identity"],
)
def test_broken_laws_are_found(algorithm, law):
    with pytest.raises(gp.CheckError, match=law):
        algorithm.check(devices=("cpu",))


# The merges that the published pipeline's documents print, in words of our own: the first of two levels that are equal
# stays, whether or not it is active; and updates of vertices that are no longer active are sent too.
PUBLISHED = """
inline prop_t level(prop_t p) { return p & ~VERTEX_ACTIVE_BIT_MASK; }
inline prop_t preprocessProperty(prop_t p) { return p + 1; }
inline prop_t scatterFunc(prop_t p, prop_t) { return p; }
inline prop_t updateMergeInRAWSolver(prop_t old, prop_t update) { return level(old) > level(update) ? update : old; }
inline prop_t gatherFunc(prop_t old, prop_t update) { return level(old) > level(update) || old == 0 ? update : old; }
inline prop_t applyMerge(prop_t old, prop_t update) {
  return (level(old) > level(update) && update != 0) || old == 0 ? update : old;
}
inline prop_t applyFunc(prop_t arrived, prop_t old, prop_t, unsigned &extra, unsigned) {
  if ((arrived & VERTEX_ACTIVE_BIT_MASK) == 0 || old != MAX_PROP) return level(old);
  ++extra;
  return arrived;
}
"""


def test_ties_that_no_device_shows_are_not_refused():
    """At a vertex that still takes updates they never tie."""
    algorithm = gp.Algorithm(
        "published_hooks",
        PUBLISHED,
        initial="v == root ? (VERTEX_ACTIVE_BIT_MASK | 1) : MAX_PROP",
        parameters={"root": 0},
        finish="prop == MAX_PROP ? -1 : std::int32_t(prop & ~VERTEX_ACTIVE_BIT_MASK) - 1",
        dtype="int32",
        oracle=lambda graph, root: gp.bfs(graph, root).depth,
    )
    found = algorithm.check()
    assert found.devices == ("cpu", "emulator")
    assert "gatherFunc depends on the order: updates [2, 2147483650] give 2" in found.unobserved
    assert snippets.widest().check(devices=("cpu",)).unobserved == ""


@pytest.mark.parametrize(("finish", "is_seen"), [("prop & ~VERTEX_ACTIVE_BIT_MASK", False), ("prop", True)])
def test_a_tie_is_refused_where_the_answer_shows_it(finish, is_seen):
    algorithm = gp.Algorithm(
        "tie",
        gather="(a & ~VERTEX_ACTIVE_BIT_MASK) <= (b & ~VERTEX_ACTIVE_BIT_MASK) ? a : b",
        apply="acc",
        identity=2**31 - 1,
        initial="v % 2 ? VERTEX_ACTIVE_BIT_MASK | 5 : 5",
        until=("steps", 2),
        finish=finish,
    )
    if is_seen:
        with pytest.raises(gp.CheckError, match=r"depends on the order: .*; so vertex \d+ is \d+ or \d+, on"):
            algorithm.check(devices=("cpu",))
    else:
        assert "gatherFunc depends on the order" in algorithm.check(devices=("cpu",)).unobserved


def test_what_only_a_later_step_shows_is_found():
    """The order decides which of two ids stays; both grow for a while before they differ in the answer."""
    algorithm = gp.Algorithm(
        "late", gather="b == 0 ? a : b", apply="acc == 0 ? old : acc", initial="v + 1", until=("steps", 5),
        finish="prop > 2"
    )  # fmt: skip
    with pytest.raises(gp.CheckError, match="gatherFunc depends on the order"):
        algorithm.check(devices=("cpu",))


def test_a_neutral_element_that_is_none_breaks_the_merge_of_parts():
    """0 stands for nothing yet, and is also the sum's start plus one: two parts count it twice."""
    algorithm = gp.Algorithm("faulty", gather="a + b", identity=1, initial="v + 1", until=("steps", 2))
    with pytest.raises(gp.CheckError, match="from identity 1"):
        algorithm.check(devices=("cpu",))


def test_a_graph_and_arguments_may_be_given():
    found = snippets.widest().check(([0, 1, 2], [1, 2, 0], [5, 6, 7]), root=2, devices=("cpu",))
    assert found.num_graphs == 1


ENDLESS = "inline prop_t gatherFunc(prop_t a, prop_t b) { volatile int on = 1; while (on) {} return a + b; }"
CRASH = "inline prop_t gatherFunc(prop_t a, prop_t b) { volatile int* p = nullptr; return *p + a + b; }"


@pytest.mark.parametrize(("source", "message"), [(ENDLESS, "did not end within 2 s"), (CRASH, r"crashed \(SIGSEGV\)")])
def test_a_hook_that_loops_or_crashes_ends_a_process_of_its_own(source, message):
    algorithm = gp.Algorithm("wild", source, until=("steps", 1), timeout=2)
    with pytest.raises(gp.CrashError, match=message):
        algorithm(([0], [1]))
    with pytest.raises(gp.CrashError, match=message):
        algorithm.check(devices=("cpu",), timeout=2)


def test_a_first_run_in_a_process_of_its_own_gives_the_same():
    algorithm = gp.Algorithm("tame", gather="a + b", initial=2, until=("steps", 1), timeout=60)
    assert algorithm(([0], [1])).values.tolist() == [2, 4]
    assert algorithm(([0, 2], [1, 1])).values.tolist() == [2, 6, 2]
    with pytest.raises(gp.InputError, match="timeout is 0"):
        gp.Algorithm("tame", gather="a + b", timeout=0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (dict(num_graphs=0), "num_graphs is 0"),
        (dict(num_cases=-1), "num_cases is -1"),
        (dict(num_cases=2.5), "num_cases is 2.5"),
        (dict(seed=-1), "seed is -1"),
        (dict(devices="cpu"), "devices is 'cpu'; a tuple"),
        (dict(devices=()), r"devices is \(\); a tuple"),
        (dict(devices=("cpu",), max_iter="3"), "max_iter"),
        (dict(devices=("cpu",), max_iter=0), "max_iter"),
    ],
)
def test_checks_that_would_check_nothing_are_refused(arguments, message):
    with pytest.raises(gp.InputError, match=message):
        snippets.widest().check(**arguments)
