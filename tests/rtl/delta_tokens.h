// SPDX-License-Identifier: Apache-2.0
// Random tokens for the leaves of shortest paths by buckets (hls/local_store/distances.h, relax.h).
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "hls/kernel/delta_stepping.h"
#include "pull_tokens.h"

namespace gaspipe {
namespace rtl {

inline bool same(const NearGroup& a, const NearGroup& b) {
  return a.end == b.end &&
         (a.end || (a.near == b.near && std::equal(a.cells.lane, a.cells.lane + kHeadsPerLine, b.cells.lane)));
}
inline bool same(const NearVertex& a, const NearVertex& b) {
  return a.end == b.end && (a.end || (a.distance == b.distance && a.row == b.row && a.num_edges == b.num_edges &&
                                      a.has_edges == b.has_edges));
}
inline bool same(const EdgeRun& a, const EdgeRun& b) {
  return a.end == b.end && (a.end || (a.distance == b.distance && a.num == b.num));
}
inline bool same(const OwnedDistance& a, const OwnedDistance& b) {
  return a.end == b.end && (a.end || (a.index == b.index && a.distance == b.distance && a.owner == b.owner));
}
inline bool same(const DistanceMessage& a, const DistanceMessage& b) {
  return a.end == b.end && a.last == b.last && (a.end || (a.index == b.index && a.distance == b.distance));
}
inline bool same(const DistanceRequest& a, const DistanceRequest& b) {
  return a.end == b.end && (a.end || (a.index == b.index && a.distance == b.distance && a.held == b.held));
}

// Distances of up to 10,000; a third waits, and some are at kNoDistance.
inline std::uint32_t random_cell(std::mt19937_64& random) {
  if (random() % 5 == 0) return kNoDistance;
  return static_cast<std::uint32_t>(random() % 10'000) | (random() % 3 == 0 ? kWaits : 0);
}
inline std::vector<Word<std::uint64_t>> random_cells(std::size_t num, std::mt19937_64& random) {
  std::vector<Word<std::uint64_t>> words(num);
  for (std::size_t w = 0; w < num; ++w) {
    for (std::uint64_t& lane : words[w].lane) {
      const std::uint32_t low = random_cell(random), high = random_cell(random);
      // Every third word has none that waits.
      lane = w % 3 == 0 ? std::uint64_t(distance_of(high)) << 32 | distance_of(low) : std::uint64_t(high) << 32 | low;
    }
  }
  return words;
}
inline std::vector<NearGroup> random_near_groups(std::size_t num, std::mt19937_64& random) {
  const auto cells = random_cells(num, random);
  return with_end<NearGroup>(num, [&](NearGroup& group, std::size_t i) {
    group.cells = cells[i];
    group.near = static_cast<std::uint16_t>(random() & random());
  });
}
// A fifth of the vertices has no edges.
inline std::vector<Word<std::uint64_t>> random_heads(std::size_t num, std::mt19937_64& random) {
  std::vector<Word<std::uint64_t>> words(num);
  for (auto& word : words) {
    for (std::uint64_t& lane : word.lane) {
      const auto place = static_cast<std::uint32_t>(random() % 100'000);
      lane = to_head(place, random() % 5 == 0 ? 0 : static_cast<std::uint32_t>(random() % 700));
    }
  }
  return words;
}
inline std::vector<NearVertex> random_near_vertices(std::size_t num, std::mt19937_64& random) {
  return with_end<NearVertex>(num, [&](NearVertex& vertex, std::size_t) {
    vertex.distance = static_cast<std::uint32_t>(random() % kNoDistance);
    vertex.row = static_cast<std::uint32_t>(random() % 100'000);
    vertex.num_edges = static_cast<std::uint32_t>(random() % 9 == 0 ? random() % 4000 : random() % 20);
    vertex.has_edges = vertex.num_edges != 0;
  });
}
// Of one to five words, by turns; the last of a word's edges are not all there.
inline std::vector<EdgeRun> random_edge_runs(std::size_t num, std::mt19937_64& random) {
  return with_end<EdgeRun>(num, [&](EdgeRun& run, std::size_t i) {
    run.distance = static_cast<std::uint32_t>(random() % (i % 7 == 0 ? kNoDistance : 1000));
    run.num = static_cast<std::uint16_t>(kEdgesPerWord * (i % 5) + 1 + random() % kEdgesPerWord);
  });
}
inline std::vector<Word<std::uint64_t>> random_edges(std::size_t num, std::mt19937_64& random) {
  std::vector<Word<std::uint64_t>> words(num);
  for (auto& word : words) {
    for (std::uint64_t& lane : word.lane) {
      const std::uint32_t below = random() % 9 == 0 ? Length<std::uint32_t>::kFarthest : 256;
      const auto weight = static_cast<std::uint32_t>(random() % below);
      lane = to_edge(static_cast<VertexId>(random() % 32'768), weight);
    }
  }
  return words;
}
inline DistanceMessage distance_message(std::uint32_t index, std::uint32_t distance) {
  auto message = cleared<DistanceMessage>();
  message.index = index;
  message.distance = distance;
  return message;
}
inline DistanceMessage distance_sentinel(bool last) {
  auto message = cleared<DistanceMessage>();
  message.end = true;
  message.last = last;
  return message;
}
// Half of them of few vertices, so that one comes again within the window.
inline std::vector<DistanceMessage> random_distances(std::size_t num, std::uint32_t num_owned,
                                                     std::mt19937_64& random) {
  std::vector<DistanceMessage> messages;
  for (std::size_t i = 0; i < num; ++i) {
    messages.push_back(distance_message(static_cast<std::uint32_t>(random() % (i % 2 == 0 ? 16 : num_owned)),
                                        static_cast<std::uint32_t>(random() % 10'000)));
  }
  messages.push_back(distance_sentinel(true));
  return messages;
}
// The same with what watchCells finds.
inline std::vector<DistanceRequest> random_distance_requests(std::size_t num, std::uint32_t num_owned,
                                                             std::mt19937_64& random) {
  RowWindow window;
  window.start();
  std::vector<DistanceRequest> requests;
  for (const DistanceMessage& message : random_distances(num, num_owned, random)) {
    auto request = cleared<DistanceRequest>();
    request.index = message.index;
    request.distance = message.distance;
    request.held = window.take(message.index / kCellsPerRow);
    request.end = message.end;
    requests.push_back(request);
  }
  return requests;
}
inline std::vector<OwnedDistance> random_owned_distances(int num_pes, std::size_t num, std::mt19937_64& random) {
  return with_end<OwnedDistance>(num, [&](OwnedDistance& token, std::size_t) {
    token.index = static_cast<std::uint32_t>(random() % 4096);
    token.distance = static_cast<std::uint32_t>(random() % 10'000);
    token.owner = static_cast<std::uint8_t>(random() % 3 == 0 ? 1 : random() % static_cast<unsigned>(num_pes));
  });
}
// What a sender sends in some periods.
inline std::vector<DistanceMessage> random_distance_periods(int num, std::mt19937_64& random) {
  std::vector<DistanceMessage> messages;
  for (int period = 0; period < num; ++period) {
    for (std::uint64_t left = random() % kPeriodTokens; left > 0; --left) {
      messages.push_back(
          distance_message(static_cast<std::uint32_t>(random() % 4096), static_cast<std::uint32_t>(random() % 10'000)));
    }
    messages.push_back(distance_sentinel(period + 1 == num));
  }
  return messages;
}

}  // namespace rtl
}  // namespace gaspipe
