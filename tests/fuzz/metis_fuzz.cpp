// SPDX-License-Identifier: Apache-2.0
// METIS and DIMACS-10 files: the outcome does not depend on how the text is cut; what is accepted is valid, and the
// plain reader accepts the same texts with the same rows.
#include <map>
#include <tuple>
#include <utility>

#include "gaspipe/metis.h"
#include "tests/fuzz/plain_edges.h"

namespace gaspipe {
namespace fuzz {
namespace {

using Numbers = std::vector<std::uint64_t>;

struct PlainRows {
  std::vector<Numbers> targets, weights;  // per vertex
  Numbers vertex_weights, sizes;
  std::uint64_t num_constraints = 0;
  bool has_sizes = false, is_weighted = false;
};

// The lines that are no comments, as numbers; false where one holds something else.
bool read_numbers(const std::string& text, std::vector<Numbers>& lines) {
  std::vector<std::string> texts = lines_of(text);
  if (!text.empty() && text.back() == '\n') texts.emplace_back();  // an isolated last vertex may lack its newline
  for (const std::string& line : texts) {
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first != std::string::npos && line[first] == '%') {
      if (line.find('\0') != std::string::npos) return false;
      continue;
    }
    if (line.find_first_of("\v\f") != std::string::npos) return false;
    lines.emplace_back();
    for (const std::string& word : words_of(line)) {
      std::uint64_t number = 0;
      if (word.size() > 64 || !read_id(word, number)) return false;
      lines.back().push_back(number);
    }
  }
  return true;
}

// Both ends list every edge equally often, and with the same weight unless it is a multigraph.
bool is_undirected(const PlainRows& rows, bool is_multigraph) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, Numbers> entries;
  for (std::size_t u = 0; u < rows.targets.size(); ++u) {
    for (std::size_t i = 0; i < rows.targets[u].size(); ++i) {
      entries[{u, rows.targets[u][i]}].push_back(rows.is_weighted ? rows.weights[u][i] : 0);
    }
  }
  for (const auto& [ends, weights] : entries) {
    const auto back = entries.find({ends.second, ends.first});
    if (back == entries.end() || back->second.size() != weights.size()) return false;
    if (!is_multigraph && (ends.first == ends.second || weights.size() > 1 || back->second != weights)) return false;
  }
  return true;
}

// `dimacs10`: fmt's third digit means a multigraph.
bool read_plainly(const std::vector<Numbers>& lines, bool dimacs10, PlainRows& rows) {
  std::size_t line = 0;
  while (line < lines.size() && lines[line].empty()) ++line;
  if (line == lines.size()) return false;
  Numbers header = lines[line++];
  if (header.size() < 2 || header.size() > 4) return false;
  header.resize(4);
  const auto [n, m, fmt, ncon] = std::tuple(header[0], header[1], header[2], header[3]);
  if (n < 1 || n > 0xffffffffu || fmt > 111 || fmt % 10 > 1 || fmt / 10 % 10 > 1) return false;
  if (ncon > 0 && fmt / 10 % 10 == 0) return false;
  const bool is_multigraph = fmt >= 100 && dimacs10;
  rows.is_weighted = fmt % 10 == 1;
  rows.has_sizes = fmt >= 100 && !dimacs10;
  rows.num_constraints = fmt / 10 % 10 == 0 ? 0 : std::max<std::uint64_t>(ncon, 1);
  std::uint64_t num_entries = 0;
  if (n > lines.size() - line) return false;
  for (std::uint64_t v = 0; v < n; ++v) {
    const Numbers& row = lines[line++];
    std::size_t at = 0;
    if (row.size() < rows.has_sizes || row.size() - rows.has_sizes < rows.num_constraints) return false;
    if (rows.has_sizes) rows.sizes.push_back(row[at++]);
    for (std::uint64_t i = 0; i < rows.num_constraints; ++i) rows.vertex_weights.push_back(row[at++]);
    if (rows.is_weighted && (row.size() - at) % 2 != 0) return false;
    rows.targets.emplace_back();
    rows.weights.emplace_back();
    while (at < row.size()) {
      if (row[at] < 1 || row[at] > n) return false;
      rows.targets.back().push_back(row[at++] - 1);
      ++num_entries;
      if (!rows.is_weighted) continue;
      if (row[at] == 0) return false;
      rows.weights.back().push_back(row[at++]);
    }
  }
  for (; line < lines.size(); ++line) {
    if (!lines[line].empty()) return false;
  }
  const bool counts_hold = is_multigraph ? num_entries == m : num_entries % 2 == 0 && num_entries / 2 == m;
  return counts_hold && is_undirected(rows, is_multigraph);
}

std::string outcome(const std::string& text, MetisDialect dialect, std::size_t buffer_size, int num_threads,
                    std::size_t pieces, ParsedRows& parsed) {
  return outcome_of([&] {
    Workers workers(num_threads);
    MetisParser parser("file", workers, dialect, buffer_size);
    feed(parser, text, pieces);
    parsed = parser.finish();
    const Csr& csr = parsed.csr;
    std::string bytes = std::to_string(csr.num_rows) + ' ' + std::to_string(csr.num_columns) + ' ';
    for (std::size_t i = 0; i < csr.offsets.size(); ++i) bytes += std::to_string(csr.offsets[i]) + ' ';
    return bytes + bytes_of(csr.targets) + bytes_of(csr.weights) + std::to_string(parsed.num_constraints) +
           bytes_of(parsed.vertex_weights) + (parsed.has_vertex_sizes ? 's' : ' ') + bytes_of(parsed.vertex_sizes);
  });
}

bool is_same(const Numbers& wanted, const Array<std::int64_t>& found) {
  return std::equal(wanted.begin(), wanted.end(), found.begin(), found.end(),
                    [](std::uint64_t a, std::int64_t b) { return a == std::uint64_t(b); });
}

void require_same_rows(const PlainRows& wanted, const ParsedRows& found) {
  const Csr& csr = found.csr;
  require(csr.num_rows == wanted.targets.size() && csr.num_columns == csr.num_rows, "the number of rows is another");
  require(csr.is_weighted() == wanted.is_weighted, "edges have weights in one only");
  const std::vector<double> weights = decimals_of(csr.weights);
  bool is_wide = false;
  std::size_t e = 0;
  for (std::size_t v = 0; v < wanted.targets.size(); ++v) {
    require(csr.offsets[v] == e && csr.degree(VertexId(v)) == wanted.targets[v].size(), "a degree is another");
    for (std::size_t i = 0; i < wanted.targets[v].size(); ++i, ++e) {
      require(csr.targets[e] == wanted.targets[v][i], "a neighbour is another");
      if (!wanted.is_weighted) continue;
      require(weights[e] == double(wanted.weights[v][i]), "an edge weight is another");
      is_wide = is_wide || wanted.weights[v][i] > 0x7fffffff;
    }
  }
  require(!wanted.is_weighted || csr.weights.index() == (is_wide ? 2u : 1u), "edge weights have another type");
  require(found.num_constraints == wanted.num_constraints && is_same(wanted.vertex_weights, found.vertex_weights),
          "vertex weights are others");
  require(found.has_vertex_sizes == wanted.has_sizes && is_same(wanted.sizes, found.vertex_sizes), "sizes are others");
}

}  // namespace

