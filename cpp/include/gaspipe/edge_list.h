// SPDX-License-Identifier: Apache-2.0
// Reads edge lists (SNAP's format) from text that comes in pieces, as from a file or a decompressor. Grammar, per line:
//   source destination [weight]     columns apart by spaces or tabs, or by one comma with blanks around it
//   # comment, % comment, or blank
// Lines end with \n or \r\n, the last one also with the file. Ids are decimal integers from 0 to 2^63 - 1; all edge
// lines have as many columns as the first. Weights are integers or decimals (also with exponent, inf, nan): int32 when
// all are integers that fit, else int64; one decimal among them makes all of them double.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gaspipe/array.h"
#include "gaspipe/csr.h"
#include "gaspipe/workers.h"

namespace gaspipe {
namespace detail {
struct EdgeBlock;
}

struct ParsedEdges {
  EdgeList edges;              // in file order
  Array<std::int64_t> labels;  // with relabel: the id that a vertex has in the file; else empty
};

class EdgeListParser {
 public:
  // `file_name` is for messages only. `workers` must outlive the parser.
  EdgeListParser(std::string file_name, Workers& workers);
  ~EdgeListParser();
  EdgeListParser(const EdgeListParser&) = delete;
  EdgeListParser& operator=(const EdgeListParser&) = delete;

  // Takes the next bytes of the text, cut anywhere. Throws GraphFormatError for the first bad line of the file; the
  // parser is of no use then.
  void feed(const char* data, std::size_t size);

  // Ends the text and hands over the edges; once. With `relabel` the ids that occur become 0..k-1 in ascending order;
  // without, ids are vertices and num_vertices is the largest plus one.
  ParsedEdges finish(bool relabel);

 private:
  void parse_text();
  void accept(detail::EdgeBlock& block);
  std::uint64_t count_vertices() const;
  [[noreturn]] void fail(std::uint64_t line, const std::string& what) const;

  std::string file_name_;
  Workers& workers_;
  std::vector<char> text_;  // fed and not yet parsed; starts with a line
  std::vector<detail::EdgeBlock> blocks_;
  std::uint64_t num_lines_ = 0;
  std::uint64_t num_edges_ = 0;
  int num_columns_ = 0;  // of the first edge line; 0 before it
  std::uint64_t first_edge_line_ = 0;
};

}  // namespace gaspipe
