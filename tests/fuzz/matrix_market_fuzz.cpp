// SPDX-License-Identifier: Apache-2.0
// Matrix Market files, held to the same as edge lists (edge_list_fuzz.cpp).
#include <algorithm>
#include <cmath>
#include <utility>

#include "gaspipe/edge_list.h"
#include "tests/fuzz/plain_edges.h"

namespace gaspipe {
namespace fuzz {
namespace {

struct PlainMatrix {
  std::string field, symmetry;
  std::uint64_t num_rows = 0, num_columns = 0;
  PlainEdges edges;
};

std::vector<std::string> words_between_blanks(std::string line) {
  for (const char c : {'\r', '\v', '\f'}) std::replace(line.begin(), line.end(), c, '?');
  return words_of(line);
}

bool read_banner(const std::string& line, PlainMatrix& plain) {
  std::vector<std::string> words = words_between_blanks(line);
  if (words.size() < 5 || words[0] != "%%MatrixMarket") return false;
  for (std::string& word : words) {
    for (char& c : word) c = char(std::tolower(static_cast<unsigned char>(c)));
  }
  plain.field = words[3] == "double" ? "real" : words[3];
  plain.symmetry = words[4];
  return words[1] == "matrix" && words[2] == "coordinate" &&
         (plain.field == "real" || plain.field == "integer" || plain.field == "pattern") &&
         (plain.symmetry == "general" || plain.symmetry == "symmetric" || plain.symmetry == "skew-symmetric");
}

Verdict read_value(std::string token, const std::string& field, PlainEdge& edge) {
  if (field == "real") {
    for (char& c : token) c = c == 'd' || c == 'D' ? 'e' : c;
    if (token.find_first_not_of("+-0123456789") == std::string::npos) token += '.';  // no limit of 64 bits
    return read_weight(token, edge);
  }
  const Verdict verdict = read_weight(token, edge);
  return verdict == Verdict::kGood && edge.type == 'd' ? Verdict::kBad : verdict;
}

Verdict read_plainly(const std::string& text, const TextSizes& sizes, PlainMatrix& plain) {
  std::uint64_t num_entries = 0, num_found = 0;
  bool has_sizes = false, is_unclear = false;
  const std::vector<std::string> lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string line = lines[i];
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.size() > sizes.longest_line || line.find('\0') != std::string::npos) return Verdict::kBad;
    if (i == 0) {
      if (!read_banner(line, plain)) return Verdict::kBad;
      continue;
    }
    const std::vector<std::string> words = words_between_blanks(line);
    if (words.empty() || words[0][0] == '%') continue;
    PlainEdge edge;
    edge.num_columns = plain.field == "pattern" ? 2 : 3;
    if (words.size() != (has_sizes ? std::size_t(edge.num_columns) : 3)) return Verdict::kBad;
    std::uint64_t first, second;
    if (!read_id(words[0], first) || !read_id(words[1], second)) return Verdict::kBad;
    if (!has_sizes) {
      if (!read_id(words[2], num_entries) || std::max(first, second) > 0xffffffffu) return Verdict::kBad;
      if (plain.symmetry != "general" && first != second) return Verdict::kBad;
      plain.num_rows = first;
      plain.num_columns = second;
      has_sizes = true;
      continue;
    }
    if (first < 1 || first > plain.num_rows || second < 1 || second > plain.num_columns) return Verdict::kBad;
    edge.source = first;
    edge.destination = second;
    if (edge.num_columns == 3) {
      const Verdict verdict = read_value(words[2], plain.field, edge);
      if (verdict == Verdict::kBad) return verdict;
      is_unclear = is_unclear || verdict == Verdict::kUnclear;
      edge.type = plain.field == "real" ? 'd' : 'l';
    }
    ++num_found;
    plain.edges.edges.push_back(edge);
    const bool is_skew = plain.symmetry == "skew-symmetric";
    if (first == second && is_skew && (edge.num_columns == 2 || edge.weight != 0)) return Verdict::kBad;
    if (first == second || plain.symmetry == "general") continue;
    std::swap(edge.source, edge.destination);
    if (is_skew && edge.num_columns == 3) {
      if (edge.type == 'l' && std::strtoll(words[2].c_str(), nullptr, 10) == INT64_MIN) return Verdict::kBad;
      edge.weight = -edge.weight;
    }
    plain.edges.edges.push_back(edge);
  }
  if (!has_sizes || num_found != num_entries) return Verdict::kBad;
  plain.edges.num_vertices = std::max(plain.num_rows, plain.num_columns);
  if (is_sparse(plain.edges.num_vertices, plain.edges.edges.size())) return Verdict::kBad;
  return is_unclear ? Verdict::kUnclear : Verdict::kGood;
}

std::string outcome(const std::string& text, const TextSizes& sizes, int num_threads, std::size_t pieces,
                    ParsedEdges& parsed) {
  return outcome_of([&] {
    Workers workers(num_threads);
    EdgeText kind;
    kind.syntax = EdgeSyntax::kMatrixMarket;
    kind.sizes = sizes;
    EdgeListParser parser("file", workers, kind);
    feed(parser, text, pieces);
    parsed = parser.finish(false);
    const EdgeList& edges = parsed.edges;
    return std::to_string(edges.num_vertices) + ' ' + bytes_of(edges.sources) + bytes_of(edges.targets) +
           bytes_of(edges.weights);
  });
}

}  // namespace

void matrix_market(const std::uint8_t* data, std::size_t size) {
  if (size < kNumOptions) return;
  const Options options = options_of(data);
  const std::string text(reinterpret_cast<const char*>(data) + kNumOptions, size - kNumOptions);
  const auto [whole, pieces] = sizes_of<TextSizes>(options, text.size());

  ParsedEdges parsed, parsed_in_pieces;
  const std::string found = outcome(text, whole, 1, text.size() + 1, parsed);
  require_same(found, outcome(text, pieces, options.num_threads, options.pieces, parsed_in_pieces));
  require_line(found, text);

  PlainMatrix plain;
  const Verdict verdict = read_plainly(text, whole, plain);
  require(verdict == Verdict::kUnclear || (verdict == Verdict::kGood) == is_graph(found),
          "the plain reader sees it otherwise than: " + shown(found));
  if (!is_graph(found)) return;
  require(parsed.edges.weights.index() == (plain.field == "pattern"   ? 0u
                                           : plain.field == "integer" ? 2u
                                                                      : 4u),
          "the weights have another type than the banner says");
  if (verdict == Verdict::kGood) {
    require(parsed.matrix.num_rows == plain.num_rows && parsed.matrix.num_columns == plain.num_columns,
            "the shape is another");
    if (!plain.edges.edges.empty()) require_same_edges(plain.edges, parsed.edges, 1);
  }
  require_valid(parsed.edges);
}

}  // namespace fuzz
}  // namespace gaspipe
