// SPDX-License-Identifier: Apache-2.0
// Loops over all vertices or over those of a frontier, in chunks that the workers share. Every chunk has its own copy
// of the functor, so that what it counts stays in registers. The functor offers
//
//   void operator()(VertexId v, int worker)
//   void finish(std::uint64_t chunk)            optional: after a chunk, numbered from 0 in the order of the loop
#pragma once

#include <type_traits>
#include <utility>

#include "gaspipe/engine/frontier.h"
#include "gaspipe/engine/workers.h"

namespace gaspipe {
namespace engine {

template <class Functor, class = void>
struct HasChunkFinish : std::false_type {};
template <class Functor>
struct HasChunkFinish<Functor, std::void_t<decltype(std::declval<Functor&>().finish(std::uint64_t{}))>>
    : std::true_type {};
template <class Functor>
void finish_chunk(Functor& functor, std::uint64_t chunk) {
  if constexpr (HasChunkFinish<Functor>::value) functor.finish(chunk);
}

inline std::uint64_t num_chunks(std::uint64_t num_vertices) { return (num_vertices + kVertexGrain - 1) / kVertexGrain; }
inline std::uint64_t num_chunks(const Frontier& frontier) {
  if (!frontier.is_bitmap()) return num_chunks(frontier.size());
  return (frontier.bits().num_words() + kWordGrain - 1) / kWordGrain;
}

// Of vertices 0 to n - 1.
template <class Functor>
void vertex_map(Workers& workers, VertexId n, const Functor& functor) {
  workers.each(n, kVertexGrain, [&](std::uint64_t first, std::uint64_t last, int worker) {
    Functor own(functor);
    const auto end = static_cast<VertexId>(last);  // v counts in its own type: the loop can become vector code then
    for (auto v = static_cast<VertexId>(first); v < end; ++v) own(v, worker);
    finish_chunk(own, first / kVertexGrain);
  });
}

// Of the vertices of a frontier: a queue in its own order, a bitmap in ascending order.
template <class Functor>
void vertex_map(Workers& workers, const Frontier& frontier, const Functor& functor) {
  if (frontier.is_bitmap()) {
    workers.each(frontier.bits().num_words(), kWordGrain, [&](std::uint64_t first, std::uint64_t last, int worker) {
      Functor own(functor);
      frontier.bits().each_in_words(first, last, [&](VertexId v) { own(v, worker); });
      finish_chunk(own, first / kWordGrain);
    });
    return;
  }
  const VertexId* const vertices = frontier.begin();
  workers.each(frontier.size(), kVertexGrain, [&](std::uint64_t first, std::uint64_t last, int worker) {
    Functor own(functor);
    for (std::uint64_t i = first; i < last; ++i) own(vertices[i], worker);
    finish_chunk(own, first / kVertexGrain);
  });
}

}  // namespace engine
}  // namespace gaspipe
