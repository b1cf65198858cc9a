// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/pe_array/kernel.h"
#include "hls/kernel/pull_bfs.h"

namespace gaspipe {
namespace pe_array {
namespace {

template <int num_pes>
void pull_pes(const std::vector<Ports>& ports, std::uint32_t num_state_words, std::uint32_t level,
              std::uint32_t num_groups) {
  const Line* queue[num_pes];
  const SourceWord* rows[num_pes];
  Line* next_queue[num_pes];
  for (int pe = 0; pe < num_pes; ++pe) {
    rows[pe] = ports[pe].rows;
    queue[pe] = next_queue[pe] = ports[pe].queue;
  }
  pull_bfs<Config<8, 8, kMostPulled>, num_pes>(queue, rows, rows, next_queue, num_state_words, level, num_groups);
}

}  // namespace

void run_pull(const std::vector<Ports>& ports, std::uint32_t num_state_words, std::uint32_t level,
              std::uint32_t num_groups) {
  if (ports.size() == 2) return pull_pes<2>(ports, num_state_words, level, num_groups);
  if (ports.size() == 4) return pull_pes<4>(ports, num_state_words, level, num_groups);
  pull_pes<8>(ports, num_state_words, level, num_groups);
}

void run_pull_fast(const std::vector<Ports>& ports, std::uint32_t num_state_words, std::uint32_t level,
                   std::uint32_t num_groups) {
  // All marks of the level before, for launches write over them.
  const std::uint32_t num_words = num_state_words - 1;
  std::vector<Line> frontier;
  for (const Ports& one : ports) {
    const Line* const state = one.queue + level % 2 * num_state_words;
    const Line* const other = one.queue + (1 - level % 2) * num_state_words;
    for (std::uint32_t w = 1; w <= num_words; ++w) {
      frontier.push_back(state[w]);
      for (int k = 0; k < Line::kSize; ++k) frontier.back().lane[k] ^= other[w].lane[k];
    }
  }
  const auto is_in_frontier = [&](VertexId v) {
    return (frontier[v / kMarksPerWord].lane[v % kMarksPerWord / kMarksPerRow] >> v % kMarksPerRow & 1) != 0;
  };
  for (const Ports& one : ports) {
    Receiver receiver(one, num_state_words, level);
    for (std::uint32_t index = 0; index < num_groups * kHeadsPerGroup; ++index) {
      if (receiver.is_marked(index)) continue;
      const std::uint32_t* const head = one.rows[index / kHeadsPerWord].lane + index % kHeadsPerWord * HeadLane::kNum;
      const std::uint32_t lengths = head[HeadLane::kLengths];
      const ListCode code = make_list_code(index, lengths % (1u << kListWordsBits), head[HeadLane::kPlace]);
      if (is_in_frontier(head[HeadLane::kSource])) {
        receiver.take({code, head[HeadLane::kSource], false, false});
        continue;
      }
      const SourceWord* const row = one.rows + head[HeadLane::kRow];
      for (std::uint32_t i = 0; i < lengths >> kListWordsBits; ++i) {
        const VertexId source = row[i / kSourcesPerWord].lane[i % kSourcesPerWord];
        if (!is_in_frontier(source)) continue;
        receiver.take({code, source, false, false});
        break;
      }
    }
    receiver.finish();
  }
}

}  // namespace pe_array
}  // namespace gaspipe
