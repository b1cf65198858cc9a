// SPDX-License-Identifier: Apache-2.0
// A domain as the engine has it (abi::Domain): vertices by their ids in the whole graph, and the end of a super-step,
// where domains give each other what has changed and add up what they counted.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "gaspipe/abi.h"
#include "gaspipe/engine/frontier.h"
#include "gaspipe/engine/workers.h"
#include "hls/types.h"

namespace gaspipe {
namespace engine {

// Of an own vertex.
inline VertexId domain_id(const abi::Domain& domain, VertexId v) {
  return domain.ids != nullptr ? domain.ids[v] : domain.first_id + v;
}
// Also of a ghost.
inline VertexId domain_any_id(const abi::Domain& domain, VertexId v) {
  return v < domain.num_own ? domain_id(domain, v) : domain.ghost_ids[v - domain.num_own];
}
inline EdgeCount domain_degree(const abi::Domain& domain, VertexId v) {
  const std::uint64_t id = domain_id(domain, v);
  const auto offset = [&](std::uint64_t i) -> EdgeCount {
    return domain.offset_bytes == 8 ? static_cast<const std::uint64_t*>(domain.offsets)[i]
                                    : static_cast<const std::uint32_t*>(domain.offsets)[i];
  };
  return offset(id + 1) - offset(id);
}

// Exchanges that end a run cancel it.
inline void exchange(const abi::Domain& domain, abi::Exchange& what, Workers& workers) {
  if (!workers.cancelled() && domain.exchange(domain.self, &what) != 0) workers.cancel();
}

// In the middle of a step: own vertices before domain.early_end have their values.
template <class Value>
void begin_exchange(const abi::Domain& domain, const Value* values, Workers& workers) {
  if (!workers.cancelled() && domain.begin(domain.self, values, sizeof(Value)) != 0) workers.cancel();
}
// Of all values: without more, every ghost gets its owner's.
template <class Value>
abi::Exchange exchange_of(Value* values) {
  abi::Exchange what{};
  what.values = values;
  what.value_bytes = sizeof(Value);
  what.lowest_waiting = std::numeric_limits<double>::infinity();
  return what;
}
// The same where this domain has made the values of its ghosts, as all do then.
template <class Value>
void count_known_ghosts(const abi::Domain& domain, Value* values, Workers& workers) {
  abi::Exchange what = exchange_of(values);
  what.ghosts_are_known = 1;
  exchange(domain, what, workers);
}
template <class Sum>
void add_sums(abi::Exchange& what, Sum* sums, int num_sums) {
  static_assert(sizeof(Sum) == 8, "sums are words of 64 bits");
  what.sums = sums;
  what.num_sums = num_sums;
  what.sum_type = std::is_floating_point_v<Sum> ? abi::kFloat64 : abi::kUint64;
}
// Of a run that goes on: which ghosts are active, from their owners.
template <class MayBeActive>
std::vector<std::uint32_t> active_ghosts(const abi::Domain& domain, std::uint64_t num_vertices,
                                         const MayBeActive& may_be_active, Workers& workers) {
  std::vector<std::uint32_t> active(num_vertices);
  for (VertexId v = 0; v < domain.num_own; ++v) active[v] = may_be_active(v);
  abi::Exchange what = exchange_of(active.data());
  exchange(domain, what, workers);
  return active;
}
// Own vertices that are in `frontier` have changed; of one that is not listed all are sent. To be called before the
// exchange, and join_arrived after it, for ghosts that have changed are of the frontier as well.
inline void send_changed(abi::Exchange& what, const Frontier& frontier) {
  what.only_changed = 1;
  if (frontier.is_bitmap()) {
    what.changed_bits = frontier.bits().words();
  } else if (frontier.is_listed()) {
    what.changed = frontier.begin();
  }
  what.num_changed = frontier.size();
}
inline void join_arrived(const abi::Exchange& what, Frontier& frontier) {
  frontier.append(what.arrived, what.num_arrived);
}

}  // namespace engine
}  // namespace gaspipe
