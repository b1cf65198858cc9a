// SPDX-License-Identifier: Apache-2.0
// Against literal text, and read back by the parsers.
#include "gaspipe/write_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "../testing.h"
#include "gaspipe/edge_list.h"
#include "gaspipe/error.h"
#include "gaspipe/metis.h"

namespace gaspipe {
namespace {

using testing::array;
using testing::csr_of;
using testing::Edges;
using testing::list;

constexpr std::size_t kLargestPiece = std::size_t(16) << 20;

template <class T>
Csr weighted(VertexId n, const Edges& edges, const std::vector<T>& weights) {
  Workers workers(1);
  EdgeList list = testing::edge_list(n, edges);
  list.weights = array(weights);
  return build_csr(list, n, workers);
}

TextOptions as(TextFormat format) {
  TextOptions options;
  options.format = format;
  return options;
}

std::string text_of(const Csr& csr, const TextOptions& options = {}, int num_threads = 2, int* num_pieces = nullptr) {
  Workers workers(num_threads);
  GraphText text(std::make_shared<const Csr>(csr), options, workers);
  std::string all;
  for (std::string_view piece = text.next(); !piece.empty(); piece = text.next()) {
    EXPECT_LE(piece.size(), kLargestPiece);
    all += piece;
    if (num_pieces != nullptr) ++*num_pieces;
  }
  EXPECT_TRUE(text.next().empty());
  return all;
}

std::string refusal(const Csr& csr, const TextOptions& options) {
  try {
    text_of(csr, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

Csr parsed(const std::string& text, EdgeSyntax syntax = EdgeSyntax::kPlain) {
  Workers workers(2);
  EdgeListParser parser("web", workers, {syntax});
  parser.feed(text.data(), text.size());
  const EdgeList edges = parser.finish(false).edges;
  return build_csr(edges, edges.num_vertices, workers);
}

ParsedRows parsed_metis(const std::string& text, MetisDialect dialect = MetisDialect::kAuto) {
  Workers workers(1);
  MetisParser parser("web.graph", workers, dialect);
  parser.feed(text.data(), text.size());
  return parser.finish();
}

template <class T>
std::vector<T> weights_of(const Csr& csr) {
  const auto* weights = std::get_if<Array<T>>(&csr.weights);
  EXPECT_NE(weights, nullptr) << "weights of type " << csr.weights.index();
  return weights == nullptr ? std::vector<T>() : list(*weights);
}

void expect_same_structure(const Csr& one, const Csr& other) {
  ASSERT_EQ(one.num_rows, other.num_rows);
  for (std::size_t v = 0; v <= one.num_rows; ++v) ASSERT_EQ(one.offsets[v], other.offsets[v]) << v;
  EXPECT_EQ(list(one.targets), list(other.targets));
}

// Both directions of random edges, a run of isolated vertices and one hub whose row takes several pieces.
Csr undirected(VertexId n, std::size_t num_edges, VertexId hub_degree, unsigned seed,
               std::vector<std::int64_t>* weights) {
  std::mt19937 random(seed);
  Edges edges;
  for (VertexId v = 1; v <= hub_degree; ++v) edges.emplace_back(0, v);
  while (edges.size() < num_edges + hub_degree) {
    const VertexId u = 1 + random() % (n / 2 - 1), v = 1 + random() % (n / 2 - 1);
    if (u != v) edges.emplace_back(u, v);
  }
  Workers workers(2);
  const Csr once = simplify(csr_of(n, edges), {true, true}, workers);
  if (weights != nullptr) {  // equal in both directions
    for (std::uint64_t u = 0; u < n; ++u) {
      for (EdgeCount e = once.offsets[u]; e < once.offsets[u + 1]; ++e) {
        const std::uint64_t v = once.targets[e];
        weights->push_back(static_cast<std::int64_t>(1 + std::min(u, v) * 2654435761u + std::max(u, v)));
      }
    }
  }
  return once;
}

TEST(GraphText, WritesEdgeListsWithAHeader) {
  const Csr csr = csr_of(5, {{2, 0}, {0, 3}, {0, 1}, {0, 1}, {2, 2}});
  EXPECT_EQ(text_of(csr), "5 5\n0 3\n0 1\n0 1\n2 0\n2 2\n");
  TextOptions options;
  options.header = false;
  options.separator = '\t';
  EXPECT_EQ(text_of(csr, options), "0\t3\n0\t1\n0\t1\n2\t0\n2\t2\n");
  options.names = array<std::int64_t>({7, 0, std::numeric_limits<std::int64_t>::max(), 4294967296, 5});
  options.separator = ',';
  EXPECT_EQ(text_of(csr, options),
            "7,4294967296\n7,0\n7,0\n9223372036854775807,7\n9223372036854775807,9223372036854775807\n");
  EXPECT_EQ(text_of(csr_of(3, {})), "3 0\n");
  EXPECT_EQ(text_of(csr_of(3, {}),
                    [] {
                      TextOptions none;
                      none.header = false;
                      return none;
                    }()),
            "");
}

TEST(GraphText, WritesMatrixMarketWithTheTypeOfTheWeights) {
  const Edges edges = {{0, 1}, {2, 0}};
  const TextOptions options = as(TextFormat::kMatrixMarket);
  EXPECT_EQ(text_of(csr_of(3, edges), options), "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n3 1\n");
  EXPECT_EQ(text_of(weighted<std::int32_t>(3, edges, {-7, 0}), options),
            "%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 2 -7\n3 1 0\n");
  EXPECT_EQ(text_of(weighted<std::int64_t>(3, edges, {-7, 0}), options),
            "%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 2 -7\n3 1 0\n");
  EXPECT_EQ(text_of(weighted<float>(3, edges, {0.5f, 3}), options),
            "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 0.5\n3 1 3.0\n");
  TextOptions cut = options;
  cut.num_rows = 3;
  cut.num_columns = 2;
  EXPECT_EQ(text_of(weighted<double>(3, edges, {0.1, 1e300}), cut),
            "%%MatrixMarket matrix coordinate real general\n3 2 2\n1 2 0.1\n3 1 1e+300\n");
}

TEST(GraphText, WritesDimacs9WithWeightsOnly) {
  const TextOptions options = as(TextFormat::kDimacs9);
  EXPECT_EQ(text_of(weighted<std::int32_t>(3, {{0, 1}, {2, 0}}, {5, 6}), options), "p sp 3 2\na 1 2 5\na 3 1 6\n");
  EXPECT_NE(refusal(csr_of(2, {{0, 1}}), options).find("no weights"), std::string::npos);
}

TEST(GraphText, WritesMetisWithWhatThereIs) {
  const Edges path = {{0, 1}, {1, 2}, {1, 0}, {2, 1}};
  TextOptions options = as(TextFormat::kMetis);
  EXPECT_EQ(text_of(csr_of(4, path), options), "4 2\n2\n3 1\n2\n\n");
  EXPECT_EQ(text_of(csr_of(2, {}), options), "2 0\n\n\n");
  EXPECT_EQ(text_of(weighted<std::int32_t>(4, path, {5, 6, 5, 6}), options), "4 2 1\n2 5\n3 6 1 5\n2 6\n\n");
  EXPECT_EQ(text_of(weighted<double>(4, path, {5, 1e15, 5, 1e15}), options),
            "4 2 1\n2 5\n3 1000000000000000 1 5\n2 1000000000000000\n\n");
  options.vertex_sizes = array<std::int64_t>({9, 8, 7, 6});
  EXPECT_EQ(text_of(csr_of(4, path), options), "4 2 100\n9 2\n8 3 1\n7 2\n6\n");
  options.num_constraints = 1;
  options.vertex_weights = array<std::int64_t>({0, 1, 2, 3});
  EXPECT_EQ(text_of(csr_of(4, path), options), "4 2 110\n9 0 2\n8 1 3 1\n7 2 2\n6 3\n");
  options.num_constraints = 2;
  options.vertex_sizes = {};
  options.vertex_weights = array<std::int64_t>({0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(text_of(weighted<std::int64_t>(4, path, {5, 6, 5, 6}), options),
            "4 2 11 2\n0 1 2 5\n2 3 3 6 1 5\n4 5 2 6\n6 7\n");
  options = as(TextFormat::kMetis);
  options.is_multigraph = true;
  EXPECT_EQ(text_of(csr_of(3, {{0, 0}, {0, 1}, {0, 1}, {1, 0}, {1, 0}}), options), "3 5 100\n1 2 2\n1 1\n\n");
}

TEST(GraphText, WritesFloatingPointNumbersThatReadBackTheSame) {
  using Limits = std::numeric_limits<double>;
  const std::vector<double> values = {0.0,
                                      -0.0,
                                      1,
                                      -3,
                                      0.1,
                                      1.0 / 3,
                                      Limits::max(),
                                      Limits::lowest(),
                                      1e22,
                                      1e23,
                                      1e21,
                                      1e15,
                                      1e-05,
                                      Limits::epsilon(),
                                      Limits::min(),
                                      Limits::denorm_min(),
                                      -Limits::denorm_min(),
                                      123456789012345680000.0,
                                      9007199254740993.0,
                                      Limits::infinity(),
                                      -Limits::infinity(),
                                      Limits::quiet_NaN(),
                                      -Limits::quiet_NaN(),
                                      100000,
                                      1234567,
                                      4294967296.5};
  Edges edges;
  for (std::size_t i = 0; i < values.size(); ++i) edges.emplace_back(0, VertexId(i));
  const auto n = static_cast<VertexId>(values.size());
  for (const TextFormat format : {TextFormat::kEdgeList, TextFormat::kDimacs9}) {
    const EdgeSyntax syntax = format == TextFormat::kEdgeList ? EdgeSyntax::kPlain : EdgeSyntax::kDimacs9;
    for (std::size_t i = 0; i < values.size(); ++i) {  // alone, so that no other makes the column decimal
      const std::string text = text_of(weighted<double>(2, {{0, 1}}, {values[i]}), as(format));
      const std::vector<double> back = weights_of<double>(parsed(text, syntax));
      ASSERT_EQ(back.size(), 1u) << text;
      if (std::isnan(values[i])) {
        EXPECT_TRUE(std::isnan(back[0])) << text;
      } else {
        EXPECT_EQ(std::memcmp(&back[0], &values[i], sizeof(double)), 0) << text;
      }
    }
    EXPECT_EQ(weights_of<double>(parsed(text_of(weighted(n, edges, values), as(format)), syntax)).size(), n);
  }
}

TEST(GraphText, WritesRandomBitsOfBothWidthsWithoutLoss) {
  const unsigned seed = 11;
  std::mt19937_64 random(seed);
  std::vector<double> doubles;
  std::vector<float> floats;
  Edges edges;
  while (doubles.size() < 20000) {
    const std::uint64_t bits = random();
    const auto half = static_cast<std::uint32_t>(random());
    double wide;
    float narrow;
    std::memcpy(&wide, &bits, sizeof wide);
    std::memcpy(&narrow, &half, sizeof narrow);
    if (std::isnan(wide) || std::isnan(narrow)) continue;
    doubles.push_back(wide);
    floats.push_back(narrow);
    edges.emplace_back(VertexId(edges.size() / 7), VertexId(edges.size() % 7));
  }
  EXPECT_EQ(weights_of<double>(parsed(text_of(weighted(5000, edges, doubles)))), doubles) << "seed " << seed;
  const std::vector<double> widened(floats.begin(), floats.end());
  EXPECT_EQ(weights_of<double>(parsed(text_of(weighted(5000, edges, floats)))), widened) << "seed " << seed;
}

TEST(GraphText, WritesIntegersOfAllSizes) {
  const std::vector<std::int64_t> values = {std::numeric_limits<std::int64_t>::min(), -1, 0, 9, 10, 99, 100, 2147483648,
                                            std::numeric_limits<std::int64_t>::max()};
  Edges edges;
  for (std::size_t i = 0; i < values.size(); ++i) edges.emplace_back(VertexId(i % 3), VertexId(i));
  const Csr csr = weighted(9, edges, values);
  EXPECT_EQ(weights_of<std::int64_t>(parsed(text_of(csr))), weights_of<std::int64_t>(csr));
}

// Rows longer than a chunk (2048 items) and a piece (64 chunks), rows that end with them, many empty rows.
TEST(GraphText, CutsRowsAnywhere) {
  for (const int num_threads : {1, 3}) {
    for (const unsigned seed : {1u, 2u}) {
      std::mt19937 random(seed);
      Edges edges;
      const VertexId n = 200000;
      for (int i = 0; i < 150000; ++i) edges.emplace_back(3, random() % n);
      for (int i = 0; i < 2043; ++i) edges.emplace_back(1, random() % n);
      for (int i = 0; i < 3000; ++i) edges.emplace_back(n - 1 - random() % 5, random() % n);
      const Csr csr = csr_of(n, edges);
      int num_pieces = 0;
      const std::string text = text_of(csr, {}, num_threads, &num_pieces);
      EXPECT_GT(num_pieces, 1);
      expect_same_structure(csr, parsed(text));
      EXPECT_EQ(text, text_of(csr, {}, 1));
    }
  }
}

TEST(GraphText, CutsMetisRowsAnywhere) {
  for (const VertexId hub : {0u, 2000u, 2047u, 2048u, 140000u}) {
    std::vector<std::int64_t> weights;
    Csr csr = undirected(300000, 20000, hub, 5, &weights);
    int num_pieces = 0;
    const std::string text = text_of(csr, as(TextFormat::kMetis), 3, &num_pieces);
    EXPECT_GT(num_pieces, 1);
    expect_same_structure(csr, parsed_metis(text).csr);
    csr.weights = array(weights);
    const Csr back = parsed_metis(text_of(csr, as(TextFormat::kMetis))).csr;
    expect_same_structure(csr, back);
    EXPECT_EQ(weights_of<std::int64_t>(back), weights);
  }
}

TEST(GraphText, WritesManyConstraintsOfVertices) {
  for (const std::uint64_t ncon : {1u, 2u, 63u, 5000u}) {
    std::mt19937_64 random(3);
    const VertexId n = 301;
    const Csr csr = undirected(n, 600, 100, 9, nullptr);
    TextOptions options = as(TextFormat::kMetis);
    std::vector<std::int64_t> weights(n * ncon), sizes(n);
    for (auto& weight : weights) weight = static_cast<std::int64_t>(random() >> 1);
    for (auto& size : sizes) size = static_cast<std::int64_t>(random() >> 1);
    options.num_constraints = ncon;
    options.vertex_weights = array(weights);
    options.vertex_sizes = array(sizes);
    const ParsedRows back = parsed_metis(text_of(csr, options));
    expect_same_structure(csr, back.csr);
    EXPECT_EQ(back.num_constraints, ncon);
    EXPECT_EQ(list(back.vertex_weights), weights);
    EXPECT_EQ(list(back.vertex_sizes), sizes);
  }
}

TEST(GraphText, KeepsUnsortedRowsAndParallelEdgesInDimacs10) {
  TextOptions options = as(TextFormat::kMetis);
  options.is_multigraph = true;
  const Edges edges = {{0, 2}, {0, 1}, {0, 0}, {0, 2}, {1, 0}, {2, 0}, {2, 0}};
  const Csr csr = weighted<std::int32_t>(4, edges, {9, 4, 7, 8, 4, 8, 9});
  const Csr back = parsed_metis(text_of(csr, options), MetisDialect::kDimacs10).csr;
  expect_same_structure(csr, back);
  EXPECT_EQ(weights_of<std::int32_t>(back), weights_of<std::int32_t>(csr));
  expect_same_structure(csr_of(4, edges), parsed_metis(text_of(csr_of(4, edges), options)).csr);
  expect_same_structure(csr_of(4, {}), parsed_metis(text_of(csr_of(4, {}), options)).csr);
}

TEST(GraphText, RefusesWhatMetisCannotSay) {
  const TextOptions options = as(TextFormat::kMetis);
  const auto expect = [&](const Csr& csr, const TextOptions& given, const std::string& start) {
    EXPECT_EQ(refusal(csr, given).substr(0, start.size()), start);
  };
  expect(csr_of(4, {{0, 1}, {1, 0}, {2, 3}}), options, "edge 2 -> 3 has no edge back");
  expect(csr_of(4, {{0, 1}, {1, 0}, {3, 1}}), options, "edge 3 -> 1 has no edge back");
  expect(csr_of(4, {{1, 0}, {1, 2}, {2, 1}}), options, "edge 1 -> 0 has no edge back");
  EXPECT_NE(refusal(csr_of(2, {{0, 1}}), options).find("use symmetrize() or another format"), std::string::npos);
  expect(csr_of(2, {{0, 1}, {0, 1}, {1, 0}, {1, 0}}), options, "edge 0 -> 1 is there twice");
  expect(csr_of(3, {{0, 1}, {1, 0}, {2, 2}}), options, "vertex 2 has an edge to itself");
  const Edges both = {{0, 1}, {1, 0}};
  expect(weighted<std::int32_t>(2, both, {1, 2}), options, "edge 0 -> 1 has another weight");
  expect(weighted<std::int32_t>(2, both, {1, 0}), options, "edge 1 -> 0 has the weight 0;");
  expect(weighted<std::int64_t>(2, both, {-5, 1}), options, "edge 0 -> 1 has the weight -5;");
  expect(weighted<double>(2, both, {1, 1.5}), options, "edge 1 -> 0 has the weight 1.5;");
  expect(weighted<double>(2, both, {9223372036854775808.0, 1}), options,
         "edge 0 -> 1 has the weight 9223372036854775808.0;");
  for (const float bad :
       {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN(), 0.5f, -1.f}) {
    expect(weighted<float>(2, both, {bad, bad}), options, "edge 0 -> 1 has the weight ");
  }
  TextOptions loose = options;
  loose.is_multigraph = true;
  expect(csr_of(3, {{0, 1}, {0, 1}, {1, 0}, {1, 1}}), loose, "edge 0 -> 1 has no edge back");
  expect(weighted<std::int32_t>(2, {{0, 1}, {0, 1}, {1, 0}, {1, 0}}, {1, 2, 2, 2}), loose,
         "edge 0 -> 1 has another weight");
  loose.vertex_sizes = array<std::int64_t>({1, 1});
  expect(csr_of(2, both), loose, "vertices have sizes");
  TextOptions with_data = options;
  with_data.vertex_sizes = array<std::int64_t>({1});
  expect(csr_of(2, both), with_data, "found 1 sizes of vertices; 2 vertices need 2");
  with_data.vertex_sizes = array<std::int64_t>({1, -1});
  expect(csr_of(2, both), with_data, "vertex 1 has the size -1");
  with_data.vertex_sizes = {};
  with_data.num_constraints = 2;
  with_data.vertex_weights = array<std::int64_t>({1, 2, -3, 4});
  expect(csr_of(2, both), with_data, "vertex 1 has the weight -3");
}

TEST(GraphText, RefusesNamesThatAreNone) {
  TextOptions options;
  options.names = array<std::int64_t>({1, -2});
  EXPECT_EQ(refusal(csr_of(2, {{0, 1}}), options), "vertex 1 has the label -2; ids in an edge list are 0 or larger");
  options.names = array<std::int64_t>({1});
  EXPECT_EQ(refusal(csr_of(2, {{0, 1}}), options), "found 1 names for 2 vertices; the two must be equal");
}

TEST(GraphText, StopsWhenInterrupted) {
  bool is_interrupted = false;
  Workers workers(2, [&] { return is_interrupted; });
  const auto csr = std::make_shared<const Csr>(csr_of(1000, testing::random_edges(1000, 3000000, 4)));
  GraphText text(csr, {}, workers);
  EXPECT_FALSE(text.next().empty());
  is_interrupted = true;
  EXPECT_THROW(while (!text.next().empty()){}, Cancelled);
}

}  // namespace
}  // namespace gaspipe
