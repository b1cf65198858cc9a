// SPDX-License-Identifier: Apache-2.0
// Runs over edges that stay in a file, beside runs in memory.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <utility>

#include "cpp/src/run/number_formats.h"
#include "gaspipe/edge_blocks.h"
#include "gaspipe/paths.h"
#include "gaspipe/run.h"
#include "gaspipe/stored_edges.h"
#include "tests/cpp/testing.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;

// A file that is gone when the test is.
class Scratch {
 public:
  Scratch() : descriptor_(::mkstemp(name_.data())) { EXPECT_GE(descriptor_, 0); }
  ~Scratch() {
    ::close(descriptor_);
    ::unlink(name_.c_str());
  }
  int descriptor() const { return descriptor_; }
  const std::string& name() const { return name_; }

 private:
  std::string name_ = ::testing::TempDir() + "gaspipe-stream-XXXXXX";
  int descriptor_;
};

StoredView write(const Csr& rows, std::uint32_t weight_bytes, std::uint32_t most_edges, int descriptor) {
  struct Edge {
    VertexId source, destination;
    EdgeCount place;
  };
  std::vector<std::vector<Edge>> partitions(rows.num_columns / kBlockCapacity + 1);
  std::vector<std::pair<VertexId, EdgeCount>> row;  // destinations, and the places of their edges
  for (VertexId u = 0; u < rows.num_rows; ++u) {
    row.clear();
    const EdgeCount end = rows.offsets[std::size_t(u) + 1];
    for (EdgeCount e = rows.offsets[u]; e < end; ++e) row.emplace_back(rows.targets[e], e);
    if (row.size() > 1) std::sort(row.begin(), row.end());
    for (const auto& [destination, place] : row) {
      partitions[destination / kBlockCapacity].push_back({u, destination, place});
    }
  }
  StoredView view;
  const auto end = [&] { return static_cast<std::uint64_t>(::lseek(descriptor, 0, SEEK_END)); };
  const auto pad = [&] {
    const char zeros[kBlockAlignment] = {};
    EXPECT_GE(::write(descriptor, zeros, (kBlockAlignment - end() % kBlockAlignment) % kBlockAlignment), 0);
  };
  pad();
  view.first_byte = end();
  BlockWriter writer(
      weight_bytes,
      [&](BlockEntry entry, const std::uint8_t* bytes) {
        pad();
        entry.start = end() - view.first_byte;
        EXPECT_EQ(::write(descriptor, bytes, entry.bytes), static_cast<ssize_t>(entry.bytes));
        view.blocks.push_back(entry);
      },
      most_edges);
  const auto* weights = std::get_if<Array<std::int32_t>>(&rows.weights);
  for (const std::vector<Edge>& edges : partitions) {
    for (const Edge& edge : edges) {
      writer.add(edge.source, edge.destination, weights == nullptr ? nullptr : weights->data() + edge.place);
    }
  }
  writer.finish();
  return view;
}

struct Storing {
  std::uint64_t memory = std::uint64_t(1) << 40;
  std::uint32_t most_edges = 5000;
  bool with_all_views = true;
};

Graph stored(const Graph& graph, const Scratch& scratch, const Storing& how = {}) {
  Workers workers(2);
  const Csr& csr = *graph.csr();
  const abi::Scalar type = weight_type(csr);
  const std::uint32_t weight_bytes = type == abi::kNone ? 0 : 4;
  std::array<std::optional<StoredView>, 3> views;
  for (const View view : {View::kForward, View::kReverse, View::kUndirected}) {
    if (view != View::kForward && !how.with_all_views) continue;
    views[static_cast<std::size_t>(view)] =
        write(*graph.view(view, workers), weight_bytes, how.most_edges, scratch.descriptor());
  }
  const StoredFacts facts{graph.is_symmetric(workers), false, graph.weight_facts(workers).negative_or_nan,
                          graph.largest_weight(workers)};
  Csr skeleton = csr;
  skeleton.targets = Array<VertexId>(nullptr, nullptr, csr.num_edges());
  if (type != abi::kNone) skeleton.weights = Array<std::int32_t>(nullptr, nullptr, csr.num_edges());
  const auto file = std::make_shared<const ReadFile>(scratch.name(), scratch.descriptor());
  return Graph(std::move(skeleton), graph.num_rows(), graph.num_columns(),
               std::make_shared<const StoredEdges>(file, csr.num_rows, type, facts, std::move(views), how.memory));
}

