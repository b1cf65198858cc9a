// SPDX-License-Identifier: Apache-2.0
// The control blocks, as classes and as the tasks around them.
#include "hls/block/packing.h"
#include "hls/block/seed_names.h"
#include "hls/block/split_req.h"
#include "tests/hls/block/chain.h"

namespace gaspipe {
namespace block {
namespace {

using namespace block::testing;

// GOP-12: the masks of first, middle, last and only lines, of lanes of 4 and of 8 bytes.
template <class T>
void check_cursor(EdgeCount first, EdgeCount last) {
  SetCursor<T> cursor;
  cursor.start({7, first, last, false});
  std::set<EdgeCount> found;
  std::uint64_t num_lines = 0;
  for (; cursor.has_line(); cursor.next()) {
    EXPECT_EQ(cursor.owner(), 7u);
    EXPECT_EQ(cursor.is_first(), num_lines == 0);
    EXPECT_EQ(cursor.is_last(), cursor.element(0) / cursor.kSize == (last - 1) / cursor.kSize);
    EXPECT_NE(cursor.lanes(), 0u);
    EXPECT_EQ(cursor.lanes() & ~all_lanes<T>(), 0u);
    for (std::uint32_t lane = 0; lane < cursor.kSize; ++lane) {
      if ((cursor.lanes() >> lane & 1) != 0) {
        EXPECT_TRUE(found.insert(cursor.element(lane)).second);
      }
    }
    ++num_lines;
  }
  EXPECT_EQ(found.size(), last - first);
  EXPECT_EQ(*found.begin(), first);
  EXPECT_EQ(*found.rbegin(), last - 1);
  EXPECT_EQ(num_lines, lines_of<T>(first, last).num);
}
TEST(SetCursor, MarksTheLanesOfFirstMiddleLastAndOnlyLines) {
  for (EdgeCount first : {0u, 1u, 7u, 8u, 15u, 16u, 17u}) {
    for (EdgeCount num : {1u, 2u, 7u, 8u, 9u, 15u, 16u, 17u, 32u, 33u, 100u}) {
      check_cursor<std::uint32_t>(first, first + num);
      check_cursor<double>(first, first + num);
    }
  }
  // Past what 24 and 32 bits hold.
  const EdgeCount far = (EdgeCount(1) << 40) + 5;
  check_cursor<float>(far, far + 40);
}

// A set that is longer than the published counters (packets 16 bits, elements 24), and one longer than 32 bits hold.
TEST(SetCursor, WalksSetsLongerThanAnyCounter) {
  const SetMeta meta{7, 3, (EdgeCount(1) << 24) + 3, false};
  EXPECT_FALSE(PackedSetMeta::fits(meta, 16));
  SetCursor<std::uint32_t> cursor;
  cursor.start(meta);
  std::uint64_t num_lines = 0, num_elements = 0;
  for (; cursor.has_line(); cursor.next(), ++num_lines) num_elements += num_lanes(cursor.lanes());
  EXPECT_EQ(num_lines, (1u << 20) + 1);
  EXPECT_EQ(num_elements, 1u << 24);
  cursor.start({7, 5, (EdgeCount(1) << 40) + 5, false});
  EXPECT_EQ(cursor.lanes(), 0xffffu & ~31u);
  EXPECT_TRUE(cursor.is_first());
  EXPECT_FALSE(cursor.is_last());
  EXPECT_EQ(lines_of<std::uint32_t>(5, (EdgeCount(1) << 40) + 5).num, (std::uint64_t(1) << 36) + 1);
}

// GOP-17: pieces cover a request, in order, none too long or across a border, none lost on the way.
TEST(SplitReq, CutsRequestsAtTheLengthAndAtTheBorder) {
  for (std::uint64_t num : {1u, 63u, 64u, 65u, 255u, 256u, 511u, 65535u}) {
    for (std::uint64_t first : {0u, 1u, 63u, 64u, 1000u}) {
      MemReq request{first, num, false};
      std::uint64_t at = first, pieces = 0;
      while (request.num != 0) {
        const MemReq piece = take_piece<255, 1u << 30>(request);
        EXPECT_EQ(piece.first, at);
        EXPECT_GT(piece.num, 0u);
        EXPECT_LE(piece.num, 255u);
        at += piece.num;
        ++pieces;
      }
      EXPECT_EQ(at, first + num);
      EXPECT_EQ(pieces, (num + 254) / 255);
    }
  }
  Random random(3);
  std::vector<MemReq> requests;
  std::vector<std::uint64_t> lines, found;
  for (int i = 0; i < 200; ++i) {
    requests.push_back({random() % 10000, random() % 3 == 0 ? 0 : random() % 300, false});
    for (std::uint64_t j = 0; j < requests.back().num; ++j) lines.push_back(requests.back().first + j);
  }
  at_all_depths([&] {
    std::vector<MemReq> pieces;
    {
      GASPIPE_DATAFLOW;
      GASPIPE_STREAM(MemReq, in, 2);
      GASPIPE_STREAM(MemReq, out, 2);
      GASPIPE_TASK(feed(with_end(requests), in, 1));
      GASPIPE_TASK(split_req(in, out));
      GASPIPE_TASK(drain_to_end(out, pieces, 2));
      GASPIPE_RUN;
    }
    found.clear();
    for (const MemReq& piece : pieces) {
      EXPECT_LE(piece.num, kBurstLines);
      EXPECT_EQ(piece.first / kBurstLines, (piece.first + piece.num - 1) / kBurstLines);
      for (std::uint64_t j = 0; j < piece.num; ++j) found.push_back(piece.first + j);
    }
    EXPECT_EQ(found, lines);
  });
}

// All entries that a coalescer gives for updates.
template <class Lines, class P>
std::vector<LineUpdate<P>> coalesced(const std::vector<VertexProperty<P>>& updates, int* most = nullptr) {
  Lines lines;
  std::vector<LineUpdate<P>> entries;
  LineUpdate<P> entry;
  for (const auto& update : updates) {
    if (lines.absorb(update.vertex, update.value, entry)) entries.push_back(entry);
    if (most != nullptr) *most = std::max(*most, lines.size());
  }
  while (lines.pop(entry)) entries.push_back(entry);
  return entries;
}
template <class P>
std::map<VertexId, P> values_of(const std::vector<LineUpdate<P>>& entries) {
  std::map<VertexId, P> values;
  for (const auto& entry : entries) {
    for (int lane = 0; lane < Line<P>::kSize; ++lane) {
      if ((entry.lanes >> lane & 1) != 0) {
        values[entry.line * Line<P>::kSize + static_cast<VertexId>(lane)] = entry.values.lane[lane];
      }
    }
  }
  return values;
}
template <class P>
std::vector<VertexProperty<P>> sequential(VertexId num, VertexId step) {
  std::vector<VertexProperty<P>> updates;
  for (VertexId v = 0; v < num; v += step) updates.push_back({v, static_cast<P>(v * 3 + 1), false});
  return updates;
}

// GOP-13: updates in order make a request per line, and a line that is left alone leaves after 64 updates.
TEST(SeqCoalescer, MakesOneEntryOfALine) {
  using Lines = UpdQueueSM<float, Overwrite<float>>;
  for (VertexId step : {1u, 3u, 16u, 40u}) {
    const auto updates = sequential<float>(1000, step);
    const auto entries = coalesced<Lines>(updates);
    std::set<std::uint32_t> lines;
    for (const auto& update : updates) lines.insert(update.vertex / 16);
    EXPECT_EQ(entries.size(), lines.size());
    const auto values = values_of(entries);
    EXPECT_EQ(values.size(), updates.size());
    for (const auto& update : updates) EXPECT_EQ(values.at(update.vertex), update.value);
  }
}
TEST(SeqCoalescer, LetsALineGoThatHasNoHitFor64Updates) {
  Coalescer<std::uint32_t, Overwrite<std::uint32_t>, 8, 64> lines;
  LineUpdate<std::uint32_t> left;
  EXPECT_FALSE(lines.absorb(5, 1, left));
  for (int i = 0; i < 64; ++i) EXPECT_FALSE(lines.absorb(16 + i % 16, 2, left)) << i;
  ASSERT_TRUE(lines.absorb(20, 3, left));
  EXPECT_EQ(left.line, 0u);
  EXPECT_EQ(left.lanes, 1u << 5);
  EXPECT_EQ(left.values.lane[5], 1u);
  EXPECT_EQ(lines.size(), 1);
  ASSERT_TRUE(lines.pop(left));
  EXPECT_EQ(left.values.lane[4], 3u);  // the last of those that met there
  EXPECT_FALSE(lines.pop(left));
}

// GOP-14: updates in any order, hits on the oldest line too: none is lost, and there are fewer entries than updates.
TEST(BestEffortCoalescer, LosesNoUpdateAndSavesRequests) {
  Random random(11);
  std::vector<VertexProperty<std::uint32_t>> updates;
  std::map<VertexId, std::uint32_t> least;
  for (int i = 0; i < 20000; ++i) {
    const auto vertex = static_cast<VertexId>(random() % (i % 1000 < 500 ? 200 : 5000));
    const auto value = static_cast<std::uint32_t>(random() % 1000);
    updates.push_back({vertex, value, false});
    const auto [place, is_new] = least.insert({vertex, value});
    if (!is_new) place->second = std::min(place->second, value);
  }
  int most = 0;
  const auto entries = coalesced<CoalesceSM<std::uint32_t, KeepLeast<std::uint32_t>>>(updates, &most);
  EXPECT_EQ(most, 16);
  EXPECT_LT(entries.size(), updates.size() * 3 / 4);
  std::map<VertexId, std::uint32_t> found;
  for (const auto& entry : entries) {
    for (const auto& [vertex, value] : values_of<std::uint32_t>({entry})) {
      const auto [place, is_new] = found.insert({vertex, value});
      if (!is_new) place->second = std::min(place->second, value);
    }
  }
  EXPECT_EQ(found, least);
}

// GOP-16: one of the ready lanes, and none waits for more grants than there are lanes.
TEST(RoundRobin, GrantsReadyLanesInTurn) {
  FifoKernelSM<5> turns;
  EXPECT_EQ(turns.grant(0), -1);
  Random random(2);
  std::vector<int> waited(5, 0);
  for (int i = 0; i < 2000; ++i) {
    const auto ready = static_cast<std::uint32_t>(random() % 32);
    const int granted = turns.grant(ready);
    ASSERT_EQ(granted >= 0, ready != 0);
    if (granted < 0) continue;
    ASSERT_NE(ready >> granted & 1, 0u);
    for (int lane = 0; lane < 5; ++lane) {
      waited[static_cast<std::size_t>(lane)] =
          lane == granted || (ready >> lane & 1) == 0 ? 0 : waited[static_cast<std::size_t>(lane)] + 1;
      ASSERT_LT(waited[static_cast<std::size_t>(lane)], 5);
    }
  }
}
// GOP-15, GOP-16: queues with none, one or two tokens, written while they are read; a lane's order is kept.
TEST(MergeLanes, PassesEveryTokenOfEveryLaneInItsOrder) {
  constexpr int kNum = 4;
  std::vector<std::vector<VertexToken>> lanes(kNum);
  for (std::uint32_t lane = 0; lane < kNum; ++lane) {
    for (std::uint32_t i = 0; i < (lane == 1 ? 0u : lane == 2 ? 1u : 200u + lane); ++i) {
      lanes[lane].push_back({lane << 16 | i, false});
    }
    lanes[lane] = with_end(lanes[lane]);
  }
  const auto run = [&] {
    std::vector<VertexToken> out;
    {
      GASPIPE_DATAFLOW;
      GASPIPE_STREAMS(VertexToken, in, kNum, 2);
      GASPIPE_STREAM(VertexToken, merged, 2);
      for (int i = 0; i < kNum; ++i) {
        GASPIPE_TASK_I(i, feed(lanes[static_cast<std::size_t>(i)], in[i], static_cast<std::uint32_t>(i)));
      }
      GASPIPE_TASK(merge_lanes(in, merged));
      GASPIPE_TASK(drain_to_end(merged, out));
      GASPIPE_RUN;
    }
    std::vector<std::vector<VertexId>> found(kNum);
    for (const VertexToken& token : out) found[token.vertex >> 16].push_back(token.vertex & 0xffff);
    return found;
  };
  const auto found = run();
  for (std::size_t lane = 0; lane < kNum; ++lane) {
    ASSERT_EQ(found[lane].size() + 1, lanes[lane].size());
    for (std::size_t i = 0; i < found[lane].size(); ++i) EXPECT_EQ(found[lane][i], i);
  }
  EXPECT_EQ(difference_in_any_order(run, 12), "");
}

// GOP-20, GOP-21: the packets of requests and of sets, in their documented widths; ours hold what those do not.
TEST(Packing, KeepsRequestsAndSetsInTheirPackets) {
  Random random(5);
  for (int i = 0; i < 2000; ++i) {
    const MemReq request{random() % (1u << 28), random() % (1u << 16), false};
    const std::uint64_t word = PackedMemReq::pack(request);
    EXPECT_EQ(word >> 45, 0u);
    EXPECT_TRUE(PackedMemReq::unpack(word) == request);
    const EdgeCount first = random() % (1u << 23), num = 1 + random() % 100000;
    const SetMeta meta{static_cast<VertexId>(random()), first, first + num, false};
    ASSERT_TRUE(PackedSetMeta::fits(meta, 16));
    const PackedSetMeta packet = PackedSetMeta::pack(meta, 16);
    EXPECT_EQ(PackedSetMeta::Packets::get(packet.rest), 2 * ((first + num - 1) / 32 - first / 32 + 1));
    EXPECT_TRUE(packet.unpack() == meta);
  }
  EXPECT_EQ(PackedMemReq::pack({0, 0, false}), std::uint64_t(1) << 44);
  EXPECT_TRUE(PackedMemReq::unpack(0).end);
  EXPECT_FALSE(PackedMemReq::fits({1u << 28, 1, false}));
  EXPECT_FALSE(PackedMemReq::fits({0, 1u << 16, false}));
  EXPECT_FALSE(PackedSetMeta::fits({0, 1u << 24, (1u << 24) + 1, false}, 16));
  EXPECT_TRUE(PackedSetMeta::fits({0, (1u << 24) - 1, 1u << 24, false}, 16));
}

// GOP-23: fields come out as they went in, and nothing else of the word changes.
TEST(Packing, KeepsTheFieldsOfElements) {
  Random random(7);
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t a = random(), b = random(), c = random(), d = random(), e = random();
    {
      using Ours = BfsElement<>;
      const std::uint64_t word = Ours::pack(a & 0xffffffff, b & 0xffffffff);
      EXPECT_EQ(Ours::Level::get(word), a & 0xffffffff);
      EXPECT_EQ(Ours::Neighbor::get(word), b & 0xffffffff);
      using Seed = BfsElement<24>;
      const std::uint64_t packed = Seed::pack(a & 0xffffff, b & 0xffffff);
      EXPECT_EQ(packed >> 48, 0u);
      EXPECT_EQ(Seed::Level::get(packed), a & 0xffffff);
      EXPECT_EQ(Seed::Neighbor::get(packed), b & 0xffffff);
    }
    {
      using Ours = CoverElement<>;
      const std::uint64_t word = Ours::pack(a & 1, b & 0x7fffffff, c & 1, d & 0x7fffffff);
      EXPECT_EQ(Ours::OwnerCover::get(word), a & 1);
      EXPECT_EQ(Ours::OwnerDegree::get(word), b & 0x7fffffff);
      EXPECT_EQ(Ours::Cover::get(word), c & 1);
      EXPECT_EQ(Ours::Degree::get(word), d & 0x7fffffff);
      using Seed = CoverElement<4, 8, 24>;
      const std::uint64_t packed = Seed::pack(a & 15, b & 255, c & 15, d & 255, e & 0xffffff);
      EXPECT_EQ(packed >> 48, 0u);
      EXPECT_EQ(Seed::OwnerCover::get(packed), a & 15);
      EXPECT_EQ(Seed::OwnerDegree::get(packed), b & 255);
      EXPECT_EQ(Seed::Cover::get(packed), c & 15);
      EXPECT_EQ(Seed::Degree::get(packed), d & 255);
      EXPECT_EQ(Seed::Edge::get(packed), e & 0xffffff);
    }
    {
      using Ours = MemberElement<>;  // 32 bits
      const std::uint64_t word = Ours::pack(a & 0x7fffffff, b & 1);
      EXPECT_EQ(word >> 32, 0u);
      EXPECT_EQ(Ours::Degree::get(word), a & 0x7fffffff);
      EXPECT_EQ(Ours::Member::get(word), b & 1);
      using Seed = MemberElement<32, 16>;  // 48 bits
      EXPECT_EQ(Seed::Degree::get(Seed::pack(a & 0xffffffff, b & 0xffff)), a & 0xffffffff);
      const std::uint64_t rank = RankElement::pack(a & 0xffff, b & 0xffffffff);
      EXPECT_EQ(RankElement::Degree::get(rank), a & 0xffff);
      EXPECT_EQ(RankElement::Rank::get(rank), b & 0xffffffff);
    }
  }
  EXPECT_TRUE((BfsElement<24>::Level::fits(0xffffff)));
  EXPECT_FALSE((BfsElement<24>::Level::fits(0x1000000)));
}

TEST(SeedNames, NameElevenDataBlocks) {
  std::set<std::string> names;
  for (const BlockName& block : kDataBlocks) {
    EXPECT_TRUE(names.insert(block.name).second);
    EXPECT_TRUE(names.insert(block.seed_name).second);
  }
  EXPECT_EQ(names.size(), 22u);
}

}  // namespace
}  // namespace block
}  // namespace gaspipe
