// SPDX-License-Identifier: Apache-2.0
// Edges on disk, as runs over graphs that are larger than memory read them: cut into blocks, each of which can be read,
// checked and passed over on its own. A block has edges into one range of kBlockCapacity destinations (a partition, as
// in gaspipe/partition.h), sorted by source, then by destination; blocks are in the order of their partitions and first
// sources. A run of edges with one source may go on in the next block.
//
// The bytes of a block, little-endian, from a multiple of kBlockAlignment on:
//
//   weights       of the edges, if they have any, of 4 or 8 bytes
//   destinations  of the edges, 2 bytes, relative to the partition
//   runs          for each: how far its source is from that of the run before (of the first run: 0, for the index has
//                 it), in 1 or 2 bytes as the block's `distance_bytes` says, all ones: 4 bytes with the distance
//                 follow; then its edges less 1, in 1 byte, all ones: 4 bytes with them follow
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gaspipe/abi.h"
#include "gaspipe/csr.h"

namespace gaspipe {

constexpr std::uint32_t kBlockCapacity = 1 << 16;  // destinations of a partition
constexpr std::uint32_t kBlockAlignment = 64;
constexpr std::uint32_t kMostBlockEdges = 1 << 18;  // 0.5 MiB of destinations: a disk's full speed

// A block, as the index has it: ten words of 32 bits.
struct BlockEntry {
  std::uint64_t start;  // in bytes, from the first block's
  std::uint32_t bytes;
  std::uint32_t checksum;  // CRC-32
  std::uint32_t num_edges, num_runs;
  std::uint32_t partition;
  std::uint32_t first_source, last_source;
  std::uint32_t distance_bytes;
};
static_assert(sizeof(BlockEntry) == 40, "as it lies in files");

// Where things are in a block.
struct BlockLayout {
  std::uint64_t destinations, runs;  // in bytes; weights are at 0

  BlockLayout(std::uint32_t num_edges, std::uint32_t weight_bytes)
      : destinations(std::uint64_t(num_edges) * weight_bytes), runs(destinations + 2 * std::uint64_t(num_edges)) {}
};

// Makes blocks of edges that come in their order.
class BlockWriter {
 public:
  // Takes a block; `start` is not filled in. The bytes are its own to keep only during the call.
  using Sink = std::function<void(const BlockEntry& entry, const std::uint8_t* bytes)>;

  BlockWriter(std::uint32_t weight_bytes, Sink sink, std::uint32_t most_edges = kMostBlockEdges);

  // `weight`: its bytes, if edges have any. An edge before the last one, in the order of files, is a mistake of the
  // caller that is not looked for.
  void add(VertexId source, VertexId destination, const void* weight = nullptr);
  void finish();

 private:
  void flush();
  template <class Distance>
  void encode_runs();

  const std::uint32_t weight_bytes_, most_edges_;
  const Sink sink_;
  std::uint32_t partition_ = 0, num_edges_ = 0;
  std::vector<std::uint8_t> weights_;
  std::vector<std::uint16_t> destinations_;
  std::vector<std::uint32_t> sources_, lengths_;  // of the runs
  std::vector<std::uint8_t> bytes_;
};

// A part of a block's edges, decoded: what a partition's table says of them.
struct BlockPiece {
  std::uint32_t num_edges, num_runs;
  const std::uint32_t *run_sources, *run_lengths;
  const std::uint16_t* destinations;
  const std::uint8_t* weights;  // as they are stored; null where there are none
};

// Reads a block piece by piece; memory for the runs of a piece is its own.
class BlockReader {
 public:
  static constexpr std::uint32_t kPieceEdges = 1 << 14;  // their runs stay in a core's cache

  // Not cleared: a small block fills little of them.
  BlockReader()
      : sources_(new std::uint32_t[kPieceEdges + kGroup]), lengths_(new std::uint32_t[kPieceEdges + kGroup]) {}

  // Past the block's bytes, kReadAhead more can be read. They outlive the reading; the checksum has been checked, and
  // the entry's sources are those of the graph.
  static constexpr std::uint32_t kReadAhead = 16;
  void start(const BlockEntry& entry, const std::uint8_t* bytes, std::uint32_t weight_bytes);
  // False at the end. GraphFormatError where runs are not as the entry says.
  bool next(BlockPiece* piece);

 private:
  static constexpr std::uint32_t kGroup = 8;  // runs that are decoded together
  struct Found {                              // of a piece
    std::uint64_t source;                     // of the last run; too wide to wrap
    std::uint32_t num_edges, num_runs;
  };
  template <class Distance>
  bool decode(BlockPiece* piece);
  template <class Distance>
  void decode_groups(Found* found, std::uint32_t wanted);

  BlockEntry entry_{};
  const std::uint8_t* bytes_ = nullptr;
  const std::uint8_t *at_ = nullptr, *end_ = nullptr;  // in the runs
  std::uint32_t weight_bytes_ = 0, num_done_ = 0;
  std::uint32_t source_ = 0;
  std::uint64_t left_ = 0;  // of a run that the last piece has cut
  std::unique_ptr<std::uint32_t[]> sources_, lengths_;
};

}  // namespace gaspipe
