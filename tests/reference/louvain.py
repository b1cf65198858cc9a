# SPDX-License-Identifier: Apache-2.0
"""Louvain's method over dicts: which vertex moves when is part of the definition, so that answers are equal.

Blocks of vertices run as cpp/algorithm/common/community_moves.h says; here one after the other.
"""

import math

import numpy as np

BLOCK_WORK, BLOCKS_PER_STRIPE, MOST_ROUNDS = 1 << 16, 32, 32
LEAST_GAIN, LEAST_GAIN_BACK, SCATTER = 1e-3, 1e-5, 0x9E3779B1


def tolerance(number, matrix, **parameters):
    """Largest relative L1 distance of an answer: weights are integers, and a gain has one formula."""
    return 0


def parameters(num_vertices):
    """Parameters to try on a graph of so many vertices; some of the zoo have weights that are infinite."""
    return [
        {"weights": False},
        {"weights": False, "resolution": 2.5},
        {"weights": False, "max_level": 1},
        {"weights": False, "refine": False},
    ]


def neighbors_of(matrix, weights):
    """Weights of every vertex's edges by neighbor, what self-loops add to its strength, whether all have a reverse."""
    n = matrix.shape[0]
    sources, targets = np.repeat(np.arange(n), np.diff(matrix.indptr)).tolist(), matrix.indices.tolist()
    weight = [1] * len(targets)
    if weights and matrix.data.dtype != bool and targets:
        largest = math.frexp(max(matrix.data.tolist()))[1]
        unit = largest + math.frexp(math.fsum(math.ldexp(w, -largest) for w in matrix.data.tolist()))[1] - 58
        weight = [round(math.ldexp(w, -unit)) for w in matrix.data.tolist()]
    is_symmetric = sorted(zip(sources, targets)) == sorted(zip(targets, sources))
    neighbors, loops = [{} for _ in range(n)], [0] * n
    for source, target, w in zip(sources, targets, weight):
        if source == target:
            loops[source] += 4 * w if is_symmetric else 2 * w
        elif w > 0:
            neighbors[source][target] = neighbors[source].get(target, 0) + w
            neighbors[target][source] = neighbors[target].get(source, 0) + w
    return neighbors, loops, is_symmetric


def modularity(inner, strengths, resolution):
    """Modularity of communities with these strengths, and so much weight inside."""
    total = float(sum(strengths))
    expected = 0.0
    for strength in strengths:
        expected += (strength / total) * (strength / total)
    return inner / total - resolution * expected


