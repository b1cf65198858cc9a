// SPDX-License-Identifier: Apache-2.0
// The lists of a graph's vertices, each split by the owners of its targets, as the workers of a search load them. A
// list is one record in main memory:
//
//   header   a SubList per worker: where in the payload the targets that it owns begin, and how many they are
//   payload  codes of the targets, owner by owner, each owner's in the order of the row
//
// Header and record are padded to 16 bytes, as transfers need them. A vertex without out-edges has no record. The lists
// of one owner's vertices lie together. Lists that were split for one number of workers serve no other.
#pragma once

#include <cstdint>

#include "gaspipe/array.h"
#include "gaspipe/csr.h"
#include "gaspipe/local_store/owners.h"
#include "gaspipe/local_store/vertex_code.h"
#include "gaspipe/workers.h"

namespace gaspipe {
namespace local_store {

constexpr int kMostWorkers = 1024;
constexpr std::uint64_t kTransferAlignment = 16;  // bytes

struct SubList {
  std::uint32_t offset, length;  // in codes
};

constexpr std::uint64_t padded(std::uint64_t num_bytes) {
  return (num_bytes + kTransferAlignment - 1) / kTransferAlignment * kTransferAlignment;
}
constexpr std::uint64_t header_bytes(int num_workers) { return padded(num_workers * sizeof(SubList)); }
// Of a list of so many codes.
constexpr std::uint64_t record_bytes(std::uint64_t length, int num_workers, int code_bits) {
  const std::uint64_t payload = length * (static_cast<std::uint64_t>(code_bits) / 8);
  return length == 0 ? 0 : header_bytes(num_workers) + padded(payload);
}
// InputError for a number of workers that there cannot be.
int checked_workers(int num_workers);

class SplitLists {
 public:
  // `csr` is square. Codes have 32 bits where ids leave room for a length, else 64; or as many as are asked for.
  // InputError for a number of workers or of bits that there cannot be, CapacityError for a list of 2^32 edges or more.
  SplitLists(const Csr& csr, int num_workers, Workers& workers, int code_bits = 0);

  const Owners& owners() const { return owners_; }
  int num_workers() const { return owners_.num_workers(); }
  VertexId num_vertices() const { return owners_.num_vertices(); }
  EdgeCount num_edges() const { return num_edges_; }
  int code_bits() const { return code_bits_; }
  CodeSplit split() const { return split_; }
  std::uint64_t num_bytes() const { return records_.size() + starts_.size() * sizeof(std::uint64_t); }

  // InputError says how to split again unless the lists are for so many workers.
  void check_workers(int num_workers) const;

  // The record of a vertex's list; empty where it has no out-edges.
  const std::uint8_t* record(VertexId v) const { return records_.data() + starts_[v]; }
  std::uint64_t record_bytes(VertexId v) const { return starts_[std::size_t(v) + 1] - starts_[v]; }
  const SubList* header(VertexId v) const { return reinterpret_cast<const SubList*>(record(v)); }
  std::uint64_t length(VertexId v) const {
    if (record_bytes(v) == 0) return 0;
    const SubList& last = header(v)[num_workers() - 1];
    return std::uint64_t(last.offset) + last.length;
  }
  template <class Code>
  const Code* payload(VertexId v) const {
    return reinterpret_cast<const Code*>(record(v) + header_bytes(num_workers()));
  }
  template <class Code>
  Code code(VertexId v) const {
    return make_code<Code>(v, length(v), split_);
  }

  // What transfers address: places in all records together, the first byte of each vertex's.
  const Array<std::uint8_t>& records() const { return records_; }
  const Array<std::uint64_t>& starts() const { return starts_; }
  std::uint64_t start(VertexId v) const { return starts_[v]; }
  // For start(v), soon.
  void prefetch(VertexId v) const { __builtin_prefetch(starts_.data() + v); }

  // Whether an edge leads to a vertex, and to how many of a worker's vertices one does.
  bool is_target(VertexId v) const { return is_target_[v] != 0; }
  VertexId num_targets(int worker) const { return num_targets_[worker]; }

 private:
  template <class Code>
  void fill(const Csr& csr, std::uint8_t* records, std::uint8_t* is_target, Workers& workers);

  Owners owners_;
  EdgeCount num_edges_;
  int code_bits_;
  CodeSplit split_;
  Array<std::uint8_t> records_;
  Array<std::uint64_t> starts_;
  Array<std::uint8_t> is_target_;
  Array<VertexId> num_targets_;
};

}  // namespace local_store
}  // namespace gaspipe
