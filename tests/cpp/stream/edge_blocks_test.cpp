// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/edge_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <tuple>

#include "gaspipe/crc32.h"
#include "gaspipe/error.h"

namespace gaspipe {
namespace {

using Edge = std::tuple<VertexId, VertexId, float>;  // source, destination, weight

struct Block {
  BlockEntry entry;
  std::vector<std::uint8_t> bytes;
};

std::vector<Block> blocks_of(const std::vector<Edge>& edges, std::uint32_t weight_bytes, std::uint32_t most) {
  std::vector<Block> blocks;
  BlockWriter writer(
      weight_bytes,
      [&](const BlockEntry& entry, const std::uint8_t* bytes) {
        blocks.push_back({entry, {bytes, bytes + entry.bytes}});
        blocks.back().bytes.resize(entry.bytes + BlockReader::kReadAhead);
      },
      most);
  for (const auto& [source, destination, weight] : edges) writer.add(source, destination, &weight);
  writer.finish();
  return blocks;
}

std::vector<Edge> edges_of(const std::vector<Block>& blocks, std::uint32_t weight_bytes) {
  std::vector<Edge> edges;
  BlockReader reader;
  for (const Block& block : blocks) {
    reader.start(block.entry, block.bytes.data(), weight_bytes);
    BlockPiece piece;
    while (reader.next(&piece)) {
      std::uint32_t e = 0;
      for (std::uint32_t run = 0; run < piece.num_runs; ++run) {
        for (std::uint32_t i = 0; i < piece.run_lengths[run]; ++i, ++e) {
          float weight = 0;
          if (piece.weights != nullptr) std::memcpy(&weight, piece.weights + 4 * e, 4);
          edges.emplace_back(piece.run_sources[run], block.entry.partition * kBlockCapacity + piece.destinations[e],
                             weight);
        }
      }
      EXPECT_EQ(e, piece.num_edges);
    }
  }
  return edges;
}

// In the order of files. Sources are `apart` on the average.
std::vector<Edge> some_edges(std::size_t count, std::uint32_t num_partitions, std::uint32_t apart) {
  std::mt19937 random(count + apart);
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < count; ++i) {
    const auto source = static_cast<VertexId>(random() % (count * apart));
    edges.emplace_back(source, random() % (num_partitions * kBlockCapacity), static_cast<float>(i));
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    const auto key = [](const Edge& e) {
      return std::tuple(std::get<1>(e) / kBlockCapacity, std::get<0>(e), std::get<1>(e), std::get<2>(e));
    };
    return key(a) < key(b);
  });
  return edges;
}

TEST(EdgeBlocks, HaveTheEdgesThatWereWritten) {
  for (const std::uint32_t apart : {1u, 3u, 300u, 40000u}) {
    for (const std::uint32_t most : {1u, 7u, 5000u, kMostBlockEdges}) {
      const std::vector<Edge> edges = some_edges(most == 1 ? 9000 : 30000, 3, apart);
      const std::vector<Block> blocks = blocks_of(edges, 4, most);
      EXPECT_EQ(edges_of(blocks, 4), edges);
      for (const Block& block : blocks) {
        EXPECT_LE(block.entry.num_edges, most);
        EXPECT_EQ(block.entry.checksum, crc32(block.bytes.data(), block.entry.bytes));
      }
    }
  }
}

TEST(EdgeBlocks, TakeAboutFourBytesAnEdgeAndLessWhereSourcesRepeat) {
  std::vector<Edge> edges;
  for (VertexId v = 0; v < 40000; ++v) edges.emplace_back(v * 20, v, 0.f);
  std::size_t bytes = 0;
  for (const Block& block : blocks_of(edges, 0, kMostBlockEdges)) bytes += block.entry.bytes;
  EXPECT_EQ(bytes, 40000u * 4);
  edges.clear();
  for (VertexId v = 0; v < 40000; ++v) edges.emplace_back(v / 100, v, 0.f);
  bytes = 0;
  for (const Block& block : blocks_of(edges, 0, kMostBlockEdges)) bytes += block.entry.bytes;
  EXPECT_EQ(bytes, 40000u * 2 + 400 * 2);
}

TEST(EdgeBlocks, HoldALongRunAndSourcesFarApart) {
  std::vector<Edge> edges;
  for (VertexId i = 0; i < 50000; ++i) edges.emplace_back(5, i, 0.f);
  edges.emplace_back(0xfffffff0u, 9, 0.f);
  EXPECT_EQ(edges_of(blocks_of(edges, 0, kMostBlockEdges), 0), edges);
}

TEST(EdgeBlocks, ThatDoNotHoldWhatTheIndexSaysAreRefused) {
  const std::vector<Edge> edges = some_edges(3000, 1, 200);
  const Block good = blocks_of(edges, 0, kMostBlockEdges).front();
  std::mt19937 random(1);
  int num_refused = 0;
  for (int i = 0; i < 3000; ++i) {  // whatever the bytes are: no read past the end, no source that is not there
    Block bad = good;
    const std::size_t runs = BlockLayout(bad.entry.num_edges, 0).runs;
    for (int k = 0; k < 4; ++k) bad.bytes[runs + random() % (bad.entry.bytes - runs)] = random();
    BlockReader reader;
    reader.start(bad.entry, bad.bytes.data(), 0);
    BlockPiece piece;
    try {
      while (reader.next(&piece)) {
        for (std::uint32_t run = 0; run < piece.num_runs; ++run) {
          ASSERT_LE(piece.run_sources[run], bad.entry.last_source);
        }
      }
    } catch (const GraphFormatError&) {
      ++num_refused;
    }
  }
  EXPECT_GT(num_refused, 1000);
}

TEST(Crc32, IsZlibs) {
  EXPECT_EQ(crc32("", 0), 0u);
  EXPECT_EQ(crc32("123456789", 9), 0xcbf43926u);
  EXPECT_EQ(crc32("6789", 4, crc32("12345", 5)), 0xcbf43926u);
  // Every length around those at which the fast way begins and ends, whole and in two parts, beside bits one by one.
  std::mt19937 random(5);
  std::vector<std::uint8_t> bytes(400);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
  std::uint32_t by_bits = ~0u;
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    ASSERT_EQ(crc32(bytes.data(), size), ~by_bits) << size;
    ASSERT_EQ(crc32(bytes.data() + size / 3, size - size / 3, crc32(bytes.data(), size / 3)), ~by_bits) << size;
    if (size == bytes.size()) break;
    by_bits ^= bytes[size];
    for (int bit = 0; bit < 8; ++bit) by_bits = by_bits >> 1 ^ (by_bits % 2 == 1 ? 0xedb88320 : 0);
  }
  EXPECT_EQ(crc32("The quick brown fox jumps over the lazy dog", 43), 0x414fa339u);
}

}  // namespace
}  // namespace gaspipe
