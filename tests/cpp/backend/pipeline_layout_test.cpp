// SPDX-License-Identifier: Apache-2.0
// The layout of a design with two kinds of pipelines, decoded edge by edge, beside the graph.
#include "cpp/src/backend/pipeline_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "gaspipe/error.h"
#include "hls/edge_codec.h"
#include "hls/module/sub_partition.h"
#include "tests/cpp/testing.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;

constexpr int kPipelines = 5;
constexpr VertexId kVertices = 100000;  // gaps of sources that one word cannot bridge

struct Made {
  explicit Made(std::uint64_t weight_bytes, std::uint64_t bytes_per_bank = 0)
      : csr(csr_of(kVertices, random_edges(kVertices, 5000, 7))) {
    predict::PipelineShape shape = predict::kHbm;
    shape.dense.capacity = 64;
    shape.sparse.capacity = 256;
    shape.dense.num_pipelines = 3;
    shape.sparse.num_pipelines = kPipelines - 3;
    Workers workers(2);
    plan = predict::plan_pipelines(csr, shape, predict::PlanOptions(), workers);
    const Writable<std::uint8_t> bytes(csr.num_edges() * weight_bytes);
    for (EdgeCount e = 0; e < csr.num_edges() * weight_bytes; ++e) bytes[e] = static_cast<std::uint8_t>(e * 7 / 3);
    weights = bytes.freeze();
    Board board{};
    board.name = "small";
    board.memory.bytes_per_bank = bytes_per_bank;
    layout = std::make_unique<PipelineLayout>(plan, kPipelines, csr, PipelineLayout::Sizes{4, 4, weight_bytes, 9},
                                              weights, board, "hbm", workers);
  }
  Csr csr;
  predict::PipelinePlan plan;
  Array<std::uint8_t> weights;
  std::unique_ptr<PipelineLayout> layout;
};

using Edge = std::tuple<VertexId, VertexId, std::vector<std::uint8_t>>;

TEST(PipelineLayout, HasEveryEdgeOnceWithItsWeight) {
  for (const std::uint64_t weight_bytes : {0, 4, 8}) {
    const Made made(weight_bytes);
    std::vector<Edge> found, wanted;
    for (VertexId v = 0; v < kVertices; ++v) {
      for (EdgeCount e = made.csr.offsets[v]; e < made.csr.offsets[v + 1]; ++e) {
        const std::uint8_t* const weight = made.weights.data() + e * weight_bytes;
        wanted.emplace_back(v, made.csr.targets[e], std::vector<std::uint8_t>(weight, weight + weight_bytes));
      }
    }
    // Of a group of four words of edges: words of weights behind them, and in the other array.
    const std::uint32_t near = weight_bytes == 4 ? 1 : 4, far = weight_bytes == 4 ? 3 : 4;
    int num_used = 0;
    for (const PipelineLayout::Pipeline& pipeline : made.layout->pipelines()) {
      num_used += pipeline.num_sub_partitions > 0;
      for (std::uint32_t s = 0; s < pipeline.num_sub_partitions; ++s) {
        const std::uint32_t (&sub_partition)[16] = pipeline.edges[s].lane;
        const Word<std::uint32_t>* const words = &pipeline.edges[sub_partition[SubPartitionLane::kFirstEdgeWord]];
        const std::uint32_t far_at = sub_partition[SubPartitionLane::kFirstWeightWord];
        VertexId source = sub_partition[SubPartitionLane::kBaseSource];
        if (weight_bytes > 0) {
          EXPECT_EQ(sub_partition[SubPartitionLane::kNumEdgeWords] % 4, 0u);
        }
        for (std::uint32_t w = 0; w < sub_partition[SubPartitionLane::kNumEdgeWords]; ++w) {
          const Word<std::uint32_t>* const word = weight_bytes == 0 ? words + w : words + w / 4 * (4 + near) + w % 4;
          // All weights of its group, in order.
          std::vector<std::uint8_t> weights;
          const auto add = [&](const Word<std::uint32_t>* from, std::uint32_t num) {
            const auto* const bytes = reinterpret_cast<const std::uint8_t*>(from);
            weights.insert(weights.end(), bytes, bytes + num * 64);
          };
          if (weight_bytes > 0) {
            add(words + w / 4 * (4 + near) + 4, near);
            EXPECT_GE(far_at, 9u) << "behind the properties";
            add(&pipeline.memory[far_at + w / 4 * far], far);
          }
          for (int i = 0; i < 16; ++i) {
            source += PackedEdgeCodec::gap(word->lane[i]);
            const std::uint32_t to = PackedEdgeCodec::destination(word->lane[i]);
            if (to == PackedEdgeCodec::kPadding) continue;
            const VertexId destination = sub_partition[SubPartitionLane::kFirstVertex] + to;
            EXPECT_LT(destination, sub_partition[SubPartitionLane::kLastVertex]);
            const std::uint8_t* const weight =
                weights.data() + static_cast<std::uint64_t>(w % 4 * 16 + static_cast<unsigned>(i)) * weight_bytes;
            found.emplace_back(made.plan.vertices[source], made.plan.vertices[destination],
                               std::vector<std::uint8_t>(weight, weight + weight_bytes));
          }
        }
      }
    }
    std::sort(found.begin(), found.end());
    std::sort(wanted.begin(), wanted.end());
    EXPECT_EQ(found, wanted) << weight_bytes;
    EXPECT_GT(num_used, 2);
  }
}

