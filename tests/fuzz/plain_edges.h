// SPDX-License-Identifier: Apache-2.0
// Edge lines read plainly, with strtod and without any of the readers' code: what the fuzz targets hold those against.
#pragma once

#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz.h"

namespace gaspipe {
namespace fuzz {

// kUnclear: a spelling on which strtod and the grammar's numbers may differ.
enum class Verdict { kGood, kBad, kUnclear };

struct PlainEdge {
  std::uint64_t source = 0, destination = 0;
  int num_columns = 2;
  char type = 'i';  // of the weight: i and l integers of 32 and 64 bits, d decimal
  double weight = 0;
};

struct PlainEdges {
  std::vector<PlainEdge> edges;
  std::uint64_t num_vertices = 0;
  std::vector<std::int64_t> labels;
};

inline std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

inline bool read_id(const std::string& token, std::uint64_t& id) {
  if (token.empty() || token.find_first_not_of("0123456789") != std::string::npos) return false;
  errno = 0;
  id = std::strtoull(token.c_str(), nullptr, 10);
  return errno == 0 && id <= 0x7fffffffffffffff;
}

inline Verdict read_weight(const std::string& token, PlainEdge& edge) {
  std::string lower = token;
  for (char& c : lower) c = char(std::tolower(static_cast<unsigned char>(c)));
  const std::string unsigned_part = lower.substr(lower[0] == '+' || lower[0] == '-');
  edge.type = 'd';
  if (unsigned_part.compare(0, 4, "nan(") == 0) return Verdict::kUnclear;
  if (unsigned_part != "inf" && unsigned_part != "infinity" && unsigned_part != "nan" &&
      lower.find_first_not_of("0123456789.e+-") != std::string::npos) {
    return Verdict::kBad;
  }
  char* end = nullptr;
  errno = 0;
  if (!unsigned_part.empty() && unsigned_part.find_first_not_of("0123456789") == std::string::npos) {
    const long long integer = std::strtoll(token.c_str(), &end, 10);
    if (errno != 0) return Verdict::kBad;
    edge.type = integer >= -0x80000000ll && integer <= 0x7fffffffll ? 'i' : 'l';
    edge.weight = double(integer);
    return Verdict::kGood;
  }
  edge.weight = std::strtod(token.c_str(), &end);
  if (end != token.c_str() + token.size() || token.empty()) return Verdict::kBad;
  if (errno == 0) return Verdict::kGood;
  return std::isinf(edge.weight) ? Verdict::kBad : Verdict::kUnclear;
}

// "source destination [weight]"; between two there are blanks with at most one comma among them.
inline Verdict read_edge(const std::string& line, PlainEdge& edge) {
  std::vector<std::string> tokens{""};
  bool in_gap = false;
  int num_commas = 0;
  for (const char c : line) {
    const bool is_gap = c == ' ' || c == '\t' || c == ',';
    if (!is_gap && in_gap) tokens.emplace_back();
    if (!is_gap) tokens.back() += c;
    num_commas = is_gap ? (in_gap ? num_commas : 0) + (c == ',') : 0;
    if (num_commas > 1) return Verdict::kBad;
    in_gap = is_gap;
  }
  if (in_gap || line[0] == ',' || tokens.size() < 2 || tokens.size() > 3) return Verdict::kBad;
  if (!read_id(tokens[0], edge.source) || !read_id(tokens[1], edge.destination)) return Verdict::kBad;
  edge.num_columns = int(tokens.size());
  return tokens.size() == 3 ? read_weight(tokens[2], edge) : Verdict::kGood;
}

// The readers' limits on arrays by vertex that dwarf the file.
inline bool is_sparse(std::uint64_t num_vertices, std::size_t num_edges) {
  return num_vertices > 16777216 && num_vertices > 64 * (num_edges + 1);
}

inline void require_same_edges(const PlainEdges& wanted, const EdgeList& found, std::uint64_t first_id) {
  require(found.num_vertices == wanted.num_vertices, "the number of vertices is another");
  require(found.sources.size() == wanted.edges.size() && found.targets.size() == wanted.edges.size(),
          "the number of edges is another");
  char widest = 'i';
  for (const PlainEdge& edge : wanted.edges)
    widest = edge.type == 'd' ? 'd' : edge.type == 'l' && widest == 'i' ? 'l' : widest;
  const bool is_weighted = !wanted.edges.empty() && wanted.edges[0].num_columns == 3;
  require(found.weights.index() == (!is_weighted    ? 0u
                                    : widest == 'i' ? 1u
                                    : widest == 'l' ? 2u
                                                    : 4u),
          "the weights have another type");
  const std::vector<double> weights = decimals_of(found.weights);
  for (std::size_t i = 0; i < wanted.edges.size(); ++i) {
    const PlainEdge& edge = wanted.edges[i];
    const auto vertex = [&](std::uint64_t id) -> std::uint64_t {
      if (wanted.labels.empty()) return id - first_id;
      return std::uint64_t(std::lower_bound(wanted.labels.begin(), wanted.labels.end(), std::int64_t(id)) -
                           wanted.labels.begin());
    };
    require(found.sources[i] == vertex(edge.source) && found.targets[i] == vertex(edge.destination),
            "an edge has other ends");
    require(!is_weighted || weights[i] == edge.weight || (std::isnan(weights[i]) && std::isnan(edge.weight)),
            "a weight is another");
  }
}

// How a text may be cut, small enough to matter: (whole, in pieces).
template <class Sizes>
std::pair<Sizes, Sizes> sizes_of(const Options& options, std::size_t text_size) {
  constexpr std::size_t kLongest[] = {40, 200, 4000};
  Sizes whole, pieces;
  whole.longest_line = pieces.longest_line = kLongest[options.sizes % 3];
  whole.buffer = whole.piece = std::max(whole.longest_line, text_size) + 2;
  pieces.buffer = pieces.longest_line + 2 + options.sizes / 3 % 50;
  pieces.piece = 1 + options.sizes / 8;
  return {whole, pieces};
}

}  // namespace fuzz
}  // namespace gaspipe
