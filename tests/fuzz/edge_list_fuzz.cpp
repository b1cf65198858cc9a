// SPDX-License-Identifier: Apache-2.0
// Edge lists: the outcome depends neither on how the text is cut nor on the threads; what is accepted is valid, and the
// plain reader accepts the same texts with the same edges.
#include <set>
#include <utility>

#include "gaspipe/edge_list.h"
#include "tests/fuzz/plain_edges.h"

namespace gaspipe {
namespace fuzz {
namespace {

Verdict read_plainly(const std::string& text, const EdgeText& kind, bool relabel, PlainEdges& plain) {
  std::vector<PlainEdge> edges;
  bool is_unclear = false;
  for (std::string line : lines_of(text)) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.size() > kind.sizes.longest_line) return Verdict::kBad;
    const bool has_nul = line.find('\0') != std::string::npos;
    line = trimmed(line);
    if (has_nul) return Verdict::kBad;
    if (line.empty() || line[0] == '#' || line[0] == '%') continue;
    PlainEdge edge;
    const Verdict verdict = read_edge(line, edge);
    if (verdict == Verdict::kBad) return verdict;
    is_unclear = is_unclear || verdict == Verdict::kUnclear;
    edges.push_back(edge);
  }
  if (is_unclear) return Verdict::kUnclear;

  const auto largest_from = [&](std::size_t first) {
    std::uint64_t largest = 0;
    for (std::size_t i = first; i < edges.size(); ++i) {
      largest = std::max({largest, edges[i].source, edges[i].destination});
    }
    return largest;
  };
  const bool may_be_header = !edges.empty() && edges[0].num_columns == 2 && edges[0].source >= 1 &&
                             edges[0].source <= 0xffffffffu && kind.header != Header::kAbsent;
  const bool counts_hold = may_be_header && edges[0].destination == edges.size() - 1;
  const bool ids_hold = may_be_header && (edges.size() == 1 || largest_from(1) < edges[0].source);
  std::uint64_t declared = 0;
  if (kind.header == Header::kPresent && !edges.empty()) {
    if (!counts_hold || (!ids_hold && !relabel)) return Verdict::kBad;
    declared = edges[0].source;
  } else if (counts_hold && ids_hold) {
    declared = edges[0].source;
  }
  if (declared != 0) edges.erase(edges.begin());
  for (const PlainEdge& edge : edges) {
    if (edge.num_columns != edges[0].num_columns) return Verdict::kBad;
  }
  if (edges.empty() && !kind.may_be_empty && (declared == 0 || relabel)) return Verdict::kBad;
  if (relabel) {
    std::set<std::int64_t> ids;
    for (const PlainEdge& edge : edges) ids.insert({std::int64_t(edge.source), std::int64_t(edge.destination)});
    plain.labels.assign(ids.begin(), ids.end());
    plain.num_vertices = ids.size();
    if (declared != 0 && plain.num_vertices > declared) return Verdict::kBad;
  } else {
    plain.num_vertices = declared != 0 ? declared : edges.empty() ? 0 : largest_from(0) + 1;
    if (plain.num_vertices > 0xffffffffu || is_sparse(plain.num_vertices, edges.size())) return Verdict::kBad;
  }
  plain.edges = std::move(edges);
  return Verdict::kGood;
}

std::string outcome(const std::string& text, const EdgeText& kind, bool relabel, int num_threads, std::size_t pieces,
                    ParsedEdges& parsed) {
  return outcome_of([&] {
    Workers workers(num_threads);
    EdgeListParser parser("file", workers, kind);
    feed(parser, text, pieces);
    parsed = parser.finish(relabel);
    return std::to_string(parsed.edges.num_vertices) + ' ' + bytes_of(parsed.edges.sources) +
           bytes_of(parsed.edges.targets) + bytes_of(parsed.edges.weights) + bytes_of(parsed.labels);
  });
}

}  // namespace

void edge_list(const std::uint8_t* data, std::size_t size) {
  if (size < kNumOptions) return;
  const Options options = options_of(data);
  const std::string text(reinterpret_cast<const char*>(data) + kNumOptions, size - kNumOptions);
  const bool relabel = options.choice % 2;
  EdgeText kind;
  kind.may_be_empty = options.choice / 2 % 4 == 0;
  kind.header = options.choice / 8 % 4 == 1   ? Header::kPresent
                : options.choice / 8 % 4 == 2 ? Header::kAbsent
                                              : Header::kAuto;
  const auto [whole, pieces] = sizes_of<TextSizes>(options, text.size());

  ParsedEdges parsed, parsed_in_pieces;
  kind.sizes = whole;
  const std::string found = outcome(text, kind, relabel, 1, text.size() + 1, parsed);
  kind.sizes = pieces;
  require_same(found, outcome(text, kind, relabel, options.num_threads, options.pieces, parsed_in_pieces));
  require_line(found, text);

  PlainEdges plain;
  const Verdict verdict = read_plainly(text, kind, relabel, plain);
  require(verdict == Verdict::kUnclear || (verdict == Verdict::kGood) == is_graph(found),
          "the plain reader sees it otherwise than: " + shown(found));
  if (!is_graph(found)) return;
  if (verdict == Verdict::kGood) {
    require_same_edges(plain, parsed.edges, 0);
    require(plain.labels == std::vector<std::int64_t>(parsed.labels.begin(), parsed.labels.end()),
            "the labels are others");
  }
  require_valid(parsed.edges);
}

}  // namespace fuzz
}  // namespace gaspipe