// As readParts takes them: partitions ascend, and what is gathered for them lies one behind the other.
TEST(PipelineLayout, DescribesPartsThatAscendAndNeverOverlap) {
  const Made made(0);
  for (const PipelineLayout::Pipeline& pipeline : made.layout->pipelines()) {
    VertexId next = 0;
    std::uint32_t words = 0;
    for (std::uint32_t s = 0; s < pipeline.num_sub_partitions; ++s) {
      const std::uint32_t (&descriptor)[16] = pipeline.edges[s].lane;
      const VertexId first = descriptor[SubPartitionLane::kFirstVertex];
      EXPECT_GE(first, next);
      EXPECT_EQ(first % 16, 0u);
      EXPECT_EQ(descriptor[SubPartitionLane::kFirstGatheredWord], words);
      next = descriptor[SubPartitionLane::kLastVertex];
      words += (next - first + 15) / 16;
    }
    EXPECT_LE(next, kVertices);
    EXPECT_EQ(words, pipeline.gathered_words);
  }
}

TEST(PipelineLayout, MapsArraysThereAndBack) {
  const Made made(0);
  Workers workers(2);
  std::vector<std::uint32_t> values(kVertices), ordered(kVertices), back(kVertices);
  for (VertexId v = 0; v < kVertices; ++v) values[v] = v * 3;
  made.layout->order(values.data(), ordered.data(), 4, workers);
  made.layout->restore(ordered.data(), back.data(), 4, workers);
  EXPECT_EQ(back, values);
  for (VertexId v = 0; v < kVertices; v += 997) EXPECT_EQ(ordered[v], made.plan.vertices[v] * 3);
}

TEST(PipelineLayout, RefusesWhatExceedsAChannel) {
  const auto said = [](std::uint64_t weight_bytes, std::uint64_t bank) -> std::string {
    try {
      const Made made(weight_bytes, bank);
    } catch (const CapacityError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(said(0, 1 << 20), "");
  EXPECT_NE(said(8, 1 << 12).find("a pipeline's edges take "), std::string::npos);
  EXPECT_NE(said(8, 402000).find("pseudo-channel, beside "), std::string::npos) << said(8, 402000);
  EXPECT_NE(said(0, 390000).find("properties of 100000 vertices take 400000 bytes in every pipeline's pseudo-channel"),
            std::string::npos)
      << said(0, 390000);
}

}  // namespace
}  // namespace gaspipe
