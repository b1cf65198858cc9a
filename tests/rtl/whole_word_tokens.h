// SPDX-License-Identifier: Apache-2.0
// Random tokens for leaves whose values fill a word of memory (hls/module/whole_word.h).
#pragma once

#include "tokens.h"

namespace gaspipe {
namespace rtl {

// Words of edges, each cut among the sources in it.
inline std::vector<SharedSource<B>> random_shared_sources(std::size_t n, Random& random) {
  std::vector<SharedSource<B>> v;
  for (std::size_t i = 0; i < n; ++i) {
    for (int from = 0; from < kSharedLanes;) {
      const int until = std::min(kSharedLanes, from + 1 + int(random() % 9));
      SharedSource<B> s{random_value<B>(random), std::uint16_t((1u << until) - (1u << from)), until == kSharedLanes,
                        false};
      if (random() % 4 == 0) s.property = B{};  // sends nothing
      v.push_back(s);
      from = until;
    }
  }
  v.push_back({B{}, 0, false, true});
  return v;
}
inline std::vector<SharedSet<B>> random_shared_sets(std::size_t n, Random& random) {
  std::vector<SharedSet<B>> v(n + 1);
  for (auto& s : v) {
    for (VertexId& d : s.destination) d = VertexId(random() % 100000);
    s.value = random_value<B>(random);
    s.valid = std::uint32_t(random()) & std::uint32_t(random()) & 0xffffu;
    s.end = false;
  }
  v.back().end = true;
  return v;
}
inline std::vector<SharedListed<B>> random_shared_listed(std::size_t n, Random& random) {
  std::vector<SharedListed<B>> v(n + 1);
  for (auto& s : v) {
    for (VertexId& d : s.destination) d = VertexId(random() % 100000);
    s.value = random_value<B>(random);
    list_random<kSharedLanes>(s, 1 + std::uint32_t(random() % 4), random);
    s.end = false;
  }
  v.back().end = true;
  return v;
}

inline bool same(const B& a, const B& b) { return a == b; }
inline bool same(const SharedSource<B>& a, const SharedSource<B>& b) {
  if (a.end != b.end || a.end) return a.end == b.end;
  return a.property == b.property && a.lanes == b.lanes && a.last == b.last;
}
inline bool same(const SharedSet<B>& a, const SharedSet<B>& b) {
  if (a.end != b.end || a.end) return a.end == b.end;
  for (int i = 0; i < kSharedLanes; ++i) {
    if ((a.valid >> i & 1) && a.destination[i] != b.destination[i]) return false;
  }
  return a.valid == b.valid && a.value == b.value;
}
inline bool same(const SharedListed<B>& a, const SharedListed<B>& b) {
  if (a.end != b.end || a.end) return a.end == b.end;
  for (int i = 0; i < a.num && a.num == b.num; ++i) {
    if (a.destination[a.lane >> (4 * i) & 15] != b.destination[b.lane >> (4 * i) & 15]) return false;
  }
  return a.num == b.num && a.value == b.value;
}

}  // namespace rtl
}  // namespace gaspipe
