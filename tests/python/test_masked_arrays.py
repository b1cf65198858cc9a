# SPDX-License-Identifier: Apache-2.0
"""Masked arrays of NumPy where users hand in more than an algorithm's arguments: a masked value is never read."""

import re

import numpy as np
import pytest

import gaspipe as gp
from test_chain import sums_chain

pytestmark = pytest.mark.usefixtures("compiled_snippets")


def graph():
    return gp.Graph(([0, 1], [1, 2]))


def owners(values):
    return lambda ids, size: values


def engine(start=(0.0, 0.0, 0.0)):
    source = "void set(VertexValue& value, AccumValue) { value.at[0] = 1; }"
    return gp.FrontierEngine(graph(), source, vertex=[("at", "f8", 3)], default=(start,), name="set")


def numbered(**more):
    """Return the least number that reaches a vertex, by default of ids."""
    return gp.Algorithm("numbered", gather="min(a, b)", **{"initial": "v", **more})


def sums_of(values):
    sums_chain().run(rows=np.array([0, 1, 2, 3]), along_edges=values, sums=np.zeros(3, np.float32))


CALLS = {
    "order": lambda of: graph().reorder(of([2, 1, 0])),
    "ids": lambda of: graph().domains(2).owner(of([2, 1, 0])),
    "what strategy <lambda> returned": lambda of: graph().domains(2, strategy=owners(of([0, 1, 0]))),
    "vertices": lambda of: gp.VertexSubset(3, of([0, 1, 2])),
    "vertices ": lambda of: engine().subset(of(np.array([2, 2, 1], np.uint8))),
    "x of graph 1": lambda of: gp.batch("spmv", [graph(), graph()], x=[np.arange(3), of([0, 1, 2])]),
    "default['at']": lambda of: engine(of([0.0, 1.0, 2.0])),
    "array 'along_edges'": lambda of: sums_of(of(np.ones(3, np.float32))),
    "what the oracle of numbered returned": lambda of: gp.testing.assert_devices_agree(
        numbered(oracle=lambda graph: of([0, 0, 0])), graph(), devices=["cpu", "emulator"]
    ),
    "initial of numbered": lambda of: numbered(initial=lambda graph: of([3, 2, 1]))(graph()),
}


@pytest.mark.parametrize("call", CALLS)
def test_masked_values_are_refused(call):
    with pytest.raises(gp.InputError, match=re.escape(f"{call.strip()}: 1 of 3 values are masked; ")):
        CALLS[call](lambda values: np.ma.array(values, mask=[False, False, True]))
    for mask in (False, [False, False, False]):  # nothing is masked
        CALLS[call](lambda values, mask=mask: np.ma.array(values, mask=mask))