Graph weighted_graph(VertexId n, std::size_t num_edges, unsigned seed) {
  Csr csr = csr_of(n, random_edges(n, num_edges, seed));
  std::mt19937 random(seed);
  std::vector<std::int32_t> weights(csr.num_edges());
  for (std::int32_t& weight : weights) weight = 1 + random() % 100;
  csr.weights = array(weights);
  return Graph(std::move(csr));
}

std::vector<std::uint8_t> values_of(const char* program, const Graph& graph, int num_threads,
                                    const Arguments& arguments = {}) {
  RunOptions options;
  options.num_threads = num_threads;
  const Result result = run(find_program(program), graph, arguments, options);
  return {result.values.begin(), result.values.end()};
}

Arguments steps(std::int64_t number) { return {{"max_iter", number}, {"tol", 0.0}}; }

TEST(StreamedRun, HasTheIntegersOfARunInMemory) {
  const Graph graph = weighted_graph(70000, 95000, 3);
  const Scratch scratch;
  const Graph on_disk = stored(graph, scratch);
  for (const char* program : {"bfs", "wcc", "sssp"}) {
    const auto expected = values_of(program, graph, 2);
    for (const int num_threads : {1, 2, 5}) EXPECT_EQ(values_of(program, on_disk, num_threads), expected) << program;
  }
}

TEST(StreamedRun, HasTheFloatsOfARunInMemoryToRounding) {
  const Graph graph = weighted_graph(70000, 120000, 4);
  const Scratch scratch;
  const Graph on_disk = stored(graph, scratch);
  const auto floats = [](const std::vector<std::uint8_t>& bytes) {
    std::vector<double> values(bytes.size() / sizeof(double));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  };
  const auto expected = floats(values_of("pagerank", graph, 2, steps(5))),
             found = floats(values_of("pagerank", on_disk, 2, steps(5)));
  ASSERT_EQ(expected.size(), found.size());
  for (std::size_t v = 0; v < expected.size(); ++v) ASSERT_NEAR(found[v], expected[v], 1e-12 * expected[v]);
  EXPECT_EQ(floats(values_of("pagerank", on_disk, 5, steps(5))), found) << "for any number of threads";
}

// An edge's share depends on those before it in its row, which has edges in three partitions.
TEST(StreamedRun, HasTheSharesOfRowsInFixedPoint) {
  Workers workers(2);
  const Graph random = weighted_graph(140000, 160000, 6);
  const Graph graph(transpose(transpose(*random.csr(), workers), workers));  // rows in the order of files
  const Scratch scratch;
  const Graph on_disk = stored(graph, scratch);
  RunOptions options;
  options.number = "fixed";
  const Result expected = run(find_program("weighted_pagerank"), graph, steps(3), options);
  for (const int num_threads : {1, 3}) {
    options.num_threads = num_threads;
    const Result found = run(find_program("weighted_pagerank"), on_disk, steps(3), options);
    EXPECT_EQ(std::memcmp(found.values.data(), expected.values.data(), expected.values.size()), 0);
    EXPECT_EQ(found.stats.scale_bits, expected.stats.scale_bits);
    ASSERT_TRUE(found.stats.stream);
    EXPECT_GT(found.stats.stream->bytes_read, 0u);
  }
}

// A sum of 2^17 equal floats of several blocks: adding one after the other loses a thousandth.
TEST(StreamedRun, LosesNoLongSum) {
  const VertexId n = 1 << 17;
  Edges edges;
  for (VertexId v = 1; v < n; ++v) edges.emplace_back(v, 0);
  const Graph graph = graph_of(n, edges);
  const Scratch scratch;
  const Graph on_disk = stored(graph, scratch, {std::uint64_t(1) << 40, 1 << 15, false});
  RunOptions options;
  options.number = "float32";
  const Result exact = run(find_program("pagerank"), graph, steps(2), RunOptions());
  const Result found = run(find_program("pagerank"), on_disk, steps(2), options);
  const double hub = *reinterpret_cast<const double*>(exact.values.data());
  const double streamed = found.type == abi::kFloat32 ? *reinterpret_cast<const float*>(found.values.data())
                                                      : *reinterpret_cast<const double*>(found.values.data());
  EXPECT_NEAR(streamed, hub, 1e-4 * hub);
}

