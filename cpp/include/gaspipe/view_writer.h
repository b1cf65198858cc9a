// SPDX-License-Identifier: Apache-2.0
// Writes sorted edges as a view of a `.gaspipe` file: blocks into a section, their index, the out-degrees as offsets of
// rows, and what is said of the edges as a whole.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gaspipe/edge_blocks.h"
#include "gaspipe/edge_sorter.h"
#include "gaspipe/fingerprint.h"
#include "gaspipe/section_writer.h"

namespace gaspipe {

// What a file says of its edges.
struct EdgeFacts {
  bool is_symmetric = false;  // as Graph::is_symmetric says
  bool is_simple = true;      // no parallel edges
  bool negative_or_nan = false;
  double largest_weight = 1;  // the largest finite one if above 0, else 0; 1 without weights
};

class ViewWriter {
 public:
  struct Options {
    bool drops_repeated = false;     // of parallel edges the first stays, which weighs least
    bool counts_degrees = false;     // for write_offsets: 4 bytes per vertex
    std::uint64_t num_vertices = 0;  // more than any id
    std::uint32_t most_block_edges = kMostBlockEdges;
  };
  // Takes the edges that the sorter hands over, which has sorted them and must outlive the writer, and writes their
  // blocks to `descriptor` from `start` on; `path` is for messages.
  ViewWriter(EdgeSorter& sorter, int descriptor, std::uint64_t start, const std::string& path, const Options& options);

  // Writes about so many edges more; their number, 0 at the end.
  std::uint64_t write(std::uint64_t most_edges);

  // After the last edge.
  std::uint32_t finish();  // the checksum
  std::uint64_t num_bytes() const { return section_.size(); }
  std::uint64_t num_edges() const { return num_edges_; }
  const std::vector<BlockEntry>& index() const { return index_; }
  EdgeFacts facts() const;
  // Of every vertex, where they are counted: modulo 2^32; and the vertices for which that makes a difference.
  const std::vector<std::uint32_t>& degrees() const { return degrees_; }
  const std::vector<VertexId>& overflows() const { return overflows_; }
  // Offsets of the rows, of 4 bytes where they count all edges, as another section; its checksum.
  std::uint32_t write_offsets(int descriptor, std::uint64_t start, const std::string& path) const;
  bool has_wide_offsets() const { return num_edges_ > 0xffffffffu; }

  // Bytes that a writer takes, its degrees aside.
  static std::uint64_t most_memory(std::uint32_t weight_bytes);

 private:
  void take(std::uint64_t key);
  void write_edge(std::uint64_t key, std::uint64_t weight);
  void note_weight(double weight);

  EdgeSorter& sorter_;
  const Options options_;
  const WeightType type_;
  SectionWriter section_;
  std::vector<BlockEntry> index_;
  BlockWriter blocks_;
  std::vector<std::uint32_t> degrees_;
  std::vector<VertexId> overflows_;  // a vertex each time its degree passes 2^32
  std::uint64_t num_edges_ = 0;
  std::uint64_t last_key_;
  EdgeFacts facts_;
  Fingerprint fingerprint_;
};

}  // namespace gaspipe
