// SPDX-License-Identifier: Apache-2.0
// Lists split by owner that stay in their file (gaspipe/local_store/list_writer.h), as a search loads them: what there
// is of them in memory is where they begin, which the graph's offsets tell, and a checksum for each of their pages.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gaspipe/csr.h"
#include "gaspipe/local_store/list_writer.h"
#include "gaspipe/local_store/split_lists.h"
#include "gaspipe/stored_edges.h"

namespace gaspipe {
namespace local_store {

// Where they lie in the file, and what is said of them there.
struct ListSection {
  int num_workers = 1;
  int code_bits = 32;
  std::uint64_t first_byte = 0, num_bytes = 0;  // of the records
  Array<std::uint32_t> checks;                  // CRC-32 of every page
  Array<std::uint8_t> targets;                  // a bit per vertex
};

class StoredLists {
 public:
  // `offsets` are those of the graph's rows, which ascend. GraphFormatError where the section cannot be that of a graph
  // with these.
  StoredLists(std::shared_ptr<const StoredEdges> edges, Offsets offsets, ListSection section);

  const Owners& owners() const { return owners_; }
  int num_workers() const { return owners_.num_workers(); }
  VertexId num_vertices() const { return owners_.num_vertices(); }
  EdgeCount num_edges() const { return offsets_[offsets_.size() - 1]; }
  int code_bits() const { return section_.code_bits; }
  CodeSplit split() const { return split_; }
  std::uint64_t num_bytes() const { return section_.num_bytes; }  // of the records
  std::uint64_t first_byte() const { return section_.first_byte; }
  const ReadFile& file() const { return *edges_->file(); }
  const std::shared_ptr<const StoredEdges>& edges() const { return edges_; }

  // InputError says how to split again unless the lists are for so many workers.
  void check_workers(int num_workers) const;

  std::uint64_t length(VertexId v) const { return offsets_[std::size_t(v) + 1] - offsets_[v]; }
  // Where the record of a vertex begins, in bytes from the first one.
  std::uint64_t start(VertexId v) const {
    std::uint64_t start = starts_[v / kBetween];
    for (VertexId u = v / kBetween * kBetween; u < v; ++u) start += bytes_of(u);
    return start;
  }
  void prefetch(VertexId v) const {
    __builtin_prefetch(starts_.data() + v / kBetween);
    if (offsets_.is_wide()) {
      __builtin_prefetch(offsets_.wide().data() + v);
    } else {
      __builtin_prefetch(offsets_.narrow().data() + v);
    }
  }
  template <class Code>
  Code code(VertexId v) const {
    return make_code<Code>(v, length(v), split_);
  }
  bool is_target(VertexId v) const { return (section_.targets[v / 8] >> v % 8 & 1) != 0; }
  VertexId num_targets(int worker) const { return num_targets_[worker]; }

  // Throws GraphFormatError where whole pages, from a multiple of kListPage on, are not those that were written;
  // remembers those that are.
  void check(std::uint64_t place, std::uint64_t num_bytes, const std::uint8_t* bytes) const;
  // Throws GraphFormatError: what was read cannot be lists of this graph, whatever its checksum.
  [[noreturn]] void refuse(const char* what) const;

 private:
  static constexpr VertexId kBetween = 16;  // vertices between those whose starts are kept

  std::uint64_t bytes_of(VertexId v) const { return record_bytes(length(v), num_workers(), section_.code_bits); }
  void find_starts();
  void count_targets();

  const std::shared_ptr<const StoredEdges> edges_;
  const Offsets offsets_;
  const ListSection section_;
  const Owners owners_;
  const CodeSplit split_;
  std::vector<std::uint64_t> starts_;
  std::vector<VertexId> num_targets_;           // by worker
  mutable std::vector<std::uint8_t> is_sound_;  // by page
};

}  // namespace local_store
}  // namespace gaspipe