TEST(StreamedRun, PassesOverBlocksWithoutActiveSources) {
  const VertexId n = 200000;
  Edges path;
  for (VertexId v = 0; v < 40; ++v) path.emplace_back(v, v + 1);
  for (VertexId v = 1000; v + 1 < n; ++v) path.emplace_back(v, v + 1);  // never reached
  const Graph graph = graph_of(n, path);
  const Scratch scratch;
  const Graph on_disk = stored(graph, scratch, {std::uint64_t(1) << 40, 1000, false});
  const Result result = run(find_program("bfs"), on_disk, {}, {});
  ASSERT_TRUE(result.stats.stream);
  EXPECT_GT(result.stats.stream->blocks_passed_over, 30u * 190);
  EXPECT_LT(result.stats.stream->bytes_read, 60u * 8000);
}

TEST(StreamedRun, ReadsNoBlockThatIsNotWhatWasWritten) {
  const Graph graph = graph_of(80000, random_edges(80000, 100000, 1));
  for (const bool is_cut : {false, true}) {
    const Scratch scratch;
    const Graph on_disk = stored(graph, scratch, {std::uint64_t(1) << 40, 5000, false});
    struct stat facts;
    ::fstat(scratch.descriptor(), &facts);
    if (is_cut) {
      ASSERT_EQ(::ftruncate(scratch.descriptor(), facts.st_size - 100), 0);
    } else {
      char byte;
      ASSERT_EQ(::pread(scratch.descriptor(), &byte, 1, facts.st_size / 2), 1);
      byte ^= 4;
      ASSERT_EQ(::pwrite(scratch.descriptor(), &byte, 1, facts.st_size / 2), 1);
    }
    EXPECT_THROW(values_of("pagerank", on_disk, 2), GraphFormatError) << "it says when it was written to";
    const timespec times[] = {facts.st_atim, facts.st_mtim};
    ::futimens(scratch.descriptor(), times);
    EXPECT_THROW(values_of("pagerank", on_disk, 2), GraphFormatError);
  }
}

// What the process takes when the graph is loaded is in it, and grows from attempt to attempt: freed memory stays,
// under AddressSanitizer most of it. Then an attempt is refused again, and has to ask for more than it got.
TEST(StreamedRun, TellsTheLeastBudget) {
  const Graph graph = graph_of(80000, random_edges(80000, 100000, 1));
  std::uint64_t memory = 1;
  for (int attempt = 0; attempt < 50; ++attempt) {
    const Scratch scratch;
    try {
      values_of("pagerank", stored(graph, scratch, {memory, 5000, false}), 2);
      EXPECT_GT(attempt, 0);
      return;
    } catch (const CapacityError& error) {
      const std::string text = error.what(), before = "needs at least ";
      const std::uint64_t least = std::stoull(text.substr(text.find(before) + before.size())) * 1000000;
      ASSERT_GT(least, memory) << text;
      memory = least;
    }
  }
  FAIL() << "the last attempt had " << memory << " bytes";
}

TEST(StreamedRun, NamesTheViewThatIsMissing) {
  const Graph graph = graph_of(1000, random_edges(1000, 3000, 1));
  const Scratch scratch;
  const Graph on_disk = stored(graph, scratch, {std::uint64_t(1) << 40, 5000, false});
  EXPECT_THROW(values_of("wcc", on_disk, 1), InputError);
  EXPECT_THROW(on_disk.csr(), InputError);
  Workers workers(1);
  EXPECT_THROW(on_disk.view(View::kForward, workers), InputError);
  EXPECT_THROW(on_disk.transpose(workers), InputError);
}

TEST(StreamedRun, FindsTheSmallestPredecessors) {
  const Graph graph = weighted_graph(70000, 100000, 9);
  const Scratch scratch;
  const Graph on_disk = stored(graph, scratch);
  Workers workers(2);
  const auto check = [&](const auto& distances) {
    EXPECT_EQ(list(predecessors(on_disk, distances, 0, workers)), list(predecessors(graph, distances, 0, workers)));
  };
  const auto distances_of = [&](const char* program, auto kind) {
    const Result result = run(find_program(program), graph, {}, {});
    const auto* first = reinterpret_cast<const decltype(kind)*>(result.values.data());
    return array(std::vector<decltype(kind)>(first, first + result.size));
  };
  check(distances_of("bfs", std::int32_t()));
  check(distances_of("sssp", std::int64_t()));
}

}  // namespace
}  // namespace gaspipe
