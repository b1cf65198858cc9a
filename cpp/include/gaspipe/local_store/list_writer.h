// SPDX-License-Identifier: Apache-2.0
// Writes the lists that workers of a search load (gaspipe/local_store/split_lists.h) as sections of a `.gaspipe` file,
// in memory that does not grow with a list. Records lie as in memory, in the order of their vertices; the first one at
// the section's first byte whose place in the file is a multiple of kListPage. Between are zeros.
//
// Every kListPage bytes of records have a checksum of their own, for searches read some of them here and some there.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gaspipe/edge_sorter.h"
#include "gaspipe/local_store/split_lists.h"
#include "gaspipe/section_writer.h"

namespace gaspipe {

class ViewWriter;

namespace detail {
class TemporaryFile;
}

namespace local_store {

constexpr std::uint64_t kListPage = 4096;
constexpr std::uint32_t kListsVersion = 1;

// Where in the section that starts at a byte of the file the first record lies.
constexpr std::uint64_t first_record(std::uint64_t section_start) {
  return (kListPage - section_start % kListPage) % kListPage;
}

class ListWriter {
 public:
  // Takes the edges that the sorter hands over by rows; it has sorted them and must outlive the writer, as must the
  // writer of the forward view, which has counted the degrees. Lists that are too long for memory wait in a temporary
  // file in `folder`. `code_bits` 0: as code_bits_for() says. InputError for a number of workers that there cannot
  // be, CapacityError for a list of 2^32 edges.
  ListWriter(EdgeSorter& sorter, const ViewWriter& forward, int num_workers, int descriptor, std::uint64_t start,
             const std::string& path, const std::string& folder, int code_bits = 0);
  ~ListWriter();

  // Writes about so many edges more; their number, 0 at the end.
  std::uint64_t write(std::uint64_t most_edges);

  // After the last edge.
  std::uint32_t finish();  // the section's checksum
  std::uint64_t num_bytes() const { return section_.size(); }
  int code_bits() const { return code_bits_; }
  const std::vector<std::uint32_t>& checks() const { return checks_; }   // CRC-32 of every page
  const std::vector<std::uint8_t>& targets() const { return targets_; }  // a bit per vertex: an edge leads to it

  // Bytes that a writer takes, the degrees aside.
  static std::uint64_t most_memory(std::uint64_t num_vertices, std::uint64_t num_edges, int num_workers);

 private:
  void add(VertexId target);
  void end_list();
  void put(const void* data, std::uint64_t size);
  void pad();

  EdgeSorter& sorter_;
  const std::vector<std::uint32_t>& degrees_;
  const Owners owners_;
  const int code_bits_;
  const CodeSplit split_;
  SectionWriter section_;
  std::unique_ptr<detail::TemporaryFile> rest_;  // of lists so far, all but what payload_ has
  std::uint64_t rest_begin_ = 0;                 // of the list under way
  std::vector<SubList> header_;
  std::vector<std::uint8_t> payload_;
  bool has_list_ = false;
  VertexId source_ = 0;
  int owner_ = 0;                  // of the last target, and
  std::uint64_t next_first_ = 0;   // the first vertex of the next owner
  std::uint64_t record_size_ = 0;  // bytes of records so far
  std::uint32_t of_page_ = 0;      // checksum of what the page has so far
  std::vector<std::uint32_t> checks_;
  std::vector<std::uint8_t> targets_;
};

}  // namespace local_store
}  // namespace gaspipe
