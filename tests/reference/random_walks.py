# SPDX-License-Identifier: Apache-2.0
"""Random walks one after the other, from the same random numbers."""

from bisect import bisect_left, bisect_right

import numpy as np

WORD = 2**64 - 1
PURPOSE = 7  # of the numbers of walks, in gaspipe/generate.h


def tolerance(number, matrix, **parameters):
    """Largest relative L1 distance of an answer: numbers and choices are the same."""
    return 0


def parameters(num_vertices):
    """Parameters to try on a graph of so many vertices."""
    some = [num_vertices - 1, 0, num_vertices // 2, 0]
    return [
        {},
        {"sources": some, "length": 12, "num_walks": 5, "seed": 3},
        {"length": 15, "p": 0.25, "q": 4.0, "num_walks": 2},
        {"sources": some, "length": 20, "p": 1e9, "q": 1e-9, "seed": 2**31 - 2},
        {"sources": [], "length": 3},
        {"length": 0},
    ]


def mix(x):
    """Return a word that looks random: the last steps of splitmix64."""
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & WORD
    x = (x ^ x >> 27) * 0x94D049BB133111EB & WORD
    return x ^ x >> 31


def start_of(seed):
    """Where the sequence of a seed begins."""
    return mix(mix(seed) + PURPOSE & WORD)


def word(start, index):
    """Return a number of a sequence."""
    return mix(start + (index + 1) * 0x9E3779B97F4A7C15 & WORD)


class Dice:
    """The numbers of one walk."""

    def __init__(self, seed):
        self.start, self.num_drawn = start_of(seed), 0

    def word(self):
        """Return 64 random bits."""
        self.num_drawn += 1
        return word(self.start, self.num_drawn - 1)

    def fraction(self):
        """Return a number from 0 to 1, which excludes 1."""
        return (self.word() >> 11) * 2.0**-53


def answer(matrix, sources=None, length=80, num_walks=1, p=1.0, q=1.0, weights=False, seed=0):
    """A row per walk: its vertices, -1 after its end."""
    n = matrix.shape[0]
    rows = [matrix.indices[a:b].tolist() for a, b in zip(matrix.indptr, matrix.indptr[1:])]
    is_weighted = weights and matrix.data.dtype != np.bool_
    sums = [np.cumsum(matrix.data[a:b].astype(float)).tolist() for a, b in zip(matrix.indptr, matrix.indptr[1:])]
    sets = [set(row) for row in rows]
    back, away = 1 / p, 1 / q
    most = max(1.0, back, away)

    def any_edge(v, dice):
        if not is_weighted:
            return dice.word() * len(rows[v]) >> 64
        drawn = dice.fraction() * sums[v][-1]
        return min(bisect_right(sums[v], drawn), bisect_left(sums[v], sums[v][-1]))

    def bias(t, x):
        return back if x == t else 1.0 if x in sets[t] else away

    def step(before, v, dice):
        if not rows[v] or (is_weighted and sums[v][-1] == 0):
            return -1
        if (p == 1 and q == 1) or before is None:
            return rows[v][any_edge(v, dice)]
        for _ in range(len(rows[v]) + 8):
            x = rows[v][any_edge(v, dice)]
            if dice.fraction() * most < bias(before, x):
                return x
        shares, last = [], 0.0
        for k, x in enumerate(rows[v]):
            shares.append((sums[v][k] - last if is_weighted else 1.0) * bias(before, x))
            last = sums[v][k]
        total = 0.0
        for share in shares:
            total += share
        drawn, total, found = dice.fraction() * total, 0.0, None
        for x, share in zip(rows[v], shares):
            if drawn < total:
                break
            found = x if share > 0 else found
            total += share
        return found

    walks = []
    for source in range(n) if sources is None else np.asarray(sources).tolist():
        for number in range(num_walks):
            dice = Dice(word(start_of(seed), source << 32 | number))
            walk = [source]
            while len(walk) <= length and walk[-1] >= 0:
                walk.append(step(walk[-2] if len(walk) > 1 else None, walk[-1], dice))
            walks.append(walk + [-1] * (length + 1 - len(walk)))
    return np.array(walks, np.int64).reshape(len(walks), length + 1)
