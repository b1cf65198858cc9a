// SPDX-License-Identifier: Apache-2.0
// What the tests of tasks that take several sub-partitions share: descriptors as memory and as streams have them, sets
// of updates that end with each sub-partition, and a board's memory around one array.
#pragma once

#include <tuple>
#include <vector>

#include "hls/module/sub_partition.h"
#include "tests/hls/module/feed.h"

namespace gaspipe {
namespace testing {

// In the order of a descriptor's lanes.
struct Described {
  std::uint32_t first_edge_word, num_edge_words, first_weight_word, first_vertex, last_vertex, first_gathered_word,
      base_source;

  SubPartitionToken token() const {
    return {first_edge_word,     num_edge_words, first_weight_word, last_vertex - first_vertex,
            first_gathered_word, base_source};
  }
  Word<std::uint32_t> word() const {
    Word<std::uint32_t> word;
    const std::uint32_t lanes[] = {first_edge_word, num_edge_words,      first_weight_word, first_vertex,
                                   last_vertex,     first_gathered_word, base_source};
    for (int i = 0; i < 16; ++i) word.lane[i] = i < 7 ? lanes[i] : 0xeeeeeeee;
    return word;
  }
};
inline std::vector<SubPartitionToken> tokens_of(const std::vector<Described>& all) {
  std::vector<SubPartitionToken> tokens;
  for (const Described& each : all) tokens.push_back(each.token());
  return tokens;
}
// Of so many vertices each, one behind the other in what is gathered, where a word has `per_word` of them.
inline std::vector<Described> of_vertices(const std::vector<std::uint32_t>& sizes, std::uint32_t per_word) {
  std::vector<Described> all;
  std::uint32_t word = 3;
  for (const std::uint32_t size : sizes) {
    all.push_back({0, 0, 0, 1000, 1000 + size, word, 0});
    word += (size + per_word - 1) / per_word;
  }
  return all;
}
inline void expect_equal(const std::vector<SubPartitionToken>& a, const std::vector<SubPartitionToken>& b) {
  const auto fields = [](const SubPartitionToken& t) {
    return std::make_tuple(t.first_edge_word, t.num_edge_words, t.first_weight_word, t.num_vertices,
                           t.first_gathered_word, t.base_source);
  };
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(fields(a[i]), fields(b[i])) << i;
}

// Random sets for each of the sub-partitions, so many as `sizes` says, each followed by an end.
template <class Value, int lanes>
std::vector<UpdateSet<Value, lanes>> random_sets(const std::vector<std::uint32_t>& sizes, std::uint32_t num_vertices,
                                                 Random& random) {
  std::vector<UpdateSet<Value, lanes>> sets;
  for (const std::uint32_t size : sizes) {
    for (std::uint32_t j = 0; j <= size; ++j) {
      UpdateSet<Value, lanes> set;
      for (auto& update : set.update) {
        update = {static_cast<VertexId>(random() % num_vertices), static_cast<Value>(random() >> 9)};
      }
      set.valid = static_cast<std::uint32_t>(random() & random()) & ((1u << lanes) - 1);
      set.end = j == size;
      sets.push_back(set);
    }
  }
  return sets;
}

// Memory of a board around one array: a port that leaves it, or a loop that leaves its own range, throws. `add` puts
// another one, to be read, into a channel of its own.
class OneBuffer {
 public:
  template <class T>
  OneBuffer(const std::vector<T>& words, bool writable)
      : map_(std::vector<emulator::Channel>(2, emulator::Channel({64, 20, 0, 0}))) {
    map_.add("words", words.data(), words.size() * sizeof(T), 0, writable);
    emulator::MemoryMap::current() = &map_;
  }
  template <class T>
  void add(const std::vector<T>& words) {
    map_.add("others", words.data(), words.size() * sizeof(T), 1, false);
  }
  ~OneBuffer() { emulator::MemoryMap::current() = nullptr; }

 private:
  emulator::MemoryMap map_;
};

}  // namespace testing
}  // namespace gaspipe
