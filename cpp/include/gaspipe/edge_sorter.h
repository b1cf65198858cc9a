// SPDX-License-Identifier: Apache-2.0
// Sorts edges that are more than memory holds into the order of files, or of rows: fills its memory, sorts it, writes
// it to a temporary file as a run, and in the end merges the runs. Method: D. Knuth, The Art of Computer Programming
// 3, 5.4.1. The outcome does not depend on memory or threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "gaspipe/sorted_edges.h"
#include "gaspipe/workers.h"

namespace gaspipe {

// Which way edges are taken up: as they come, turned round, or both (self-loops once).
enum class EdgeDirection { kForward, kReverse, kBoth };
// By partition of the destination, then source, as files have them; or by source, as rows have them.
enum class EdgeOrder { kBlocks, kRows };

class EdgeSorter {
 public:
  static constexpr std::size_t kRunBuffer = std::size_t(256) << 10;  // a run's in a merge, at least: reads of that size

  // `folder` is where the temporary file lies; it has no name, so that nothing is left whatever happens. `memory`, in
  // bytes, is what edges take until `sort`, and what buffers take after it: at least kLeastMemory. `workers` must
  // outlive the sorter.
  static constexpr std::uint64_t kLeastMemory = 4 * kRunBuffer;
  EdgeSorter(std::string folder, std::uint64_t memory, Workers& workers, EdgeOrder order = EdgeOrder::kBlocks);
  ~EdgeSorter();
  EdgeSorter(const EdgeSorter&) = delete;
  EdgeSorter& operator=(const EdgeSorter&) = delete;

  // Takes edges up. All have weights or none has; of types that differ, one that holds all is the result's; weights of
  // no edges tell their type too. InputError for what is no vertex; FileError where the temporary file cannot be
  // written.
  void add(std::uint64_t num_edges, const VertexId* sources, const VertexId* destinations, const Weights& weights,
           EdgeDirection direction = EdgeDirection::kForward);

  std::uint64_t num_edges() const;     // taken up; kBoth counts twice
  std::uint64_t num_vertices() const;  // the largest id and 1
  WeightType weight_type() const;      // kNone until edges have come
  std::uint64_t num_spilled() const;   // bytes written to the temporary file so far

  // No more edges. `memory` is for buffers from here on. Merges runs into longer ones until those left can be merged
  // at once.
  void sort(std::uint64_t memory);

  EdgeOrder order() const;

  // The next edges in order: keys and words of gaspipe/sorted_edges.h (keys of rows for kRows), the words of reals or
  // integers as weight_type() is, null without weights. They stay until the next call. None at the end.
  struct Batch {
    std::size_t num_edges = 0;
    const std::uint64_t* keys = nullptr;
    const std::uint64_t* weights = nullptr;
  };
  Batch next();

  // Gives memory and the temporary file back; there are no more edges.
  void clear();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gaspipe
