// SPDX-License-Identifier: Apache-2.0
// The vertices within some hops of one of some others. Takes a bit per vertex of the graph, and the rest is as large as
// the answer.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "gaspipe/array.h"
#include "gaspipe/engine/bitmap.h"
#include "gaspipe/engine/frontier.h"
#include "gaspipe/rows.h"
#include "gaspipe/workers.h"

namespace gaspipe {
namespace algorithm {

struct Ball {
  engine::Bitmap members;
  Writable<std::int32_t> distance;  // by vertex, of members only: other pages are never touched
};

inline Ball ball_around(const Csr& csr, const std::vector<VertexId>& sources, std::uint64_t radius, Workers& workers) {
  constexpr std::uint64_t kGrain = 128;
  Ball ball{engine::Bitmap(csr.num_rows), Writable<std::int32_t>(csr.num_rows)};
  const abi::Csr table = table_of(csr);
  engine::Frontier front(csr.num_rows), next(csr.num_rows);
  front.bind(nullptr, workers.size());
  next.bind(nullptr, workers.size());
  for (const VertexId source : sources) {
    if (!ball.members.insert(source)) continue;
    ball.distance[source] = 0;
    front.add(source, 0);
  }
  front.collect();
  workers.phase("hops", radius);
  for (std::uint64_t hops = 1; hops <= radius && front.size() > 0; ++hops) {
    next.clear();
    engine::with_rows(table, [&](const auto& rows) {
      const VertexId* const vertices = front.begin();
      workers.each(front.size(), kGrain, [&](std::uint64_t first, std::uint64_t last, int worker) {
        engine::Frontier::Part& part = next.part(worker);
        for (std::uint64_t i = first; i < last; ++i) {
          if (i + engine::kRowsAhead < last) rows.prefetch_row(vertices[i + engine::kRowsAhead]);
          for (const auto edge : rows[vertices[i]]) {
            const VertexId u = edge.neighbor();
            if (!ball.members.set_atomic(u)) continue;
            ball.distance[u] = static_cast<std::int32_t>(hops);
            next.add(u, part);
          }
        }
      });
    });
    next.collect();
    std::swap(front, next);
    workers.done(hops);
  }
  return ball;
}

// The members in ascending order, and the distance of each.
inline std::pair<Array<VertexId>, Array<std::int32_t>> listed(const Ball& ball, Workers& workers) {
  constexpr std::uint64_t kGrain = 1 << 9;  // words of the bitmap
  const std::uint64_t num_words = ball.members.num_words(), num_chunks = (num_words + kGrain - 1) / kGrain;
  std::vector<std::uint64_t> first_of(num_chunks + 1, 0);
  workers.each(num_words, kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    std::uint64_t& count = first_of[first / kGrain + 1];
    ball.members.each_in_words(first, last, [&](VertexId) { ++count; });
  });
  for (std::uint64_t i = 0; i < num_chunks; ++i) first_of[i + 1] += first_of[i];
  const Writable<VertexId> vertex(first_of[num_chunks]);
  const Writable<std::int32_t> distance(vertex.size());
  workers.each(num_words, kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    std::uint64_t at = first_of[first / kGrain];
    ball.members.each_in_words(first, last, [&](VertexId v) {
      vertex[at] = v;
      distance[at++] = ball.distance[v];
    });
  });
  return {vertex.freeze(), distance.freeze()};
}

}  // namespace algorithm
}  // namespace gaspipe
