// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/read_graph.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "gaspipe/edge_list.h"
#include "gaspipe/error.h"
#include "gaspipe/metis.h"

namespace gaspipe {
namespace {

constexpr std::size_t kPiece = std::size_t(1) << 20;

bool starts_with(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

// A file's text in pieces, without a UTF-8 byte order mark. The first piece tells the format: a pipe is read once.
class Text {
 public:
  explicit Text(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "rb"), std::fclose) {
    if (!file_) fail();
    next();
    if (starts_with(piece(), "\xef\xbb\xbf")) first_ = 3;
    for (const auto& [start, remedy] : {std::pair("\x1f\x8b", "gunzip"), {"\3757zXZ", "unxz"}, {"BZh", "bunzip2"}}) {
      if (starts_with(piece(), start)) {
        throw InputError(message("'", path_, "' is compressed; only text is read here: use ", remedy, " first"));
      }
    }
  }

  std::string_view piece() const { return {buffer_.data() + first_, size_ - first_}; }

  template <class Parser>
  void feed(Parser& parser) {
    for (; size_ > 0; next()) parser.feed(piece().data(), piece().size());
  }

 private:
  // Whole pieces but for the last, also from a pipe.
  void next() {
    first_ = 0;
    size_ = std::fread(buffer_.data(), 1, buffer_.size(), file_.get());
    if (std::ferror(file_.get()) != 0) fail();
  }
  [[noreturn]] void fail() const {
    throw InputError(message("cannot read '", path_, "': ", std::strerror(errno), "; give the path of a text file"));
  }

  const std::string& path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::vector<char> buffer_ = std::vector<char>(kPiece);
  std::size_t first_ = 0, size_ = 0;
};

// Whether the first line that is neither blank nor a comment is `p sp ...`.
bool is_dimacs9(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (starts_with(line, "p ") || starts_with(line, "p\t")) {
      const std::size_t word = line.find_first_not_of(" \t", 1);
      return word != line.npos && starts_with(line.substr(word), "sp");
    }
    const bool is_comment = line == "c" || starts_with(line, "c ") || starts_with(line, "c\t");
    if (first != line.npos && !is_comment) return false;
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return false;
}

GraphFile recognise(const std::string& path, std::string_view start) {
  const std::size_t dot = path.find_last_of("./");
  std::string suffix = dot == path.npos ? "" : path.substr(dot);
  for (char& c : suffix) c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  if (suffix == ".mtx") return GraphFile::kMatrixMarket;
  if (suffix == ".graph" || suffix == ".metis") return GraphFile::kDimacs10;
  if (suffix == ".gr") return GraphFile::kDimacs9;
  if (starts_with(start, "%%MatrixMarket")) return GraphFile::kMatrixMarket;
  return is_dimacs9(start) ? GraphFile::kDimacs9 : GraphFile::kEdgeList;
}

}  // namespace

Csr read_graph(const std::string& path, GraphFile format, Workers& workers) {
  Text text(path);
  if (format == GraphFile::kAuto) format = recognise(path, text.piece());
  if (format == GraphFile::kDimacs10) {
    MetisParser parser(path, workers);
    text.feed(parser);
    return parser.finish().csr;
  }
  EdgeText syntax;
  if (format == GraphFile::kDimacs9) syntax.syntax = EdgeSyntax::kDimacs9;
  if (format == GraphFile::kMatrixMarket) syntax.syntax = EdgeSyntax::kMatrixMarket;
  EdgeListParser parser(path, workers, syntax);
  text.feed(parser);
  const ParsedEdges parsed = parser.finish(/*relabel=*/false);
  if (parsed.matrix.num_rows != parsed.matrix.num_columns) {
    throw InputError(message(path, ": matrix has ", parsed.matrix.num_rows, " rows and ", parsed.matrix.num_columns,
                             " columns; a graph needs a square one, with a row and a column per vertex"));
  }
  return build_csr(parsed.edges, parsed.edges.num_vertices, workers);
}

Graph from_file(const std::string& path, GraphFile format, int num_threads) {
  if (num_threads < 0)
    throw InputError(message("num_threads is ", num_threads, "; use 1 or more, or 0 for as OpenMP is set"));
  Workers workers(num_threads);
  return Graph(read_graph(path, format, workers));
}

Graph from_edge_list_file(const std::string& path, int num_threads) {
  return from_file(path, GraphFile::kEdgeList, num_threads);
}

Graph from_dimacs_file(const std::string& path, int num_threads) {
  return from_file(path, GraphFile::kDimacs10, num_threads);
}

}  // namespace gaspipe
