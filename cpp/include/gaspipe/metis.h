// SPDX-License-Identifier: Apache-2.0
// Reads METIS and DIMACS-10 files (`.graph`) from text that comes in pieces, as from a file or a decompressor:
//   vertices edges [fmt [ncon]]                       the header
//   [size] [weight]*ncon neighbour [edge weight] ...  a line per vertex, empty for an isolated one without weights
//   % comment
// The graph is undirected: every edge is in the lines of both its ends and counts once. Ids start with 1. The digits of
// fmt say: 1 edges have weights (above 0), 10 vertices have ncon weights, 100 vertices have sizes. DIMACS-10 means
// something else by 100: there are loops or parallel edges, and the header counts the entries of the lines. With fmt
// just 100 the number of entries tells which is meant; for others METIS is meant unless the caller says DIMACS-10.
// Some programs list each edge one way, in the line of its source, and count entries in the header; nothing in the file
// tells, so a caller has to say that it is directed. Loops and parallel edges are allowed then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gaspipe/array.h"
#include "gaspipe/csr.h"
#include "gaspipe/workers.h"

namespace gaspipe {

enum class MetisDialect { kAuto, kMetis, kDimacs10 };

struct ParsedRows {
  Csr csr;                             // rows as in the file: both directions of every edge, unless it is directed
  std::uint64_t num_constraints = 0;   // weights per vertex
  Array<std::int64_t> vertex_weights;  // num_rows x num_constraints
  bool has_vertex_sizes = false;
  Array<std::int64_t> vertex_sizes;  // num_rows
};

class MetisParser {
 public:
  // `file_name` is for messages only. `workers` must outlive the parser.
  // `buffer_size`, above 64: bytes of text held at a time.
  // `is_directed`: an entry is an edge, and none has to be in the lines of both its ends.
  MetisParser(std::string file_name, Workers& workers, MetisDialect dialect = MetisDialect::kAuto,
              std::size_t buffer_size = std::size_t(1) << 20, bool is_directed = false);

  // Takes the next bytes of the text, cut anywhere. Throws GraphFormatError for the first bad line; the parser is of no
  // use then.
  void feed(const char* data, std::size_t size);

  // Ends the text, checks the counts and (not if directed) that both ends list each edge, hands over the rows; once.
  ParsedRows finish();

 private:
  void parse_text();
  void parse(const char* at, const char* last);
  [[noreturn]] void fail_long(const char* token, const char* end) const;
  void check_comment(const char* at, const char* end) const;
  void take(std::uint64_t number);
  void take_weight(std::uint64_t number);
  void end_line();
  void take_header();
  void settle_dialect();
  std::uint64_t num_entries_declared() const;
  void check_counts() const;
  void check_symmetry(const Csr& csr) const;
  std::uint64_t line_of(std::uint64_t row) const;
  [[noreturn]] void fail(std::uint64_t line, const std::string& what) const;

  std::string file_name_;
  Workers& workers_;
  MetisDialect dialect_;
  std::size_t buffer_size_;
  bool is_directed_;
  std::vector<char> text_;  // fed and not yet parsed

  std::uint64_t line_ = 1;
  std::uint64_t num_tokens_ = 0;  // of the line so far
  bool in_comment_ = false;
  bool ended_line_ = true;  // the text so far ends with a line, or is empty

  std::vector<std::uint64_t> header_;  // its numbers
  std::uint64_t header_line_ = 0;      // 0: not found yet
  std::uint64_t num_vertices_ = 0, num_edges_ = 0, num_constraints_ = 0;
  bool has_sizes_ = false, is_weighted_ = false;
  bool is_multigraph_ = false;    // loops and parallel edges are allowed, and the header counts entries
  bool is_ambiguous_ = false;     // fmt=100: the first number of a line is a size or a neighbour
  std::uint64_t num_before_ = 0;  // numbers before the neighbours

  std::vector<std::uint64_t> offsets_{0};
  std::vector<VertexId> targets_;
  std::vector<std::int32_t> weights_;
  std::vector<std::int64_t> wide_weights_;  // instead, once one needs it
  std::vector<std::int64_t> vertex_weights_, sizes_;
  std::vector<std::uint64_t> comments_;           // the row that each comment among the rows precedes
  std::uint64_t first_loop_ = ~std::uint64_t(0);  // its row
};

}  // namespace gaspipe
