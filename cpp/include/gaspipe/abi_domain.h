// SPDX-License-Identifier: Apache-2.0
// The part of the contract with programs (abi.h) that is about domains.
#pragma once

#include <cstdint>

namespace gaspipe {
namespace abi {

// What domains give each other at the end of a super-step, and what comes of it.
struct Exchange {
  void* values;  // `value_bytes` for every vertex of the csr
  std::int32_t value_bytes;
  // Whether only what has changed since the last exchange is sent: `num_changed` own vertices of a list or, where that
  // is null, a bit for each in `changed_bits`. With both null, and without `only_changed`, all are sent.
  std::int32_t only_changed;
  const std::uint32_t* changed;
  const std::uint64_t* changed_bits;
  std::uint64_t num_changed;
  // Out, with `only_changed`: the ghosts whose values are other ones now, valid until the next exchange.
  const std::uint32_t* arrived;
  std::uint64_t num_arrived;
  // Nothing is to be sent: every domain has made the values of its ghosts itself, as their owners have. Only counted.
  std::int32_t ghosts_are_known;
  void* sums;                       // null: there are none
  std::int32_t num_sums, sum_type;  // kUint64 or kFloat64
  // With `only_changed`: the lowest priority that waits in this domain for a later super-step, infinity where none
  // does; out: the lowest of all domains.
  double lowest_waiting;
};

// A domain's part of a run that several domains share (gaspipe/domain.h). Run::csr has the rows of the domain's own
// vertices, then those of its ghosts, which are vertices of other domains: all edges lead to own vertices.
struct Domain {
  void* self;
  std::uint32_t num_own;
  // Of own vertices in the whole graph, which is how a program calls them; null: first_id, first_id + 1, ...
  const std::uint32_t* ids;
  std::uint32_t first_id;
  const std::uint32_t* ghost_ids;  // likewise of ghosts
  // Of the whole graph: its size, and the offsets of its rows.
  std::uint32_t num_vertices;
  std::uint64_t num_edges;
  const void* offsets;
  std::int32_t offset_bytes;
  // Gives the values of own vertices to the domains that have ghosts of them and fills the ghosts; sums are added up
  // over all domains, in their order. All domains call this together. Nonzero: the run is over.
  std::int32_t (*exchange)(void* self, Exchange* what);
  // Own vertices before this one may have their new values sent while those of the others are computed, in steps that
  // send all; 0: none. A multiple of 2^11. `begin` says that `values` has them; a step may go without it.
  std::uint32_t early_end;
  std::int32_t (*begin)(void* self, const void* values, std::int32_t value_bytes);
};

}  // namespace abi
}  // namespace gaspipe
