// SPDX-License-Identifier: Apache-2.0
// One piece of the text of an edge list, a DIMACS-9 or a Matrix Market file, parsed: columns that start in their
// narrowest type and are converted when a value does not fit, and what is wrong in the piece.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "gaspipe/edge_list.h"
#include "gaspipe/workers.h"
#include "matrix_market.h"

namespace gaspipe {
namespace detail {

// What a line should have been, for messages.
inline const char* expected(EdgeSyntax syntax, const MatrixMarket& matrix) {
  if (syntax == EdgeSyntax::kPlain) return "expected \"source destination [weight]\"";
  if (syntax == EdgeSyntax::kDimacs9) return "expected \"a source destination weight\"";
  if (!matrix.has_sizes) return kSizeLine;
  using Values = MatrixMarket::Values;
  return matrix.values == Values::kNone      ? "expected \"row column\", as the banner says pattern"
         : matrix.values == Values::kInteger ? "expected \"row column value\", as the banner says integer"
                                             : "expected \"row column value\", as the banner says real";
}

using IdColumn = std::variant<std::vector<std::uint32_t>, std::vector<std::uint64_t>>;
using WeightColumn = std::variant<std::vector<std::int32_t>, std::vector<std::int64_t>, std::vector<double>>;

struct Weight {
  bool is_integer = true;
  std::int64_t integer = 0;
  double decimal = 0;
};

// The column as a vector of T, converted if it was of another type.
template <class T, class Column>
std::vector<T>& as(Column& column) {
  if (auto* same = std::get_if<std::vector<T>>(&column)) return *same;
  std::vector<T> converted =
      std::visit([](const auto& from) { return std::vector<T>(from.begin(), from.end()); }, column);
  return column.template emplace<std::vector<T>>(std::move(converted));
}
// Makes `to` an empty vector of T, with the memory of `from` where that is one. as() would make one of it by itself;
// but GCC 12 at -O3, with this and edge_list.cpp in one unit, then reads the old vector's pointers where the new one
// lies (not with -fno-strict-aliasing), and hands freed memory on.
template <class T, class Column>
void keep_memory(Column& from, Column& to) {
  auto& kept = to.template emplace<std::vector<T>>();
  auto* const same = std::get_if<std::vector<T>>(&from);
  if (same == nullptr) return;
  same->clear();
  kept.swap(*same);
}

// What to say of a bad line [first, last); `finding` is what the parser has to say, if it is more than "no edge";
// `wanted` is the line that should be there.
std::string describe_line(const char* first, const char* last, const std::string& finding, const char* wanted,
                          std::size_t longest);

// Whether the line that starts here, blanks skipped, is a comment.
inline bool is_comment(const char* at, EdgeSyntax syntax) {
  if (syntax == EdgeSyntax::kPlain) return *at == '#' || *at == '%';
  if (syntax == EdgeSyntax::kMatrixMarket) return *at == '%';
  return *at == 'c' && (at[1] == ' ' || at[1] == '\t' || at[1] == '\r' || at[1] == '\n');
}

// The edges of one piece of text. Lines count from 1 in the piece and, once the block is accepted, in the file.
struct EdgeBlock {
  IdColumn ids;  // source, destination, source, ...
  WeightColumn weights;
  std::uint64_t num_lines = 0;
  std::uint64_t first_edge = 0;  // number of edges in the blocks before this one
  int num_columns = 0;           // of its edge lines
  EdgeSyntax syntax = EdgeSyntax::kPlain;
  std::size_t longest_line = 0;
  std::uint64_t last_id = 0;  // of DIMACS-9, where ids are 1 to last_id
  MatrixMarket matrix;        // of Matrix Market
  std::uint64_t num_mirrored = 0;
  std::uint64_t first_edge_line = 0;
  IdOnLine largest;
  IdOnLine beyond_vertices;  // the first id that can be no vertex, or line 0
  // The last of num_lines is bad if it has another number of columns, or `fault` says what else.
  int other_num_columns = 0;
  std::string fault;

  std::uint64_t num_edges() const {
    return std::visit([](const auto& column) -> std::uint64_t { return column.size() / 2; }, ids);
  }
  bool is_bad() const { return other_num_columns != 0 || !fault.empty(); }

  // Back to an empty block of the same syntax, whose columns keep their memory.
  void clear() {
    IdColumn kept_ids = std::move(ids);
    WeightColumn kept_weights = std::move(weights);
    const EdgeSyntax kept_syntax = syntax;
    const std::size_t kept_longest_line = longest_line;
    const std::uint64_t kept_last_id = last_id;
    const MatrixMarket kept_matrix = matrix;
    *this = EdgeBlock();
    syntax = kept_syntax;
    longest_line = kept_longest_line;
    last_id = kept_last_id;
    matrix = kept_matrix;
    keep_memory<std::uint32_t>(kept_ids, ids);
    if (matrix.values == MatrixMarket::Values::kReal) {
      keep_memory<double>(kept_weights, weights);
    } else {
      keep_memory<std::int32_t>(kept_weights, weights);
    }
  }

  // Parses whole lines, [at, last), until one is bad.
  void parse(const char* at, const char* last);

 private:
  bool parse_edge(const char*& at, const char* last);
  bool parse_entry(const char*& at, const char* last);
  void forget_columns();
  void append(std::uint64_t source, std::uint64_t destination);
  void append(const Weight& weight);
};

// body(block) for all blocks, on all workers.
template <class Body>
void for_each_block(std::vector<EdgeBlock>& blocks, Workers& workers, const Body& body) {
  workers.each(blocks.size(), 1, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t i = first; i < last; ++i) body(blocks[i]);
  });
}

}  // namespace detail
}  // namespace gaspipe
