// SPDX-License-Identifier: Apache-2.0
// Reads lists of edges, SNAP's format, DIMACS-9's `.gr` and Matrix Market's coordinate format, from text that comes in
// pieces, as from a file or a decompressor. Grammar, per line:
//   source destination [weight]     columns apart by spaces or tabs, or by one comma with blanks around it
//   # comment, % comment, or blank
// Lines end with \n or \r\n, the last one also with the file. Ids are decimal integers from 0 to 2^63 - 1; all edge
// lines have as many columns as the first. Weights are integers or decimals (also with exponent, inf, nan): int32 when
// all are integers that fit, else int64; one decimal among them makes all of them double.
// The first line that is neither comment nor blank may be a header `vertices edges`. It is one exactly where as many
// edge lines follow as it says and all their ids are below the number of vertices; a caller can state it.
// DIMACS-9: `c comment`, once `p sp vertices arcs`, then `a source destination weight` with ids from 1.
// Matrix Market: the banner `%%MatrixMarket matrix coordinate field symmetry`, once `rows columns entries`, then lines
// of `row column [value]` with ids from 1, apart by blanks; `% comment` and blank lines anywhere after the banner.
// Values are what the banner says: none (pattern), integers of 64 bits, or real numbers, whose exponent may have
// Fortran's letter d. Symmetric and skew-symmetric files give both triangles.
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
struct IdOnLine {
  std::uint64_t id = 0;
  std::uint64_t line = 0;
};
}  // namespace detail

enum class EdgeSyntax { kPlain, kDimacs9, kMatrixMarket };
enum class Header { kAuto, kAbsent, kPresent };

// How much text is looked at together, in bytes. With less, a short text meets what else only large files do.
struct TextSizes {
  std::size_t buffer = std::size_t(8) << 20;   // parsed at once, by all threads; more than the longest line
  std::size_t piece = std::size_t(128) << 10;  // by one thread: its columns stay in the second-level cache
  std::size_t longest_line = std::size_t(1) << 20;
};

struct EdgeText {
  EdgeSyntax syntax = EdgeSyntax::kPlain;
  Header header = Header::kAuto;  // of plain edge lists
  bool may_be_empty = false;      // no edges and no header: no error, but an empty list
  TextSizes sizes;
};

// What the banner and the size line of a Matrix Market file say.
struct MatrixMarket {
  enum class Values { kNone, kInteger, kReal };
  enum class Symmetry { kGeneral, kSymmetric, kSkew };
  Values values = Values::kNone;
  Symmetry symmetry = Symmetry::kGeneral;
  bool has_sizes = false;  // the size line has been read
  std::uint64_t num_rows = 0, num_columns = 0, num_entries = 0;
};

struct ParsedEdges {
  EdgeList edges;              // in file order
  MatrixMarket matrix;         // of kMatrixMarket
  Array<std::int64_t> labels;  // with relabel: the id that a vertex has in the file; else empty
};

class EdgeListParser {
 public:
  // `file_name` is for messages only. `workers` must outlive the parser.
  EdgeListParser(std::string file_name, Workers& workers, const EdgeText& text = {});
  ~EdgeListParser();
  EdgeListParser(const EdgeListParser&) = delete;
  EdgeListParser& operator=(const EdgeListParser&) = delete;

  // Takes the next bytes of the text, cut anywhere. Throws GraphFormatError for the first bad line of the file; the
  // parser is of no use then.
  void feed(const char* data, std::size_t size);

  // Hands over the edges that have been parsed so far, none or some, and keeps none of them: for texts larger than
  // memory. Their number of vertices is not known yet. With `relabel` ids and labels are of these edges only. A line
  // that may be a header is not among them: `finish` hands it over if it is an edge.
  ParsedEdges take(bool relabel);

  // Ends the text and hands over the edges, those not taken yet; once. With `relabel` the ids that occur become 0..k-1
  // in ascending order; without, ids are vertices and num_vertices is what the header says, or else the largest plus
  // one.
  ParsedEdges finish(bool relabel);

 private:
  void parse_text();
  const char* parse_start(const char* at, const char* last);
  void take_banner(const char* at, const char* last);
  void take_size_line(const char* at, const char* last);
  void take_problem_line(const char* at, const char* last);
  void take_first_edge(detail::EdgeBlock& block);
  void accept(detail::EdgeBlock& block);
  void settle_header(bool relabel);
  void check_num_entries() const;
  detail::IdOnLine largest_id() const;
  void check_ids() const;
  std::uint64_t count_vertices() const;
  ParsedEdges join(bool relabel);
  const char* expected() const;
  [[noreturn]] void fail(std::uint64_t line, const std::string& what) const;

  struct Counts {
    std::uint64_t vertices = 0, edges = 0;
    std::uint64_t line = 0;  // 0: no header
  };

  std::string file_name_;
  Workers& workers_;
  EdgeText syntax_;
  bool is_started_ = false;  // past the first line that is neither comment nor blank
  Counts header_;
  MatrixMarket matrix_;
  std::vector<detail::EdgeBlock> first_edge_;  // the header's line as an edge, while it may be one
  std::vector<char> text_;                     // fed and not yet parsed; starts with a line
  std::vector<detail::EdgeBlock> blocks_;
  std::uint64_t num_lines_ = 0;
  std::uint64_t num_edges_ = 0;
  std::uint64_t num_taken_ = 0;     // edges among them
  detail::IdOnLine largest_taken_;  // of their ids
  std::uint64_t num_mirrored_ = 0;  // edges among them that follow from a matrix's symmetry
  int num_columns_ = 0;             // of the first edge line; 0 before it
  std::uint64_t first_edge_line_ = 0;
};

}  // namespace gaspipe
