// SPDX-License-Identifier: Apache-2.0
// A program's own kernels over arrays of the host, without clocks: what accelerators leave to the host, in the same
// bits as everywhere.
#pragma once

#include <cstdint>
#include <vector>

#include "cpp/src/backend/emulator/graphops_graph.h"
#include "gaspipe/abi.h"
#include "gaspipe/csr.h"

namespace gaspipe {

// Calls are for any thread. Arrays are of whole lines; those of a range begin where it does, and are of one vertex
// after the other.
class HostKernels {
 public:
  // The instance has code for gather_scatter and apply, or for apply alone.
  explicit HostKernels(const abi::Instance& instance) : instance_(instance) {}

  // What each of `num_vertices` gathers along one edge without a weight, from a vertex with the property at its place
  // in `sources`.
  void gather(VertexId num_vertices, const Lines& sources, Lines& gathered) const;

  struct Vertices {
    abi::Buffer gathered, properties;
    std::vector<abi::Buffer> aux;  // an input each
    abi::Buffer updated;
  };
  // Applies to vertices `first` to `last` - 1: `gathered` begins with those of the first, all others with vertex 0.
  // Returns what apply counted.
  Lines apply(VertexId first, VertexId last, const Vertices& vertices, const void* arg) const;
  // Adds what apply has returned; in a fixed order, for sums of doubles depend on it.
  void add_counts(const Lines& counts, void* sums) const;
  std::size_t num_sums() const;

 private:
  const abi::Instance& instance_;
};

}  // namespace gaspipe
