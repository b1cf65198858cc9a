// SPDX-License-Identifier: Apache-2.0
// Plans of designs with two kinds of pipelines: estimates beside plain loops over the same edges, and what every plan
// must be.
#include "../../../cpp/src/predict/pipeline_plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <map>
#include <numeric>

#include "../../../cpp/src/predict/line_estimate.h"
#include "tests/cpp/testing.h"

namespace gaspipe {
namespace predict {
namespace {

using namespace gaspipe::testing;

constexpr unsigned kSeed = 11;

// ReGraph's and ours, small enough for small graphs to have many partitions.
PipelineShape small(const PipelineShape& shape) {
  PipelineShape made = shape;
  made.dense.capacity = 64;
  made.sparse.capacity = 256;
  made.dense.num_pipelines = 3;
  made.sparse.num_pipelines = 2;
  return made;
}

std::vector<VertexId> ascending_sources(std::size_t num, VertexId below) {
  std::mt19937 random(kSeed);
  std::vector<VertexId> sources(num);
  for (VertexId& source : sources) source = static_cast<VertexId>(std::pow(random() / 4294967296.0, 3) * below);
  std::sort(sources.begin(), sources.end());
  return sources;
}

LineEstimate estimated(Estimator estimator, const std::vector<VertexId>& sources, const WordRates& rates = {}) {
  LineEstimate estimate(estimator, 16, rates, true);
  for (const VertexId source : sources) estimate.add(source, 0);
  estimate.finish();
  return estimate;
}

TEST(LineEstimate, IsThePublishedOneForLittlePipelines) {
  for (const std::size_t num : {1, 64, 65, 5000, 20000}) {
    for (const VertexId below : {40, 3000, 4000000}) {
      const auto sources = ascending_sources(num, below);
      std::uint64_t cycles = 0, last = 0;
      for (std::size_t window = 1; 64 * window < num; ++window) {
        const std::uint64_t source = sources[64 * window];
        cycles += std::max<std::uint64_t>((source - last) / 10, 64 / 8);
        last = source;
      }
      EXPECT_EQ(estimated(Estimator::kLittle, sources).cycles(), static_cast<double>(cycles)) << num << " " << below;
    }
  }
  // 129 edges: two windows, of 8 cycles and of (1000 - 10) / 10.
  std::vector<VertexId> sources(64, 0);
  sources.insert(sources.end(), 64, 10);
  sources.push_back(1000);
  EXPECT_EQ(estimated(Estimator::kLittle, sources).cycles(), 8 + 99);
}

TEST(LineEstimate, IsThePublishedOneForBigPipelines) {
  for (const std::size_t num : {1, 4096, 4097, 30000}) {
    for (const VertexId below : {40, 90000, 4000000}) {
      const auto sources = ascending_sources(num, below);
      unsigned cycles = 0, last = 0;
      double access = 0;
      for (std::size_t edge = 0; edge < num; ++edge) {
        const unsigned line = sources[edge] >> 4;
        if (line != last) access += std::max(1.0, (line - last) / 16.0);
        last = line;
        if (edge % 4096 != 0) continue;
        cycles = static_cast<unsigned>(cycles + access + 4096 / 8);
        access = 0;
      }
      EXPECT_EQ(estimated(Estimator::kBig, sources).cycles(), cycles) << num << " " << below;
    }
  }
}

TEST(LineEstimate, OfOursIsBoundByEdgesOrLines) {
  for (const VertexId below : {40, 3000, 4000000}) {
    const auto sources = ascending_sources(20000, below);
    // A line is read where it is not that of the source before, and a word of edges takes a cycle or as many as it
    // needs lines.
    double dense = 0;
    std::vector<std::uint64_t> touched;
    for (std::size_t word = 0; word < sources.size() / 16; ++word) {
      const std::size_t before = touched.size();
      for (std::size_t edge = 16 * word; edge < 16 * word + 16; ++edge) {
        if (touched.empty() || touched.back() != sources[edge] / 16) touched.push_back(sources[edge] / 16);
      }
      dense += static_cast<double>(std::max<std::size_t>(1, touched.size() - before));
    }
    EXPECT_EQ(estimated(Estimator::kDense, sources).cycles(), dense);
    EXPECT_EQ(estimated(Estimator::kDense, sources).lines(), touched.size());
    const LineEstimate sparse = estimated(Estimator::kSparse, sources);
    EXPECT_EQ(sparse.lines(), touched.size());
    EXPECT_GE(sparse.cycles(), std::max<double>(20000 / 16, static_cast<double>(touched.size() - 1)));
    // Weights: every word takes longer, and no line.
    EXPECT_GE(estimated(Estimator::kSparse, sources, {7, 0, 0}).cycles(), 7 * 20000 / 16);
    EXPECT_LE(estimated(Estimator::kSparse, sources, {7, 0, 0}).cycles(), sparse.cycles() + 7 * 20000 / 16 + 7);
  }
}

// Weights come from the channel of lines too, so that may be the slower one.
TEST(LineEstimate, HasTheWeightsThatComeFromTheChannelOfLines) {
  constexpr double kWords = 20000 / 16, kQueued = 130;
  for (const VertexId below : {40, 3000, 100000, 4000000}) {
    const auto sources = ascending_sources(20000, below);
    const LineEstimate without = estimated(Estimator::kDense, sources, {1.25, 0, 0});
    for (const double far : {0.75, 1.5, 3.0}) {
      const double cycles = estimated(Estimator::kDense, sources, {1.25, far, 0}).cycles();
      const double channel = static_cast<double>(without.lines()) + far * kWords;
      EXPECT_GE(cycles, std::max(channel, without.cycles()) - 1) << below << ", " << far;
      // All the time either the one is the slower, or the other.
      if (below < 100000 || far == 3.0) {
        EXPECT_LE(cycles, std::max(channel, without.cycles()) + kQueued) << below << ", " << far;
      }
      const double sparse = estimated(Estimator::kSparse, sources, {1, far, 0}).cycles();
      EXPECT_NEAR(sparse, std::max(channel, kWords), 0.03 * sparse) << below << ", " << far;
    }
  }
}

// Cycle by cycle: 16 lanes with a queue of 16 updates each, of which the first leaves where the last of its row did so
// `apart` cycles before; a word of updates comes where all have room.
std::uint64_t cycles_of_lanes(const std::vector<std::uint32_t>& rows, std::uint64_t apart) {
  std::vector<std::deque<std::uint32_t>> queues(16);
  std::vector<std::map<std::uint32_t, std::uint64_t>> left(16);
  std::uint64_t now = 0, words = 0;
  while (16 * words < rows.size()) {
    ++now;
    for (std::size_t lane = 0; lane < 16; ++lane) {
      if (queues[lane].empty()) continue;
      const auto before = left[lane].find(queues[lane].front());
      if (before != left[lane].end() && before->second + apart > now) continue;
      left[lane][queues[lane].front()] = now;
      queues[lane].pop_front();
    }
    if (std::any_of(queues.begin(), queues.end(), [](const auto& queue) { return queue.size() == 16; })) continue;
    for (std::size_t lane = 0; lane < 16; ++lane) queues[lane].push_back(rows[16 * words + lane]);
    ++words;
  }
  return now;
}
TEST(LineEstimate, HasTheCyclesInWhichLanesHoldUpdatesBack) {
  std::mt19937 random(kSeed);
  for (const int apart : {6, 11, 12}) {
    for (const std::uint32_t num_rows : {1u, 2u, 5u, 11u, 40u, 1000u, 16384u}) {
      std::vector<std::uint32_t> rows(16 * 3000);
      for (std::uint32_t& row : rows) row = std::min(random(), random()) % num_rows;
      LineEstimate estimate(Estimator::kDense, 16, {1, 0, apart}, true);
      for (const std::uint32_t row : rows) estimate.add(7, row);
      estimate.finish();
      const auto expected = static_cast<double>(cycles_of_lanes(rows, static_cast<std::uint64_t>(apart)));
      EXPECT_NEAR(estimate.cycles(), expected, 0.002 * expected + 4) << num_rows << " rows, " << apart << " apart";
    }
  }
}

class Plans : public ::testing::TestWithParam<const PipelineShape*> {
 protected:
  Plans() : shape_(small(*GetParam())), csr_(csr_of(3000, random_edges(3000, 90000, kSeed))) {
    // Skewed: the ends of half the edges are among the first.
    std::vector<VertexId> targets(csr_.targets.begin(), csr_.targets.end());
    for (std::size_t e = 0; e < targets.size(); e += 2) targets[e] = targets[e] * (targets[e] / 4) % 257;
    csr_.targets = array(targets);
  }
  PipelinePlan plan(int num_dense = -1) {
    PlanOptions options;
    options.num_dense_partitions = num_dense;
    Workers workers(1);
    return plan_pipelines(csr_, shape_, options, workers);
  }
  // By pipeline.
  std::vector<double> loads(const PipelinePlan& plan) const {
    std::vector<double> loads(5);
    for (const PlannedSlice& slice : plan.slices) {
      loads[static_cast<std::size_t>(slice.pipeline)] +=
          slice.cycles + flush_cycles(shape_, PlanOptions(), plan.partitions[slice.partition]);
    }
    return loads;
  }