class Moves:
    """Local moves on one level, from given communities."""

    def __init__(self, neighbors, num_edges, strength, resolution, community, region, step):
        n = len(neighbors)
        self.neighbors, self.strength, self.region = neighbors, strength, region
        self.sum = float(sum(strength))
        self.penalty, self.step = resolution / self.sum, step
        self.community, self.next = community, list(community)
        self.total = [0] * n
        for v, c in enumerate(community):
            self.total[c] += strength[v]
        self.active = [True] * n
        self.block = 1
        while self.block < 1 << 31 and 2 * self.block <= BLOCK_WORK * n // (num_edges + n):
            self.block *= 2

    def run(self, least_gain):
        for _ in range(MOST_ROUNDS):
            if not self.visit_all() > least_gain:
                break

    def visit_all(self):
        n, gains = len(self.neighbors), {}
        blocks = [range(i, min(i + self.block, n)) for i in range(0, n, self.block)]
        blocks = [block for block in blocks if any(self.active[v] for v in block)]
        stripes = 1
        while stripes < len(blocks) // BLOCKS_PER_STRIPE:
            stripes *= 2
        stripe = -(-len(blocks) // stripes)
        for i in range(stripe):
            together = blocks[i::stripe]
            for block in together:
                gains[block] = self.visit(block)
            for block in together:
                self.publish(block)
        gain = 0.0
        for block in blocks:
            gain += gains[block]
        return 2 * gain / self.sum

    def visit(self, block):
        change, gain = {}, 0.0
        mask = (1 << (len(block) - 1).bit_length()) - 1
        for v in (block.start + (k * self.step & mask) for k in range(mask + 1)):
            if v not in block or not self.active[v]:
                continue
            self.active[v] = False
            own, weight = self.next[v], {self.next[v]: 0}
            for u, w in self.neighbors[v].items():
                if self.region is None or self.region[u] == self.region[v]:
                    c = self.next[u] if u in block else self.community[u]
                    weight[c] = weight.get(c, 0) + w
            factor = self.penalty * self.strength[v]
            score = {}
            for c, w in weight.items():
                strength = self.total[c] + change.get(c, 0) - (self.strength[v] if c == own else 0)
                score[c] = float(w) - factor * float(strength)
            to = min(score, key=lambda c, score=score, own=own: (-score[c], c != own, c))
            if to == own:
                continue
            gain += score[to] - score[own]
            self.next[v] = to
            change[own] = change.get(own, 0) - self.strength[v]
            change[to] = change.get(to, 0) + self.strength[v]
            for u in self.neighbors[v]:
                if u in block and self.next[u] != to:
                    self.active[u] = True
        return gain

    def publish(self, block):
        for v in block:
            to = self.next[v]
            if self.community[v] == to:
                continue
            self.total[self.community[v]] -= self.strength[v]
            self.total[to] += self.strength[v]
            self.community[v] = to
            for u in self.neighbors[v]:
                if u not in block and self.next[u] != to:
                    self.active[u] = True


class Louvain:
    """Levels over a graph, from fine to coarse and back."""

    def __init__(self, matrix, resolution, threshold, max_level, weights):
        neighbors, loops, is_symmetric = neighbors_of(matrix, weights)
        strength = [sum(row.values()) + loop for row, loop in zip(neighbors, loops)]
        # Rows of a symmetric graph without weights are walked as they are stored, with parallel edges and loops.
        as_stored = is_symmetric and not (weights and matrix.data.dtype != bool)
        num_edges = matrix.nnz if as_stored else sum(map(len, neighbors))
        self.first = (neighbors, num_edges, strength)
        self.loops, self.sum = sum(loops), sum(strength)
        self.resolution, self.threshold, self.max_level = resolution, threshold, max_level

    def moves(self, level, community, region, step, least_gain):
        neighbors, num_edges, strength = level
        Moves(neighbors, num_edges, strength, self.resolution, community, region, step).run(least_gain)

    def to_coarse_and_back(self, region, step):
        levels, communities = [self.first], []
        inner = self.loops
        before = modularity(inner, self.first[2], self.resolution)
        while len(communities) < self.max_level:
            neighbors, _, strength = levels[-1]
            community = list(range(len(neighbors)))
            self.moves(levels[-1], community, region, step, LEAST_GAIN)
            names = {c: i for i, c in enumerate(sorted(set(community)))}
            community = [names[c] for c in community]
            after = before
            if len(names) < len(neighbors):
                rows, strengths = [{} for _ in names], [0] * len(names)
                for v, row in enumerate(neighbors):
                    c = community[v]
                    strengths[c] += strength[v]
                    for u, w in row.items():
                        if community[u] == c:
                            inner += w
                        else:
                            rows[c][community[u]] = rows[c].get(community[u], 0) + w
                after = modularity(inner, strengths, self.resolution)
                if region is not None:
                    region = [r for _, r in sorted(set(zip(community, region)))]
                levels.append((rows, sum(map(len, rows)), strengths))
                communities.append(community)
            if after - before <= self.threshold:
                if region is None:
                    break
                region = None
            before = after
        if not communities:
            return list(range(len(self.first[0])))
        for level in range(len(communities) - 1, -1, -1):
            if level + 1 < len(communities):
                communities[level] = [communities[level + 1][c] for c in communities[level]]
            self.moves(levels[level], communities[level], None, step, LEAST_GAIN_BACK)
        self.num_levels = len(communities)
        return communities[0]

    def modularity(self, community):
        neighbors, _, strength = self.first
        inner, strengths = self.loops, [0] * len(neighbors)
        for v, row in enumerate(neighbors):
            strengths[community[v]] += strength[v]
            inner += sum(w for u, w in row.items() if community[u] == community[v])
        return modularity(inner, strengths, self.resolution)


def connected_parts(neighbors, community):
    """Smallest vertex of the part of its community that every vertex is in."""
    part = [None] * len(neighbors)
    for start in range(len(neighbors)):
        if part[start] is None:
            part[start], stack = start, [start]
            while stack:
                v = stack.pop()
                for u in neighbors[v]:
                    if part[u] is None and community[u] == community[v]:
                        part[u] = start
                        stack.append(u)
    return part


def answer(matrix, resolution=1.0, threshold=1e-7, max_level=1000, refine=True, weights=True):
    """Community of every vertex: its smallest vertex."""
    run = Louvain(matrix, resolution, threshold, max_level, weights)
    community = list(range(matrix.shape[0]))
    if run.sum > 0:
        run.num_levels = 0
        community = run.to_coarse_and_back(None, 1)
        if refine and run.num_levels < max_level:
            again = run.to_coarse_and_back(community, SCATTER)
            if run.modularity(again) > run.modularity(community):
                community = again
        community = connected_parts(run.first[0], community)
    return np.array(community, np.int64)
