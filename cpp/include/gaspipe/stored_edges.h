// SPDX-License-Identifier: Apache-2.0
// The edges of a graph that stay in its file, in blocks (gaspipe/edge_blocks.h): which views of it are there, and what
// was found out when the file was written.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gaspipe/abi.h"
#include "gaspipe/csr.h"
#include "gaspipe/edge_blocks.h"
#include "gaspipe/file_reader.h"

namespace gaspipe {

struct StoredFacts {
  bool is_symmetric = false;  // every edge has its reverse as often, weights aside
  bool is_simple = false;     // no parallel edges
  bool has_negative_or_nan = false;
  double largest_weight = 1;  // of the finite ones, if above 0; 1 without weights
};

// The blocks of a view.
struct StoredView {
  std::uint64_t first_byte = 0;                  // of the first block, in the file
  std::vector<BlockEntry> blocks;                // in the order of the file
  std::vector<std::uint32_t> first_of{};         // by partition, and the end: filled in by StoredEdges
  std::uint64_t num_edges = 0;                   // likewise
  mutable std::vector<std::uint8_t> is_sound{};  // by block, likewise: its checksum has been found right
};

class StoredEdges {
 public:
  // `folder` is for temporary files; empty: where the system has them. GraphFormatError where the index of a view
  // cannot be that of a graph of `num_vertices`.
  StoredEdges(std::shared_ptr<const ReadFile> file, VertexId num_vertices, abi::Scalar weight_type,
              const StoredFacts& facts, std::array<std::optional<StoredView>, 3> views, std::uint64_t memory,
              std::string folder = {});

  VertexId num_vertices() const { return num_vertices_; }
  const std::shared_ptr<const ReadFile>& file() const { return file_; }
  abi::Scalar weight_type() const { return weight_type_; }
  std::uint32_t weight_bytes() const { return weight_bytes_; }
  const StoredFacts& facts() const { return facts_; }
  // What the process may take, and what it took when the graph was loaded.
  std::uint64_t memory() const { return memory_; }
  std::uint64_t memory_before() const { return memory_before_; }
  const std::string& folder() const { return folder_; }
  std::uint64_t num_partitions() const { return (std::uint64_t(num_vertices_) + kBlockCapacity - 1) / kBlockCapacity; }
  std::uint32_t most_block_bytes() const { return most_block_bytes_; }
  // By all runs so far; for any thread, also while one runs.
  std::uint64_t bytes_read() const { return bytes_read_.load(std::memory_order_relaxed); }
  void count_read(std::uint64_t bytes) const { bytes_read_.fetch_add(bytes, std::memory_order_relaxed); }

  // The blocks to read for a view of the graph: its own, or those of another that has the same edges for a program that
  // reads no weights, or for which repeated edges are as good as one. InputError where there are none.
  const StoredView& view(View view, bool reads_weights, bool is_idempotent) const;
  // Whether the rows of that view have the degrees of the forward one.
  bool has_forward_rows(const StoredView& view) const { return &view == &*views_[0]; }

  // Throws GraphFormatError where the block's bytes are not those that were written; remembers those that are.
  void check(const StoredView& view, std::size_t block, const std::uint8_t* bytes) const;

  // Reads all edges of a view once, one block at a time: visit(block, piece). For what is seldom asked.
  void scan(const StoredView& view, const std::function<bool()>& stopped,
            const std::function<void(const BlockEntry& block, const BlockPiece& piece)>& visit) const;

 private:
  void index(StoredView& view, const char* name);

  const std::shared_ptr<const ReadFile> file_;
  const VertexId num_vertices_;
  const abi::Scalar weight_type_;
  const std::uint32_t weight_bytes_;
  const StoredFacts facts_;
  std::array<std::optional<StoredView>, 3> views_;  // by View
  const std::uint64_t memory_, memory_before_;
  const std::string folder_;
  std::uint32_t most_block_bytes_ = 0;
  mutable std::atomic<std::uint64_t> bytes_read_{0};
};

// Of this process, as the system counts it; 0 where it does not say.
std::uint64_t resident_bytes();

}  // namespace gaspipe
