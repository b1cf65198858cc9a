// SPDX-License-Identifier: Apache-2.0
// Graphs whose partitions and sub-partitions have known sizes.
#pragma once

#include "gaspipe/graph.h"
#include "gaspipe/schedule.h"
#include "tests/cpp/testing.h"

namespace gaspipe {
namespace testing {

// A sub-partition of `num_edges` edges, the first from `first_source`, the last from `last_source`, the others from
// sources as evenly spread between.
struct SliceShape {
  VertexId first_source, last_source;
  std::size_t num_edges;
};

// Partition p has 64 destinations and one sub-partition per entry of shapes[p]; the entries' sources ascend.
inline std::shared_ptr<const Partitioning> partitioning_of(const std::vector<std::vector<SliceShape>>& shapes,
                                                           VertexId num_vertices) {
  Edges edges;
  for (std::size_t p = 0; p < shapes.size(); ++p) {
    for (const SliceShape& shape : shapes[p]) {
      for (std::size_t i = 0; i < shape.num_edges; ++i) {
        const std::uint64_t span = shape.last_source - shape.first_source;
        const auto step = shape.num_edges > 1 ? span * i / (shape.num_edges - 1) : 0;
        edges.emplace_back(shape.first_source + static_cast<VertexId>(step), static_cast<VertexId>(64 * p + i % 64));
      }
    }
  }
  const Graph graph = graph_of(num_vertices, edges);
  Workers workers(1);
  return graph.partition(View::kForward, {64, static_cast<std::uint32_t>(shapes[0].size()), "equal"}, abi::kNone,
                         workers);
}

using Ids = std::vector<std::uint32_t>;

}  // namespace testing
}  // namespace gaspipe
