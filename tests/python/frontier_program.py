# SPDX-License-Identifier: Apache-2.0
"""A program of gp.FrontierEngine, its values, and graphs, for tests of one engine and of many domains."""

import numpy as np
import scipy.sparse as sp
import scipy.sparse.csgraph

import gaspipe as gp

# Values of 12 bytes, of 8, and doubles.
FUNCTORS = r"""
void start(VertexValue& value, double) { value.level = -1; value.rank = 0; value.part = 7; }
void mark(VertexValue& value, double) { value.level = 0; }
void number(VertexValue& value, double, VertexId id) { value.part = id; }

struct Bfs {
  double gather(const VertexValue& source, EdgeCount, EdgeValue&) { return source.level + 1; }
  double reduce(double a, double b) { return min(a, b); }
  bool cond(const VertexValue& value, double, VertexId) { return value.level < 0; }
  void update(VertexValue& value, double accumulator) { value.level = static_cast<int>(accumulator); }
};
struct Search : Bfs { static constexpr bool kFinalOnceSet = true; };

// Sums of rank / outdegree * weight, with a bias that calls give.
struct Spread {
  Parameters parameters;
  double gather(const VertexValue& source, EdgeCount outdegree, const EdgeValue& edge) {
    return source.rank * edge.weight / static_cast<double>(outdegree) + parameters.bias;
  }
  double reduce(double a, double b) { return a + b; }
  void operator()(VertexValue& value, double accumulator) {
    value.rank = static_cast<float>(parameters.scale * accumulator);
  }
};
struct Touch {
  double gather(const VertexValue&, EdgeCount, EdgeValue& edge) { edge.seen += 1; return 0; }
  double reduce(double a, double b) { return a + b; }
};
struct Levels {
  int identity() { return 0; }
  int map(const VertexValue& value) { return value.level >= 0; }
  int reduce(int a, int b) { return a + b; }
};
struct Farthest {
  double identity() { return -1; }
  double map(const VertexValue& value, VertexId id) { return value.level + id / 1e6; }
  double reduce(double a, double b) { return max(a, b); }
};
"""
# A program of one function, for a parameter `root`; returns its rounds.
SEARCH = r"""
int search(Engine& engine, const Parameters& parameters) {
  const VertexId n = engine.getVertexCount();
  VertexSubset front(n, parameters.root), reached;
  engine.vertexMap(VertexSubset(n, true), start);
  engine.vertexMap(front, mark);
  int rounds = 0;
  for (; !front.empty(); ++rounds) {
    engine.edgeFilter(reached, front, Bfs());
    engine.vertexFilter(front, reached, Bfs());
  }
  return rounds;
}
"""
VERTEX = np.dtype([("level", "i4"), ("rank", "f4"), ("part", "u4")])
EDGE = np.dtype([("weight", "f4"), ("seen", "u4")])


def random_matrix(n, m, seed):
    rng = np.random.default_rng(seed)
    matrix = sp.coo_array((rng.integers(1, 9, m).astype(np.float64), rng.integers(0, n, (2, m))), shape=(n, n))
    return sp.csr_array(matrix)


def levels_of(matrix, root):
    hops = scipy.sparse.csgraph.shortest_path(matrix, unweighted=True, indices=root)
    return np.where(np.isinf(hops), -1, hops).astype(int).tolist()


def bfs(engine, root, call="both"):
    engine.vertex_map(engine.subset(True), "start")
    front, reached, sizes = engine.subset(root), gp.VertexSubset(), []
    engine.vertex_map(front, "mark")
    while front:
        sizes.append(len(front))
        if call == "both":
            engine.edge_filter(reached, front, "Bfs")
            engine.vertex_filter(front, reached, "Bfs")
        else:
            engine.edge_vertex_filter(front, front, call)
    return sizes
