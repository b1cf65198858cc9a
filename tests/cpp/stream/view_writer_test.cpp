// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/view_writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "gaspipe/block_rows.h"
#include "gaspipe/crc32.h"
#include "gaspipe/error.h"
#include "gaspipe/file_bytes.h"
#include "tests/cpp/testing.h"

namespace gaspipe {
namespace {

struct File {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{std::tmpfile(), std::fclose};
  int descriptor() const { return fileno(file.get()); }
};

std::vector<std::uint8_t> content_of(const File& file, std::uint64_t start, std::uint64_t size) {
  std::vector<std::uint8_t> content(size + BlockReader::kReadAhead);
  EXPECT_EQ(read_at(file.descriptor(), start, content.data(), size, "reading", ""), size);
  return content;
}

std::uint32_t checksum_of(const std::vector<std::uint8_t>& content, std::uint64_t size) {
  std::uint32_t checksum = 0;
  for (std::uint64_t first = 0; first < size; first += SectionWriter::kChecksumBlock) {
    const std::uint32_t block =
        crc32(content.data() + first, std::min<std::uint64_t>(SectionWriter::kChecksumBlock, size - first));
    checksum = crc32(&block, sizeof(block), checksum);
  }
  return checksum;
}

constexpr std::uint64_t kStart = 192;

struct Written {
  File file;
  std::vector<BlockEntry> index;
  std::vector<std::uint8_t> blocks;
  EdgeFacts facts;
  std::vector<std::uint32_t> offsets;
};

Written write(EdgeSorter& sorter, std::uint64_t num_vertices, ViewWriter::Options options = {}) {
  Written written;
  options.num_vertices = num_vertices;
  options.counts_degrees = true;
  sorter.sort(1 << 20);
  ViewWriter writer(sorter, written.file.descriptor(), kStart, "the file", options);
  while (writer.write(5000) > 0) {
  }
  const std::uint32_t checksum = writer.finish();
  written.index = writer.index();
  written.facts = writer.facts();
  written.blocks = content_of(written.file, kStart, writer.num_bytes());
  EXPECT_EQ(checksum, checksum_of(written.blocks, writer.num_bytes()));
  const std::uint64_t after = kStart + writer.num_bytes() + 64;
  const std::uint32_t of_offsets = writer.write_offsets(written.file.descriptor(), after, "the file");
  written.offsets.resize(num_vertices + 1);
  const auto bytes = content_of(written.file, after, 4 * (num_vertices + 1));
  EXPECT_EQ(of_offsets, checksum_of(bytes, 4 * (num_vertices + 1)));
  std::memcpy(written.offsets.data(), bytes.data(), 4 * (num_vertices + 1));
  return written;
}

void add(EdgeSorter& sorter, const testing::Edges& edges, const Weights& weights = {},
         EdgeDirection direction = EdgeDirection::kForward) {
  const EdgeList list = testing::edge_list(1, edges);
  sorter.add(edges.size(), list.sources.data(), list.targets.data(), weights, direction);
}

TEST(ViewWriter, WritesBlocksThatBecomeTheRowsAgain) {
  Workers workers(2);
  const VertexId n = 150000;
  const auto edges = testing::random_edges(n, 120000, 1);
  std::vector<float> weights;
  for (std::size_t i = 0; i < edges.size(); ++i) weights.push_back(float(i % 1000) / 4);
  EdgeSorter sorter(::testing::TempDir(), EdgeSorter::kLeastMemory, workers);
  add(sorter, edges, testing::array(weights));
  ViewWriter::Options options;
  options.most_block_edges = 3000;
  const Written written = write(sorter, n, options);
  EXPECT_GT(written.index.size(), 40u);
  EdgeList list = testing::edge_list(n, edges);
  list.weights = testing::array(weights);
  const Csr sorted = transpose(transpose(build_csr(list, n, workers), workers), workers);
  std::vector<std::uint32_t> offsets;
  for (std::size_t v = 0; v <= n; ++v) offsets.push_back(static_cast<std::uint32_t>(sorted.offsets[v]));
  EXPECT_EQ(written.offsets, offsets);
  BlockRows rows(Offsets(testing::array(written.offsets)), WeightType::kFloat32);
  for (const BlockEntry& entry : written.index) {
    EXPECT_EQ(entry.start % kBlockAlignment, 0u);
    check_block(entry, written.blocks.data() + entry.start);
    rows.add(entry, written.blocks.data() + entry.start);
  }
  EXPECT_EQ(testing::list(rows.targets()), testing::list(sorted.targets));
  std::vector<int> counts(1000);  // of quarters
  const auto got = std::get<Array<float>>(rows.weights());
  for (const float weight : got) ++counts.at(static_cast<std::size_t>(weight * 4));
  EXPECT_EQ(counts, std::vector<int>(1000, 120));
  EXPECT_FALSE(written.facts.is_symmetric);
  EXPECT_EQ(written.facts.largest_weight, 249.75);
}

TEST(ViewWriter, DropsRepeatedEdgesButTheLightest) {
  Workers workers(1);
  EdgeSorter sorter(::testing::TempDir(), 4 << 20, workers);
  add(sorter, {{0, 1}, {0, 1}, {1, 0}, {2, 2}}, testing::array(std::vector<std::int32_t>{5, 3, 4, 9}),
      EdgeDirection::kBoth);
  ViewWriter::Options options;
  options.drops_repeated = true;
  const Written written = write(sorter, 3, options);
  ASSERT_EQ(written.index.size(), 1u);
  const BlockEdges edges = read_block(written.index[0], written.blocks.data(), WeightType::kInt32);
  EXPECT_EQ(edges.sources, (std::vector<VertexId>{0, 1, 2}));
  EXPECT_EQ(edges.destinations, (std::vector<VertexId>{1, 0, 2}));
  EXPECT_EQ(testing::list(std::get<Array<std::int32_t>>(edges.weights)), (std::vector<std::int32_t>{3, 3, 9}));
  EXPECT_TRUE(written.facts.is_symmetric);
  EXPECT_TRUE(written.facts.is_simple);
}

TEST(ViewWriter, WritesNoBlocksForNoEdges) {
  Workers workers(1);
  EdgeSorter sorter(::testing::TempDir(), 4 << 20, workers);
  const Written written = write(sorter, 4);
  EXPECT_TRUE(written.index.empty());
  EXPECT_EQ(written.offsets, std::vector<std::uint32_t>(5, 0));
  EXPECT_TRUE(written.facts.is_symmetric);
}

TEST(BlockRows, RefusesWhatDoesNotFitTheOffsets) {
  Workers workers(1);
  EdgeSorter sorter(::testing::TempDir(), 4 << 20, workers);
  add(sorter, {{0, 1}, {0, 2}, {1, 2}});
  Written written = write(sorter, 3);
  const BlockEntry& entry = written.index[0];
  const auto rows_of = [](std::vector<std::uint32_t> offsets) {
    return BlockRows(Offsets(testing::array(offsets)), WeightType::kNone);
  };
  EXPECT_THROW(rows_of({0, 1, 3, 3}).add(entry, written.blocks.data()), GraphFormatError);
  BlockRows too_few = rows_of({0, 2, 3, 4});
  too_few.add(entry, written.blocks.data());
  EXPECT_THROW(too_few.targets(), GraphFormatError);
  std::swap(written.blocks[0], written.blocks[2]);  // destinations of vertex 0
  EXPECT_THROW(check_block(entry, written.blocks.data()), GraphFormatError);
  EXPECT_THROW(rows_of({0, 2, 3, 3}).add(entry, written.blocks.data()), GraphFormatError);
}

}  // namespace
}  // namespace gaspipe
