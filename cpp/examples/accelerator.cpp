// SPDX-License-Identifier: Apache-2.0
#include "cpp/examples/accelerator.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cpp/examples/weighted_average.h"
#include "gaspipe/error.h"
#include "hls/emulator/engine.h"
#include "hls/emulator/memory.h"

namespace gaspipe {
namespace example {
namespace {

// An array as memory holds it: whole words, at least one.
template <class T>
std::vector<Word<T>> words_of(const std::vector<T>& values) {
  constexpr std::size_t size = Word<T>::kSize;
  std::vector<Word<T>> words(std::max<std::size_t>(1, (values.size() + size - 1) / size));
  for (std::size_t i = 0; i < values.size(); ++i) words[i / size].lane[i % size] = values[i];
  return words;
}

emulator::ChannelConfig channel_of(const Board& board) {
  const auto cycles = [&](double ns) { return static_cast<std::uint32_t>(std::lround(ns * clock_mhz(board) / 1e3)); };
  emulator::ChannelConfig channel;
  channel.bytes_per_cycle = bytes_per_cycle(board);
  channel.latency = cycles(latency_ns(board.memory));
  channel.burst_gap = cycles(board.memory.burst_gap_ns);
  channel.switch_penalty = cycles(board.memory.switch_ns);
  return channel;
}

// The memory of a board, which kernels of this thread use while it lives.
class BoardMemory {
 public:
  explicit BoardMemory(const Board& board)
      : map_(std::vector<emulator::Channel>(board.memory.num_banks, emulator::Channel(channel_of(board)))) {
    emulator::MemoryMap::current() = &map_;
  }
  ~BoardMemory() { emulator::MemoryMap::current() = nullptr; }
  BoardMemory(const BoardMemory&) = delete;
  BoardMemory& operator=(const BoardMemory&) = delete;

  // Each buffer is in the bank after the last one's.
  template <class T>
  void add(const char* name, const std::vector<Word<T>>& words, bool writable) {
    map_.add(name, words.data(), words.size() * sizeof(Word<T>), num_++ % map_.channels().size(), writable);
  }
  std::uint64_t num_bytes() const {
    double sum = 0;
    for (const emulator::Channel& channel : map_.channels()) sum += channel.num_bytes();
    return static_cast<std::uint64_t>(sum);
  }

 private:
  emulator::MemoryMap map_;
  std::size_t num_ = 0;
};

}  // namespace

AverageRun run_weighted_average(const Csr& rows, const std::vector<float>& values, const Board& board) {
  if (values.size() != rows.num_rows || rows.num_rows != rows.num_columns) {
    throw InputError(message("found ", values.size(), " values for ", rows.num_rows, " x ", rows.num_columns,
                             " vertices; give a square matrix, and a value for every vertex"));
  }
  std::vector<std::uint64_t> offsets;
  for (std::size_t v = 0; v <= rows.num_rows; ++v) offsets.push_back(rows.offsets[v]);
  std::vector<float> along, degrees;
  for (const VertexId neighbor : rows.targets) {
    along.push_back(values[neighbor]);
    degrees.push_back(static_cast<float>(std::max<EdgeCount>(1, rows.degree(neighbor))));
  }
  const Average none = {std::numeric_limits<float>::quiet_NaN(), 0};
  const auto row_words = words_of(offsets);
  const auto value_words = words_of(along), degree_words = words_of(degrees);
  auto averages = words_of(std::vector<Average>(rows.num_rows, none));
  auto ends = words_of(std::vector<std::uint64_t>(8 * block::end_lines<5>()));

  BoardMemory memory(board);
  memory.add("rows", row_words, false);
  memory.add("values", value_words, false);
  memory.add("degrees", degree_words, false);
  memory.add("averages", averages, true);
  memory.add("ends", ends, true);
  weighted_average(row_words.data(), value_words.data(), degree_words.data(), averages.data(), averages.data(),
                   ends.data(), rows.num_rows);

  AverageRun run;
  for (VertexId v = 0; v < rows.num_rows; ++v) run.averages.push_back(averages[v / 8].lane[v % 8].value);
  run.cycles = emulator::Engine::last_cycles();
  run.num_bytes = memory.num_bytes();
  run.seconds = static_cast<double>(run.cycles) / (clock_mhz(board) * 1e6);
  return run;
}

}  // namespace example
}  // namespace gaspipe
