// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/read_graph.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "gaspipe/error.h"

namespace gaspipe {
namespace {

// Files of a test, in a folder of its own.
class ReadGraph : public ::testing::Test {
 protected:
  ~ReadGraph() override { std::filesystem::remove_all(folder_); }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + name, std::ios::binary) << text;
    return folder_ + name;
  }
  const std::string& folder() const { return folder_; }

 private:
  static std::string make() {
    std::string name = ::testing::TempDir() + "/gaspipe-XXXXXX";
    return std::string(mkdtemp(name.data())) + "/";
  }
  std::string folder_ = make();
};

// "row: target=weight ..." per row.
std::string show(const Graph& graph) {
  std::ostringstream text;
  const Csr& csr = *graph.csr();
  for (VertexId row = 0; row < csr.num_rows; ++row) {
    text << row << ':';
    for (EdgeCount e = csr.offsets[row]; e < csr.offsets[row + 1]; ++e) {
      text << ' ' << csr.targets[e];
      if (csr.is_weighted()) text << '=';
      std::visit(
          [&](const auto& weights) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(weights)>, std::monostate>) text << weights[e];
          },
          csr.weights);
    }
    text << '\n';
  }
  return text.str();
}

template <class ErrorClass>
std::string error_of(const std::function<void()>& read) {
  try {
    read();
  } catch (const ErrorClass& error) {
    return error.what();
  }
  return "no error";
}

TEST_F(ReadGraph, TellsTheFormatByTheNameOrElseByTheFirstBytes) {
  const std::string edges = "# a comment\n0 2 7\n2 1 5\n",
                    matrix = "%%MatrixMarket matrix coordinate integer general\n";
  const std::string entries = matrix + "% a comment\n3 3 2\n1 3 7\n3 2 5\n";
  const std::string arcs = "c\nc a comment\n\np\tsp 3 2\na 1 3 7\na 3 2 5\n";
  const std::string expected = "0: 2=7\n1:\n2: 1=5\n";
  for (const auto& [name, text] : {std::pair<std::string, std::string>{"web.txt", edges},
                                   {"web", edges},
                                   {"web.mtx", entries},
                                   {"matrix.MTX", entries},
                                   {"matrix.txt", entries},
                                   {"web.gr", arcs},
                                   {"arcs", arcs},
                                   {"mark.txt", "\xef\xbb\xbf" + edges},
                                   {"mark", "\xef\xbb\xbf" + entries}}) {
    EXPECT_EQ(show(from_file(file(name, text))), expected) << name;
  }
  // METIS has both directions of an edge; what only looks like an edge list is one where the name says so.
  const std::string rows = "3 2\n3\n3\n1 2\n", both = "0: 2\n1: 2\n2: 0 1\n";
  for (const char* name : {"web.graph", "web.metis", "web.Graph"}) EXPECT_EQ(show(from_file(file(name, rows))), both);
  EXPECT_EQ(show(from_file(file("pairs.graph", "2 1\n2\n1\n"))), "0: 1\n1: 0\n");
  EXPECT_EQ(show(from_file(file("pairs.txt", "2 1\n"))), "0:\n1:\n2: 1\n");
  EXPECT_EQ(show(from_file(file("symmetric.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n"))),
            "0: 1\n1: 0\n");
}

TEST_F(ReadGraph, NamedReadersTakeAnyName) {
  const std::string edges = file("edges.graph", "0 1 0.5\r\n"), rows = file("rows.txt", "% a comment\n2 1\n2\n1\n");
  EXPECT_EQ(show(fromEdgeListFile(edges)), "0: 1=0.5\n1:\n");
  EXPECT_EQ(show(from_edge_list_file(edges, 2)), "0: 1=0.5\n1:\n");
  EXPECT_EQ(show(fromDimacsFile(rows)), "0: 1\n1: 0\n");
  EXPECT_EQ(show(from_dimacs_file(rows, 2)), "0: 1\n1: 0\n");
  EXPECT_EQ(show(from_file(rows, GraphFile::kDimacs10, 1)), "0: 1\n1: 0\n");
}

TEST_F(ReadGraph, SaysWhatIsWrongWithAFile) {
  const auto input_error = [](const std::string& path) { return error_of<InputError>([&] { from_file(path); }); };
  const auto format_error = [](const std::string& path) {
    return error_of<GraphFormatError>([&] { from_file(path); });
  };
  const std::string nowhere = folder() + "nowhere.txt";
  EXPECT_EQ(input_error(nowhere),
            "cannot read '" + nowhere + "': No such file or directory; give the path of a text file");
  EXPECT_EQ(input_error(folder()), "cannot read '" + folder() + "': Is a directory; give the path of a text file");
  std::string path = file("wide.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 3 1\n1 3\n");
  EXPECT_EQ(input_error(path),
            path + ": matrix has 2 rows and 3 columns; a graph needs a square one, with a row and a column per vertex");
  for (const auto& [start, remedy] : {std::pair("\x1f\x8b\x08", "gunzip"), {"\3757zXZ", "unxz"}, {"BZh9", "bunzip2"}}) {
    path = file("packed.txt", start);
    EXPECT_EQ(input_error(path), "'" + path + "' is compressed; only text is read here: use " + remedy + " first");
  }
  path = file("bad.txt", "0 1\n1 x\n");
  EXPECT_EQ(format_error(path).compare(0, path.size() + 3, path + ":2:"), 0) << format_error(path);
  for (const char* name : {"empty.txt", "empty.mtx", "empty.graph", "empty.gr"}) {
    EXPECT_NE(format_error(file(name, "")), "no error") << name;
  }
  EXPECT_EQ(error_of<InputError>([&] { from_file(file("good.txt", "0 1\n"), GraphFile::kAuto, -1); }),
            "num_threads is -1; use 1 or more, or 0 for as OpenMP is set");
}

}  // namespace
}  // namespace gaspipe
