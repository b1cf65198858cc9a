// SPDX-License-Identifier: Apache-2.0
// elem_update and its memory: what it writes, and that no order of reads and writes loses an update.
#include "hls/block/elem_update.h"

#include "hls/block/mem_unit.h"
#include "tests/hls/block/chain.h"

namespace gaspipe {
namespace block {
namespace {

using namespace block::testing;
using u32 = std::uint32_t;

template <class P>
using Updates = std::vector<VertexProperty<P>>;

template <class P>
Updates<P> random_updates(std::size_t num, VertexId num_vertices, Random& random) {
  Updates<P> updates;
  for (std::size_t i = 0; i < num; ++i) {
    updates.push_back({static_cast<VertexId>(random() % num_vertices), static_cast<P>(random() % 1000), false});
  }
  return updates;
}

template <class P>
struct Written {
  std::vector<P> values;
  std::vector<GroupMask> changed;
  FinalWord beats_read = 0, beats_written = 0;
};
void keep_word(stream<FinalWord>& in, FinalWord& word) { in.read(word); }

// The block between two memory units.
template <class P, class Policy, class Lines>
Written<P> updated(const std::vector<P>& before, const Updates<P>& updates, std::uint32_t pause = 0) {
  Written<P> result;
  std::vector<Line<P>> memory = as_words<P>(before, P(0));
  Banks banks(1);
  banks.add("properties", memory, 0, true);
  {
    using Update = VertexProperty<P>;
    using Entry = LineUpdate<P>;
    using PropertyLine = Line<P>;
    const Updates<P> tokens = with_end(updates);
    Line<P>* const properties = memory.data();
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM(Update, in, 2);
    GASPIPE_STREAM(Entry, entries, 2);
    GASPIPE_STREAM(Entry, sent, 2);
    GASPIPE_STREAM(MemReq, reads, 2);
    GASPIPE_STREAM(PropertyLine, old_lines, 64, 2);
    GASPIPE_STREAM(MemReq, writes, 2);
    GASPIPE_STREAM(PropertyLine, new_lines, 2);
    GASPIPE_STREAM(GroupMask, changed, 2);
    GASPIPE_STREAM(u32, acks, kPendingLines, kPendingLines);
    GASPIPE_STREAM(FinalWord, beats_read, 2);
    GASPIPE_STREAM(FinalWord, beats_written, 2);
    GASPIPE_TASK(feed(tokens, in, pause));
    GASPIPE_TASK(elem_update_coalesce<P, Lines>(in, entries));
    GASPIPE_TASK(elem_update_req<P, Policy>(entries, acks, reads, sent));
    GASPIPE_TASK(mem_rd_unit<P>(properties, 1, reads, old_lines, beats_read));
    GASPIPE_TASK(elem_update<P, Policy>(sent, old_lines, writes, new_lines, changed));
    GASPIPE_TASK(mem_wr_unit<P>(properties, 1, writes, new_lines, acks, beats_written));
    GASPIPE_TASK(drain_to_end(changed, result.changed));
    GASPIPE_TASK(keep_word(beats_read, result.beats_read));
    GASPIPE_TASK(keep_word(beats_written, result.beats_written));
    GASPIPE_RUN;
  }
  result.values = as_values(memory);
  result.values.resize(before.size());
  return result;
}
template <class P, class Policy>
std::vector<P> expected(std::vector<P> values, const Updates<P>& updates) {
  for (const auto& update : updates) values[update.vertex] = Policy::update(values[update.vertex], update.value);
  return values;
}
// Changed vertices, each once.
template <class P>
std::set<VertexId> vertices_of(const std::vector<GroupMask>& groups) {
  std::set<VertexId> vertices;
  for (const GroupMask& group : groups) {
    for (u32 lane = 0; lane < Line<P>::kSize; ++lane) {
      if ((group.lanes >> lane & 1) != 0) vertices.insert(group.line * Line<P>::kSize + lane);
    }
  }
  return vertices;
}

// GOP-3: lanes that no update is for stay, with both policies, in order and in any order, and changes are told.
template <class P>
void check_both_policies(Random& random) {
  std::vector<P> before(777);
  for (P& value : before) value = static_cast<P>(random() % 1000);
  Updates<P> in_order;
  for (VertexId v = 3; v < before.size(); v += 1 + static_cast<VertexId>(random() % 5)) {
    in_order.push_back({v, static_cast<P>(random() % 1000), false});
  }
  const auto sequential = updated<P, Overwrite<P>, SeqCoalescer<P, Overwrite<P>>>(before, in_order);
  EXPECT_EQ(sequential.values, (expected<P, Overwrite<P>>(before, in_order)));
  EXPECT_LE(sequential.beats_written, before.size() / Line<P>::kSize + 1);

  const auto any = random_updates<P>(5000, static_cast<VertexId>(before.size()), random);
  const auto merged = updated<P, KeepLeast<P>, BestEffortCoalescer<P, KeepLeast<P>>>(before, any);
  EXPECT_EQ(merged.values, (expected<P, KeepLeast<P>>(before, any)));
  std::set<VertexId> changed;
  for (VertexId v = 0; v < before.size(); ++v) {
    if (merged.values[v] != before[v]) changed.insert(v);
  }
  EXPECT_EQ(vertices_of<P>(merged.changed), changed);
  EXPECT_EQ(merged.changed.size(), merged.beats_written);  // what changes nothing is not written
  EXPECT_LT(merged.beats_written, merged.beats_read);
  // Overwriting in any order too: the last one stays.
  const auto last = updated<P, Overwrite<P>, BestEffortCoalescer<P, Overwrite<P>>>(before, any);
  EXPECT_EQ(last.values, (expected<P, Overwrite<P>>(before, any)));
}
TEST(ElemUpdate, KeepsWhatNoUpdateIsFor) {
  Random random(1);
  at_all_depths([&] {
    check_both_policies<u32>(random);
    check_both_policies<double>(random);
  });
}
// GOP-13: lines that are new in all lanes are not read.
TEST(ElemUpdate, ReadsNoLineThatIsWrittenWhole) {
  std::vector<u32> before(1000, 5);
  Updates<u32> all;
  for (VertexId v = 0; v < before.size(); ++v) all.push_back({v, 2 * v, false});
  const auto whole = updated<u32, Overwrite<u32>, SeqCoalescer<u32, Overwrite<u32>>>(before, all);
  EXPECT_EQ(whole.values, (expected<u32, Overwrite<u32>>(before, all)));
  EXPECT_EQ(whole.beats_read, 1u);  // the last line has 8 vertices
  EXPECT_EQ(whole.beats_written, 63u);
  const auto none = updated<u32, Overwrite<u32>, SeqCoalescer<u32, Overwrite<u32>>>(before, {});
  EXPECT_EQ(none.values, before);
  EXPECT_EQ(none.beats_read + none.beats_written, 0u);
}

// A memory as bad as is allowed: it reads a line as soon as it is asked, answers late, and writes late; what is written
// is there when it is acknowledged, or, where it `lies`, some time after.
//
// Polls: both requests are taken when they come, in the order of the cycles.
template <class P>
void slow_memory(std::vector<Line<P>>& memory, bool lies, std::uint64_t seed, stream<MemReq>& reads,
                 stream<Line<P>>& old_lines, stream<MemReq>& writes, stream<Line<P>>& new_lines, stream<u32>& acks) {
  struct Reply {
    emulator::Cycle when;
    Line<P> line;
  };
  struct Write {
    emulator::Cycle acknowledged, landed;  // a task's clock may jump past them
    std::uint64_t line;
    Line<P> values;
    bool is_acknowledged, has_lines;
  };
  Random random(seed);
  std::vector<Reply> replies;
  std::vector<Write> waiting;
  bool reads_ended = false, writes_ended = false;
  while (!reads_ended || !writes_ended || !replies.empty() || !waiting.empty()) {
    GASPIPE_PIPELINE(1);
    const emulator::Cycle now = emulator::Engine::running()->clock;
    for (Write& write : waiting) {
      if (write.has_lines && write.landed <= now) memory[write.line] = write.values;
      if (write.landed <= now) write.has_lines = false;
    }
    for (Write& write : waiting) {
      if (write.is_acknowledged) continue;
      if (write.acknowledged > now) break;
      acks.write(0);
      write.is_acknowledged = true;
    }
    while (!waiting.empty() && waiting.front().is_acknowledged && waiting.front().landed <= now) {
      waiting.erase(waiting.begin());
    }
    if (!reads_ended && !reads.empty()) {
      const MemReq request = reads.read();
      reads_ended = request.end;
      const emulator::Cycle after = replies.empty() ? now : replies.back().when;
      if (!request.end) replies.push_back({std::max(after, now + random() % 60), memory[request.first]});
    }
    if (!writes_ended && !writes.empty()) {
      const MemReq request = writes.read();
      writes_ended = request.end;
      if (!request.end) {
        Write write{now + 1 + random() % 60, 0, request.first, {}, false, request.num != 0};
        if (!waiting.empty()) write.acknowledged = std::max(write.acknowledged, waiting.back().acknowledged);
        write.landed = write.acknowledged + (lies ? 40 : 0);
        if (write.has_lines) write.values = new_lines.read();
        waiting.push_back(write);
      }
    }
    if (!replies.empty() && replies.front().when <= now) {
      old_lines.write(replies.front().line);
      replies.erase(replies.begin());
    }
  }
}
template <class Policy>
std::vector<u32> with_slow_memory(const std::vector<u32>& before, const Updates<u32>& updates, bool lies,
                                  std::uint64_t seed) {
  using Update = VertexProperty<u32>;
  using Entry = LineUpdate<u32>;
  using PropertyLine = Line<u32>;
  using Lines = Coalescer<u32, Policy, 2, 0>;  // few lines: the same ones come again soon
  std::vector<Line<u32>> memory = as_words<u32>(before, 0);
  const Updates<u32> tokens = with_end(updates);
  std::vector<GroupMask> groups;
  {
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM(Update, in, 2);
    GASPIPE_STREAM(Entry, entries, 2);
    GASPIPE_STREAM(Entry, sent, 16);
    GASPIPE_STREAM(MemReq, reads, 16);
    GASPIPE_STREAM(PropertyLine, old_lines, 64);
    GASPIPE_STREAM(MemReq, writes, 16);
    GASPIPE_STREAM(PropertyLine, new_lines, 16);
    GASPIPE_STREAM(GroupMask, changed, 2);
    GASPIPE_STREAM(u32, acks, kPendingLines, kPendingLines);
    GASPIPE_TASK(feed(tokens, in));
    GASPIPE_TASK(elem_update_coalesce<u32, Lines>(in, entries));
    GASPIPE_TASK(elem_update_req<u32, Policy>(entries, acks, reads, sent));
    GASPIPE_TASK(elem_update<u32, Policy>(sent, old_lines, writes, new_lines, changed));
    GASPIPE_TASK(slow_memory<u32>(memory, lies, seed, reads, old_lines, writes, new_lines, acks));
    GASPIPE_TASK(drain_to_end(changed, groups));
    GASPIPE_RUN;
  }
  std::vector<u32> values = as_values(memory);
  values.resize(before.size());
  return values;
}
// GOP-3, GOP-14: a line that is updated again while its last write is on the way is neither read nor written too early,
// whatever memory does. That this memory would show it is seen where it acknowledges before it has written.
TEST(ElemUpdate, LosesNoUpdateWhateverMemoryDoes) {
  Random random(9);
  std::size_t num_lost = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const VertexId n = seed % 2 == 0 ? 100 : 2000;
    std::vector<u32> before(n, 900);
    const auto updates = random_updates<u32>(600, n, random);
    at_all_depths([&] {
      EXPECT_EQ(with_slow_memory<KeepLeast<u32>>(before, updates, false, seed),
                (expected<u32, KeepLeast<u32>>(before, updates)));
      EXPECT_EQ(with_slow_memory<Overwrite<u32>>(before, updates, false, seed),
                (expected<u32, Overwrite<u32>>(before, updates)));
    });
    num_lost +=
        with_slow_memory<KeepLeast<u32>>(before, updates, true, seed) != expected<u32, KeepLeast<u32>>(before, updates);
  }
  EXPECT_GE(num_lost, 5u);
}
// GOP-29: nor do random times of tasks and memory change anything.
TEST(ElemUpdate, WritesTheSameInAnyOrder) {
  Random random(3);
  const std::vector<u32> before(500, 800);
  const auto updates = random_updates<u32>(1500, 500, random);
  const auto run = [&] {
    return updated<u32, KeepLeast<u32>, BestEffortCoalescer<u32, KeepLeast<u32>>>(before, updates).values;
  };
  EXPECT_EQ(run(), (expected<u32, KeepLeast<u32>>(before, updates)));
  EXPECT_EQ(difference_in_any_order(run, 12), "");
}

}  // namespace
}  // namespace block
}  // namespace gaspipe