void metis(const std::uint8_t* data, std::size_t size) {
  if (size < kNumOptions) return;
  const Options options = options_of(data);
  const std::string text(reinterpret_cast<const char*>(data) + kNumOptions, size - kNumOptions);
  const MetisDialect dialect = options.choice % 4 == 1   ? MetisDialect::kMetis
                               : options.choice % 4 == 2 ? MetisDialect::kDimacs10
                                                         : MetisDialect::kAuto;
  ParsedRows parsed, parsed_in_pieces;
  const std::string found = outcome(text, dialect, text.size() + 65, 1, text.size() + 1, parsed);
  require_same(found,
               outcome(text, dialect, 65 + options.sizes, options.num_threads, options.pieces, parsed_in_pieces));
  require_line(found, text);

  std::vector<Numbers> lines;
  PlainRows rows, multigraph;
  const bool is_text = read_numbers(text, lines);
  const bool is_metis = is_text && dialect != MetisDialect::kDimacs10 && read_plainly(lines, false, rows);
  // Left to choose, the reader takes DIMACS-10's meaning of fmt 100 alone.
  const bool may_be_multigraph = dialect == MetisDialect::kDimacs10 || (dialect == MetisDialect::kAuto && [&] {
                                   for (const Numbers& line : lines) {
                                     if (!line.empty()) return line.size() > 2 && line[2] == 100;
                                   }
                                   return false;
                                 }());
  const bool is_dimacs10 = is_text && !is_metis && may_be_multigraph && read_plainly(lines, true, multigraph);
  require((is_metis || is_dimacs10) == is_graph(found), "the plain reader sees it otherwise than: " + shown(found));
  if (!is_graph(found)) return;
  require_same_rows(is_metis ? rows : multigraph, parsed);
  Workers workers(1);
  validate(parsed.csr, workers);
}

}  // namespace fuzz
}  // namespace gaspipe
