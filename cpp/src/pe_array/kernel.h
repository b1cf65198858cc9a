// SPDX-License-Identifier: Apache-2.0
// A launch of hls/kernel/local_store_bfs.h, pull_bfs.h or delta_stepping.h: by the emulator's fibers, with clocks, or
// without streams.
#pragma once

#include <cstdint>
#include <vector>

#include "gaspipe/pe_array.h"
#include "hls/local_store/code.h"
#include "hls/local_store/distances.h"

namespace gaspipe {
namespace pe_array {

// What a PE's ports lead to.
struct Ports {
  const Line* lists;
  Line* queue;
  const SourceWord* rows;  // null: nothing is pulled
};

// One level, on the emulator of this thread. `ports`: 2, 4 or 8 PEs.
void run_level(const std::vector<Ports>& ports, std::uint32_t num_state_words, std::uint32_t level);
// The same bits, without streams, fibers or clocks.
void run_level_fast(const std::vector<Ports>& ports, std::uint32_t num_state_words, std::uint32_t level);

// One level that is pulled, likewise.
void run_pull(const std::vector<Ports>& ports, std::uint32_t num_state_words, std::uint32_t level,
              std::uint32_t num_groups);
void run_pull_fast(const std::vector<Ports>& ports, std::uint32_t num_state_words, std::uint32_t level,
                   std::uint32_t num_groups);

// What a PE's ports lead to in shortest paths: heads and cells of its vertices, by their numbers in it.
struct DistancePorts {
  const Line *heads, *edges;
  Line* distances;

  std::uint64_t head(std::uint32_t index) const { return heads[index / kHeadsPerLine].lane[index % kHeadsPerLine]; }
  std::uint32_t num_edges(std::uint32_t index) const { return static_cast<std::uint32_t>(head(index)); }
  std::uint32_t cell(std::uint32_t index) const {
    return cell_of(distances[1 + index / kCellsPerWord], static_cast<int>(index % kCellsPerWord));
  }
  void set_cell(std::uint32_t index, std::uint32_t cell) const {
    std::uint64_t& row = distances[1 + index / kCellsPerWord].lane[index % kCellsPerWord / kCellsPerRow];
    const unsigned shift = 32 * (index % kCellsPerRow);
    row = (row & ~(std::uint64_t(0xffffffffu) << shift)) | std::uint64_t(cell) << shift;
  }
};
// One phase, likewise.
template <class Number>
void run_phase(const std::vector<DistancePorts>& ports, std::uint32_t num_words, std::uint32_t limit);
template <class Number>
void run_phase_fast(const std::vector<DistancePorts>& ports, std::uint32_t num_words, std::uint32_t limit);

// The bitmap and the next queue of a PE, as a launch without streams leaves them.
class Receiver {
 public:
  Receiver(const Ports& ports, std::uint32_t num_state_words, std::uint32_t level);
  bool is_marked(std::uint32_t index) const { return (row(index) >> index % kMarksPerRow & 1) != 0; }
  void take(const CodeMessage& message);
  void finish();

 private:
  std::uint64_t& row(std::uint32_t index) const {
    return next_state_[1 + index / kMarksPerWord].lane[index % kMarksPerWord / kMarksPerRow];
  }

  std::uint32_t level_;
  Line *queue_, *next_state_;
  std::uint64_t first_, num_ = 0, num_words_ = 0;
};

}  // namespace pe_array
}  // namespace gaspipe
