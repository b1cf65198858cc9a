// SPDX-License-Identifier: Apache-2.0
// DIMACS-9 files, held to the same as edge lists (edge_list_fuzz.cpp).
#include <utility>

#include "gaspipe/edge_list.h"
#include "tests/fuzz/plain_edges.h"

namespace gaspipe {
namespace fuzz {
namespace {

bool read_problem(const std::string& line, std::uint64_t& num_vertices, std::uint64_t& num_edges) {
  if (line.find_first_of("\r\v\f") != std::string::npos) return false;
  const std::vector<std::string> words = words_of(line);
  return words.size() == 4 && words[0] == "p" && words[1] == "sp" && read_id(words[2], num_vertices) &&
         read_id(words[3], num_edges) && num_vertices >= 1 && num_vertices <= 0xffffffffu;
}

Verdict read_plainly(const std::string& text, const TextSizes& sizes, PlainEdges& plain) {
  std::uint64_t num_edges = 0;
  bool is_unclear = false;
  for (std::string line : lines_of(text)) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.size() > sizes.longest_line || line.find('\0') != std::string::npos) return Verdict::kBad;
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string::npos) continue;
    line.erase(0, first);
    if (line[0] == 'c' && (line.size() == 1 || line[1] == ' ' || line[1] == '\t' || line[1] == '\r')) continue;
    line = trimmed(line);
    if (plain.num_vertices == 0) {
      if (!read_problem(line, plain.num_vertices, num_edges)) return Verdict::kBad;
      continue;
    }
    if (line.size() < 2 || line[0] != 'a' || (line[1] != ' ' && line[1] != '\t')) return Verdict::kBad;
    PlainEdge edge;
    const std::string columns = trimmed(line.substr(1));
    const Verdict verdict = columns.empty() ? Verdict::kBad : read_edge(columns, edge);
    if (verdict == Verdict::kBad || edge.num_columns != 3) return Verdict::kBad;
    for (const std::uint64_t id : {edge.source, edge.destination}) {
      if (id < 1 || id > plain.num_vertices) return Verdict::kBad;
    }
    is_unclear = is_unclear || verdict == Verdict::kUnclear;
    plain.edges.push_back(edge);
  }
  if (plain.num_vertices == 0 || num_edges != plain.edges.size()) return Verdict::kBad;
  if (is_sparse(plain.num_vertices, plain.edges.size())) return Verdict::kBad;
  return is_unclear ? Verdict::kUnclear : Verdict::kGood;
}

std::string outcome(const std::string& text, const TextSizes& sizes, int num_threads, std::size_t pieces,
                    EdgeList& edges) {
  return outcome_of([&] {
    Workers workers(num_threads);
    EdgeText kind;
    kind.syntax = EdgeSyntax::kDimacs9;
    kind.sizes = sizes;
    EdgeListParser parser("file", workers, kind);
    feed(parser, text, pieces);
    edges = parser.finish(false).edges;
    return std::to_string(edges.num_vertices) + ' ' + bytes_of(edges.sources) + bytes_of(edges.targets) +
           bytes_of(edges.weights);
  });
}

}  // namespace

void dimacs9(const std::uint8_t* data, std::size_t size) {
  if (size < kNumOptions) return;
  const Options options = options_of(data);
  const std::string text(reinterpret_cast<const char*>(data) + kNumOptions, size - kNumOptions);
  const auto [whole, pieces] = sizes_of<TextSizes>(options, text.size());

  EdgeList edges, edges_in_pieces;
  const std::string found = outcome(text, whole, 1, text.size() + 1, edges);
  require_same(found, outcome(text, pieces, options.num_threads, options.pieces, edges_in_pieces));
  require_line(found, text);

  PlainEdges plain;
  const Verdict verdict = read_plainly(text, whole, plain);
  require(verdict == Verdict::kUnclear || (verdict == Verdict::kGood) == is_graph(found),
          "the plain reader sees it otherwise than: " + shown(found));
  if (!is_graph(found)) return;
  if (verdict == Verdict::kGood) require_same_edges(plain, edges, 1);
  require_valid(edges);
}

}  // namespace fuzz
}  // namespace gaspipe
