// SPDX-License-Identifier: Apache-2.0
// The edges of a stored view for the super-steps of a run (abi::EdgeStream). Every worker takes partitions of its own,
// one after the other, and has buffers into which the blocks that it comes to next are read meanwhile. Memory that is
// left keeps blocks that were read, so that later super-steps read less.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "gaspipe/stored_edges.h"

namespace gaspipe {

// Writes what a program reads of a piece's edges; returns the index of the first weight that does not fit, or else
// the number of edges. `row_weights`, where they are asked for: of every source the sum over its edges, as RowSums has
// it.
using ReadWeights = std::uint32_t (*)(const BlockPiece& piece, const double* row_weights, std::uint8_t* to);

class EdgeStream {
 public:
  // `edge_type` is what the program reads; kNone: no weights. With `row_weights` it reads the share of an edge in that
  // of its source instead, as a float; they outlive this. `memory` is for buffers: CapacityError unless it holds those
  // of least_memory(). `stopped` is asked by any worker.
  EdgeStream(std::shared_ptr<const StoredEdges> edges, const StoredView& view, VertexId num_vertices,
             abi::Scalar edge_type, const double* row_weights, int num_workers, std::uint64_t memory,
             std::function<bool(int worker)> stopped);

  // Of edges whose largest block has so many bytes.
  static std::uint64_t least_memory(std::uint64_t most_block_bytes, int num_workers);

  const abi::Partitioning* table() const { return &table_; }
  // What stopped a super-step, if it was not `stopped`.
  std::exception_ptr failure() const { return failure_; }

  std::uint64_t bytes_read() const;
  std::uint64_t bytes_from_disk() const;
  const char* reader() const;  // as ReadAhead has it
  std::uint64_t blocks_passed_over() const { return num_passed_over_; }
  double seconds_waited() const;  // of all workers

 private:
  struct Buffer {
    ReadAhead::Request request;
    std::size_t block = 0;
  };
  // What a worker reads, and what it has.
  struct alignas(64) Lane {
    explicit Lane(std::shared_ptr<const ReadFile> file, std::uint64_t num_buffers)
        : buffers(num_buffers), reads(std::move(file), static_cast<int>(num_buffers)) {}

    std::vector<Buffer> buffers;  // a ring: `num_asked` of them, from `first` on, are being read or are read
    std::size_t first = 0, num_asked = 0;
    std::deque<std::size_t> to_visit, to_read;  // partitions that are its own; the first of the former is at hand
    bool has_partition = false;                 // it is, since next_partition() gave it
    std::size_t num_read = 0;                   // blocks asked for, or passed over, of the first to read
    bool has_block = false;                     // the ring's first buffer is being taken apart
    BlockReader reader;
    std::vector<std::uint8_t> weights;
    abi::SubPartition all{};
    double seconds_waited = 0;
    std::uint64_t bytes_kept = 0;  // of blocks that were still in memory
    ReadAhead reads;               // ends before what it reads into
  };

  // A block's place in memory, if it is to be kept there.
  struct Kept {
    std::uint64_t start = 0;
    bool is_wanted = false, is_there = false;
  };

  std::int32_t begin(const std::uint64_t* active);
  std::int64_t next_partition(int worker);
  std::int32_t next_piece(int worker, abi::Partition* piece);
  bool open_next_block(Lane& lane, int worker);
  void take_piece(Lane& lane, const BlockEntry& block, const BlockPiece& from, abi::Partition* piece) const;
  void read_ahead(Lane& lane);
  bool claim(Lane& lane);
  bool is_wanted(VertexId first, VertexId last) const;
  void plan_kept(std::uint64_t memory);
  bool is_kept(std::size_t block) const { return !kept_.empty() && kept_[block].is_there; }
  void keep(std::size_t block, const std::uint8_t* data);
  template <class F>
  auto guarded(const F& f) -> decltype(f());

  const std::shared_ptr<const StoredEdges> edges_;
  const StoredView& view_;
  const double* const row_weights_;
  const ReadWeights read_weights_;  // null: as they are stored, or not at all
  const bool reads_weights_;
  const std::function<bool(int)> stopped_;
  std::vector<abi::Partition> partitions_;
  abi::EdgeStream functions_{};
  abi::Partitioning table_{};
  std::vector<std::uint32_t> active_before_;  // words of 64 vertices with an active one, before each; empty: all have
  std::atomic<std::int64_t> next_partition_{0};
  std::atomic<std::uint64_t> num_passed_over_{0};
  std::mutex guard_;
  std::exception_ptr failure_;
  std::vector<std::uint8_t> memory_;
  std::vector<Kept> kept_;  // by block; empty: there is no memory for any
  std::unique_ptr<std::uint8_t[]> kept_memory_;
  std::vector<Lane> lanes_;  // end before what they read into
};

}  // namespace gaspipe
