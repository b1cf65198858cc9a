// SPDX-License-Identifier: Apache-2.0
// Partitions of a graph, as the kernels and the CPU engine take them: each holds the edges into a range of destinations
// that fits on chip and is cut into one sub-partition per compute unit, whose edges are sorted by source.
//
// An edge is stored as (run of its source, destination relative to the range): a run names a source once, for all its
// edges into this range, and destinations take 2 bytes where the range has at most 2^16 vertices. `encode` lays a
// sub-partition out as a device reads it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gaspipe/abi.h"
#include "gaspipe/csr.h"

namespace gaspipe {

constexpr std::uint32_t kMostComputeUnits = 16;
constexpr std::uint32_t kCpuCapacity = 1 << 16;  // 2-byte destinations; 8-byte updates of a range fill half a 1 MB L2

struct PartitionConfig {
  std::uint32_t capacity = kCpuCapacity;  // destinations a partition may have
  std::uint32_t compute_units = 1;        // sub-partitions of a partition, 1 to kMostComputeUnits
  std::string partitioner = "equal";      // how a partition is cut: a file of cpp/src/partition

  bool operator==(const PartitionConfig& other) const {
    return capacity == other.capacity && compute_units == other.compute_units && partitioner == other.partitioner;
  }
};

class Partitioning;

// The edges of a partition that one compute unit takes.
class SubPartition {
 public:
  SubPartition(std::shared_ptr<const Partitioning> owner, std::size_t partition, std::size_t index);

  std::size_t partition() const { return partition_; }
  std::size_t index() const { return index_; }
  EdgeCount first_edge() const { return sub_partition().first_edge; }  // counted in the partition
  EdgeCount num_edges() const { return sub_partition().last_edge - sub_partition().first_edge; }
  // Edges with padding up to whole 512-bit words.
  EdgeCount num_padded_edges() const;
  // First and last source; both 0 without edges.
  VertexId first_source() const;
  VertexId last_source() const;

  // Edges as a device reads them (hls/edge_codec.h), with global destinations.
  struct Encoded {
    Array<VertexId> sources, destinations;
  };
  Encoded encode() const;

 private:
  const abi::SubPartition& sub_partition() const;
  const abi::Partition& stored() const;

  std::shared_ptr<const Partitioning> owner_;
  std::size_t partition_, index_;
};

class Partition {
 public:
  Partition(std::shared_ptr<const Partitioning> owner, std::size_t index) : owner_(std::move(owner)), index_(index) {}

  std::size_t index() const { return index_; }
  VertexId first_vertex() const { return stored().first; }
  VertexId last_vertex() const { return stored().last; }  // one past the range
  EdgeCount num_edges() const { return stored().num_edges; }
  std::size_t size() const;
  // InputError when there is no such sub-partition.
  SubPartition get_sub_partition(std::int64_t id) const;

 private:
  const abi::Partition& stored() const;

  std::shared_ptr<const Partitioning> owner_;
  std::size_t index_;
};

// All partitions of a graph under one configuration. Immutable.
class Partitioning : public std::enable_shared_from_this<Partitioning> {
 public:
  // O(V + E), on all workers. `weights` of the edges, of `edge_type`, are kept along; empty: none are.
  static std::shared_ptr<const Partitioning> make(std::shared_ptr<const Csr> csr, const PartitionConfig& config,
                                                  abi::Scalar edge_type, const Array<std::uint8_t>& weights,
                                                  Workers& workers);

  const PartitionConfig& config() const { return config_; }
  const Csr& csr() const { return *csr_; }
  std::size_t size() const { return partitions_.size(); }
  // InputError when there is no such partition.
  Partition get_partition(std::int64_t id) const;
  const abi::Partitioning& table() const { return table_; }
  std::uint64_t num_bytes() const;

 private:
  friend class PartitionBuilder;
  Partitioning() = default;

  PartitionConfig config_;
  std::shared_ptr<const Csr> csr_;
  std::vector<abi::Partition> partitions_;
  std::vector<abi::SubPartition> sub_partitions_;
  Array<std::uint32_t> run_sources_, run_lengths_;
  Array<std::uint8_t> destinations_, weights_;
  abi::Partitioning table_{};
};

// Edges of a partition that follow each other, for one compute unit.
struct PartitionPiece {
  EdgeCount num_edges;
  std::uint32_t unit;
};
// How a partition may be cut: all its edges, piece by piece. A unit takes its pieces in their order.
using Cut = std::vector<PartitionPiece> (*)(const abi::Partition& partition, std::uint32_t num_units);
struct Partitioner {
  const char* name;
  Cut cut;
};
const std::vector<Partitioner>& partitioners();
const Partitioner& find_partitioner(const std::string& name);  // InputError lists the known ones

}  // namespace gaspipe
