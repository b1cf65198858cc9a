// SPDX-License-Identifier: Apache-2.0
// The order of the vertices in a line of a device's memory, 16 ids after each other. Destination d belongs to the PE of
// number d modulo 16, all PEs wait for the one with most edges, and that is mostly the one that has a large hub. So the
// vertices of a line may change places, until every PE has about as many edges. Lines themselves stay where they are,
// and with them partitions, blocks of active sources, and which lines a sub-partition reads.
#pragma once

#include <cstdint>

#include "gaspipe/array.h"
#include "gaspipe/partition.h"
#include "gaspipe/workers.h"

namespace gaspipe {

class LineOrder {
 public:
  static constexpr VertexId kVertices = 16;

  // As they are numbered.
  LineOrder() = default;
  // Balanced over the PEs in every partition; sources that are no destinations stay.
  LineOrder(const Partitioning& partitioning, Workers& workers);

  bool is_balanced() const { return places_.size() > 0; }
  VertexId place(VertexId v) const { return is_balanced() ? v / kVertices * kVertices + places_[v] : v; }

  // Values of all vertices, of 4 or 8 bytes, into this order and back; `num_bytes` are whole words, and what lies
  // behind the last vertex is copied along. As they are numbered, values of any size.
  void order(const void* values, void* ordered, std::int32_t value_bytes, std::uint64_t num_bytes,
             Workers& workers) const;
  void restore(const void* ordered, void* values, std::int32_t value_bytes, std::uint64_t num_bytes,
               Workers& workers) const;

 private:
  template <class Place>
  void move(const void* from, void* to, std::int32_t value_bytes, std::uint64_t num_bytes, Workers& workers,
            const Place& place_of) const;

  Array<std::uint8_t> places_;  // of every vertex, in its line; none: as they are numbered
};

}  // namespace gaspipe