  PipelineShape shape_;
  Csr csr_;
};

TEST_P(Plans, NumberVerticesByInDegreeAndHaveTheMapBack) {
  const PipelinePlan made = plan();
  std::vector<EdgeCount> degrees(csr_.num_columns);
  for (const VertexId target : csr_.targets) ++degrees[target];
  for (VertexId v = 0; v < csr_.num_columns; ++v) EXPECT_EQ(made.vertices[made.numbers[v]], v);
  for (std::size_t i = 1; i < made.vertices.size(); ++i) {
    ASSERT_GE(degrees[made.vertices[i - 1]], degrees[made.vertices[i]]);
  }
}

TEST_P(Plans, GiveEveryEdgeToOnePipelineOfItsKind) {
  const PipelinePlan made = plan();
  std::vector<EdgeCount> into(made.partitions.size());
  std::size_t at = 0;
  for (VertexId number = 0; number < csr_.num_columns; ++number) {
    while (at < into.size() && number >= made.partitions[at].last) ++at;
    for (EdgeCount e = 0; e < csr_.num_edges(); ++e) {
      if (csr_.targets[e] == made.vertices[number]) ++into.at(at);
    }
    if (number > 400) break;  // the first partitions will do: this looks at all edges for each vertex
  }
  EXPECT_EQ(into[0], made.partitions[0].num_edges);
  std::vector<EdgeCount> next(made.partitions.size());
  std::vector<double> cycles(made.partitions.size());
  std::vector<PlannedSlice> slices = made.slices;
  std::stable_sort(slices.begin(), slices.end(), [](const PlannedSlice& a, const PlannedSlice& b) {
    return a.partition != b.partition ? a.partition < b.partition : a.first_edge < b.first_edge;
  });
  for (const PlannedSlice& slice : slices) {
    const PlannedPartition& partition = made.partitions[slice.partition];
    EXPECT_EQ(slice.first_edge, next[slice.partition]);
    next[slice.partition] = slice.last_edge;
    cycles[slice.partition] += slice.cycles;
    EXPECT_EQ(partition.is_dense, slice.pipeline < shape_.dense.num_pipelines);
    EXPECT_EQ(partition.is_dense, slice.partition < made.num_dense);
    EXPECT_LE(partition.last - partition.first, kind_of(shape_, partition.is_dense).capacity);
  }
  EdgeCount all = 0;
  for (std::size_t p = 0; p < next.size(); ++p) {
    EXPECT_EQ(next[p], made.partitions[p].num_edges);
    EXPECT_NEAR(cycles[p], made.partitions[p].cycles, 1e-6);
    all += next[p];
  }
  EXPECT_EQ(all, csr_.num_edges());
}

TEST_P(Plans, MakeAsManyPartitionsDenseAsBalanceBothKinds) {
  const auto longest = [&](const PipelinePlan& plan) {
    const std::vector<double> all = loads(plan);
    return *std::max_element(all.begin(), all.end());
  };
  const PipelinePlan chosen = plan();
  EXPECT_GT(chosen.num_dense, 0u);
  EXPECT_LT(chosen.num_dense, chosen.partitions.size());
  double best = 1e30;
  for (int num = 0; num <= 47; ++num) best = std::min(best, longest(plan(num)));
  // Whole windows of 4,096 edges are the least that a cut moves.
  EXPECT_LE(longest(chosen), best * 1.15 + 512);
}

TEST_P(Plans, CutWhereTheDesignSays) {
  const PipelinePlan made = plan();
  std::vector<int> slices(made.partitions.size());
  for (const PlannedSlice& slice : made.slices) ++slices[slice.partition];
  const std::size_t num_slices = made.slices.size();
  if (shape_.is_cut_everywhere) {
    for (std::size_t p = 0; p < slices.size(); ++p) EXPECT_EQ(slices[p], p < made.num_dense ? 3 : 2);
  } else {
    EXPECT_LE(num_slices, made.partitions.size() + 3);  // between pipelines only
    const std::vector<double> all = loads(made);
    const double mean = (all[0] + all[1] + all[2]) / 3;
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(all[static_cast<std::size_t>(k)], mean, mean * 0.1 + 64);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Plans, ::testing::Values(&kReGraph, &kHbm),
                         [](const auto& shape) { return shape.param == &kHbm ? "hbm" : "regraph"; });

}  // namespace
}  // namespace predict
}  // namespace gaspipe
