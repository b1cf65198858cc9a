# SPDX-License-Identifier: Apache-2.0
"""Ends of the block of `gp.distributed.mpi`: by sys.exit, by a generator that is left, and calls after it."""

import re

import pytest

from mpi_jobs import finish, start

pytestmark = [pytest.mark.needs(tool) for tool in ("mpi4py", "mpi")]

# All ranks leave some worlds in the same way, and the program goes on.
ALIKE = """
import sys
import gaspipe as gp

def parts():
    with gp.distributed.mpi() as world:
        yield gp.bfs(world.edges([0, 1], [1, 2])).gather()
        yield world

for given in (0, 3, None, "no such file"):
    try:
        with gp.distributed.mpi() as world:
            graph = world.edges([0, 1], [1, 2])
            result = gp.bfs(graph)
            sys.exit(given)
    except SystemExit as error:
        assert error.code == given
for part in parts():
    assert part.values.tolist() == [0, 1, 2]
    break
for call in (lambda: gp.bfs(graph), result.gather, world.barrier, lambda: world.edges([0], [1])):
    try:
        call()
    except gp.RankError as error:
        assert "this world has been closed; open another" in str(error), error
    else:
        raise AssertionError
kept = parts()
next(kept)
with gp.distributed.mpi() as world:
    if world.size == 1:  # in the middle of a step
        gp.bfs(world.edges([0], [1]), progress=lambda *what: sys.exit("no such file: web.txt"))
    sys.exit("no such file: web.txt")
"""

# Rank 1 leaves alone; a rank that needs it finds that out soon.
ALONE = """
import sys
import time
import gaspipe as gp

gp.distributed._watch._GRACE = 0.2
with gp.distributed.mpi() as world:
    graph = world.edges([0, 1], [1, 2])
    if world.rank == 1:
        sys.exit({given!r})
    {others}
"""


@pytest.mark.parametrize("size", [1, 2])
def test_ranks_that_end_alike_end_as_their_program_does(size):
    code, _, errors = finish(start(size, "-c", ALIKE))
    assert (code, errors.replace("\n", "")) == (1, "no such file: web.txt" * size)  # ranks write ends of lines apart


def test_a_rank_that_exits_waits_for_others_that_do_not_need_it():
    code, _, errors = finish(start(2, "-c", ALONE.format(given=5, others="time.sleep(0.5)")))
    assert code == 5 and "Abort" not in errors, errors


@pytest.mark.parametrize(("given", "code"), [(0, 1), (5, 5), ("no such file: web.txt", 1)])
def test_a_rank_that_exits_ends_others_that_need_it(given, code):
    found, _, errors = finish(start(2, "-c", ALONE.format(given=given, others="gp.bfs(graph)")))
    assert found == code, errors
    said = rf"^gaspipe: rank 0 of 2 ends: rank 1 of 2 \(process \d+ on .*\) has left: SystemExit: {given}$"
    assert re.search(said, errors, re.M), errors
