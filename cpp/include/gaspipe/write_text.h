// SPDX-License-Identifier: Apache-2.0
// Writes a graph as text, in pieces of a few megabytes: edge lists, Matrix Market, DIMACS-9 and METIS files as
// edge_list.h and metis.h describe them. Edges come row by row in the order they have in their row. Integers are
// decimal, floating-point numbers the shortest decimals that read back as the same double and always with a point,
// exponent, inf or nan, so that they stay floating-point. float32 is written as the double it is: what reads it as
// float32 or as double finds the same number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gaspipe/array.h"
#include "gaspipe/csr.h"
#include "gaspipe/workers.h"

namespace gaspipe {

enum class TextFormat { kEdgeList, kMatrixMarket, kDimacs9, kMetis };

struct TextOptions {
  TextFormat format = TextFormat::kEdgeList;
  // Edge lists: a first line `vertices edges`; what stands between columns (blank, tab or comma); names to write
  // instead of ids, 0 or larger and all different, or empty.
  bool header = true;
  char separator = ' ';
  Array<std::int64_t> names;
  // METIS: DIMACS-10's fmt 100, with loops and parallel edges; sizes and weights (num_constraints each) of the
  // vertices, 0 or larger, or empty.
  bool is_multigraph = false;
  std::uint64_t num_constraints = 0;
  Array<std::int64_t> vertex_weights, vertex_sizes;
  // Matrix Market: the shape, where it is smaller than what the rows have room for; 0 x 0: it is not.
  std::uint64_t num_rows = 0, num_columns = 0;
};

class GraphText {
 public:
  // InputError names what the format cannot say: for METIS the first edge without one back, or the first weight that is
  // no integer above 0. `workers` must outlive the text.
  GraphText(std::shared_ptr<const Csr> csr, TextOptions options, Workers& workers);

  // The next piece, empty at the end; valid until the next call.
  std::string_view next();

 private:
  struct Chunk {
    std::unique_ptr<char[]> text;
    std::size_t capacity = 0, size = 0;
  };

  void check_metis() const;
  std::string head() const;
  std::uint64_t row_at(std::uint64_t item) const;
  std::uint64_t source_of(EdgeCount edge) const;
  template <class WeightArray>
  void put(const WeightArray& weights, std::uint64_t first, std::uint64_t last, Chunk& chunk) const;
  char* put_id(char* at, std::uint64_t vertex) const;
  char* put_vertex(char* at, std::uint64_t vertex) const;

  std::shared_ptr<const Csr> csr_;
  TextOptions options_;
  Workers& workers_;
  bool has_sizes_ = false;
  std::uint64_t num_before_ = 0;  // numbers before the edges of a METIS line
  std::uint64_t first_id_ = 0;
  std::uint64_t num_items_ = 0;  // an item is the start of a row or an edge: edge e of row r is item e + r + 1
  std::uint64_t next_item_ = 0;
  std::uint64_t items_per_chunk_ = 0;
  bool is_started_ = false;
  std::vector<Chunk> chunks_;
  std::vector<char> text_;
};

}  // namespace gaspipe
