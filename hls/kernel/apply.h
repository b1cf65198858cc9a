// SPDX-License-Identifier: Apache-2.0
// The second kernel: what the compute units gathered for a partition is merged, applied, and handed to every unit's
// bank.
//
//   gathered[unit] --readGathered--> cuMerge --> ... --> cuMerge --> applyProcess --> cuDuplicate --writeRange-->
//   updated[unit] properties, aux --readRange------------------------------------/         \--> sums, activity
//
// Shape: X. Chen et al., "ThunderGP", FPGA 2021.
#pragma once

#include "hls/kernel/units.h"
#include "hls/module/apply.h"
#include "hls/module/burst_read.h"
#include "hls/module/duplicate.h"
#include "hls/module/merge.h"
#include "hls/module/write_back.h"
#include "hls/stream.h"

namespace gaspipe {

constexpr int kApplyMemoryDepth = 64;
constexpr int kApplyLinkDepth = 16;

// How the kernel reads and writes memory, and whether it writes the activity; another `Memory` has the same members.
struct StreamingMemory {
  static constexpr bool kWritesActivity = true;

  template <class T>
  static void burstReadLite(std::uint32_t first, std::uint32_t last, const Word<T>* memory, stream<Word<T>>& out) {
    GASPIPE_PRAGMA(HLS INLINE);
    ::gaspipe::burstReadLite(first, last, memory, out);
  }
  template <class T>
  static void writeBackLite(std::uint32_t first, std::uint32_t last, Word<T>* memory, stream<Word<T>>& in) {
    GASPIPE_PRAGMA(HLS INLINE);
    ::gaspipe::writeBackLite(first, last, memory, in);
  }
};

// The tasks of a range of vertices, [first, last): what they read and write follows from it.
template <class T>
std::uint32_t words_of_range(VertexId first, VertexId last) {
  GASPIPE_PRAGMA(HLS INLINE);
  return (last - first + Word<T>::kSize - 1) / Word<T>::kSize;
}

// A unit's words, which begin with the range's first.
template <class Memory, class T>
void readGathered(VertexId first, VertexId last, const Word<T>* gathered, stream<Word<T>>& out) {
  Memory::burstReadLite(0, words_of_range<T>(first, last), gathered, out);
}
// The range's words of an array of all vertices.
template <class Memory, class T>
void readRange(VertexId first, VertexId last, const Word<T>* memory, stream<Word<T>>& out) {
  const std::uint32_t from = first / Word<T>::kSize;
  Memory::burstReadLite(from, from + words_of_range<T>(first, last), memory, out);
}
template <class Memory, class T>
void writeRange(VertexId first, VertexId last, Word<T>* memory, stream<Word<T>>& in) {
  const std::uint32_t from = first / Word<T>::kSize;
  Memory::writeBackLite(from, from + words_of_range<T>(first, last), memory, in);
}

template <class Hooks>
void cuMerge(VertexId first, VertexId last, stream<Word<typename Traits<Hooks>::Update>>& a,
             stream<Word<typename Traits<Hooks>::Update>>& b, stream<Word<typename Traits<Hooks>::Update>>& out) {
  cuMerge<Hooks>(a, b, words_of_range<typename Traits<Hooks>::Update>(first, last), out);
}

// The words of Arg are `arg_0` to `arg_7`.
template <class Hooks, int num_results>
void applyProcess(VertexId first, VertexId last, std::uint32_t arg_0, std::uint32_t arg_1, std::uint32_t arg_2,
                  std::uint32_t arg_3, std::uint32_t arg_4, std::uint32_t arg_5, std::uint32_t arg_6,
                  std::uint32_t arg_7, stream<Word<typename Traits<Hooks>::Update>>& gathered,
                  stream<Word<typename Hooks::Property>>& properties,
                  stream<Word<typename Traits<Hooks>::Aux>> (&inputs)[Traits<Hooks>::kAuxSlots],
                  stream<Word<typename Hooks::Property>>& out, stream<ResultWord>& results) {
  applyProcess<Hooks, num_results>(
      last - first, to_arg<typename Traits<Hooks>::Arg>(arg_0, arg_1, arg_2, arg_3, arg_4, arg_5, arg_6, arg_7),
      gathered, properties, inputs, out, results);
}
template <class Hooks, int num_results>
void applyProcess(VertexId first, VertexId last, std::uint32_t arg_0, std::uint32_t arg_1, std::uint32_t arg_2,
                  std::uint32_t arg_3, std::uint32_t arg_4, std::uint32_t arg_5, std::uint32_t arg_6,
                  std::uint32_t arg_7, stream<Word<typename Traits<Hooks>::Update>>& gathered,
                  stream<Word<typename Hooks::Property>>& properties, stream<Word<typename Hooks::Property>>& out,
                  stream<ResultWord>& results) {
  applyProcess<Hooks, num_results>(
      last - first, to_arg<typename Traits<Hooks>::Arg>(arg_0, arg_1, arg_2, arg_3, arg_4, arg_5, arg_6, arg_7),
      gathered, properties, out, results);
}

template <class T, int most>
void cuDuplicate(VertexId first, VertexId last, int units, stream<Word<T>>& in, stream<Word<T>> (&out)[most]) {
  cuDuplicate(in, words_of_range<T>(first, last), units, out);
}

// The words of the sums and the activity; under its own name in reports.
template <int num_words>
void writeSums(stream<ResultWord>& in, ResultWord* sums) {
  GASPIPE_PORT(Write, port, sums);
  ResultWord word;
  for (std::uint32_t i = 0; i < num_words; ++i) {
    GASPIPE_PIPELINE(1);
    GASPIPE_WORD(port, i, num_words);
    read_from_stream(in, word);
    sums[i] = word;
  }
}

// Vertices [first, last), where `first` starts a word; `gathered` holds those, the other arrays all vertices. `sums`
// takes ApplyShape<Hooks>::kResultWords words: the sums' bits, then the activity of the range (hls/module/activity.h).
// `arg` is a program's Arg as kArgWords words (to_arg).
//
// gathered[unit], aux[k] and updated[unit] are pointers to memory, of which the emulator passes arrays for any number
// of units up to `most_units`. Vitis does not accept such arrays as ports: a top has ports called gathered_0, ...,
// arg_7, and both numbers are that of its units.
template <class Hooks, class Memory = StreamingMemory, int most_units = kMostUnits, class Gathered, class Aux,
          class Updated>
void apply(int units, const Gathered& gathered, const Word<typename Hooks::Property>* properties, const Aux& aux,
           const Updated& updated, ResultWord* sums, VertexId first, VertexId last, const std::uint32_t* arg) {
  constexpr int kAux = Traits<Hooks>::kAux, kAuxSlots = Traits<Hooks>::kAuxSlots;
  constexpr int kResults = Memory::kWritesActivity ? ApplyShape<Hooks>::kResultWords : ApplyShape<Hooks>::kSumWords;
  using Property = typename Hooks::Property;
  using Value = typename Traits<Hooks>::Update;
  using Values = Word<Value>;
  using Properties = Word<Property>;
  using InputWords = Word<typename Traits<Hooks>::Aux>;

  GASPIPE_DATAFLOW;
  GASPIPE_STREAMS(Values, other_values, most_units - 1, kApplyMemoryDepth);  // of units but the first
  GASPIPE_STREAMS(Values, merged, most_units, kApplyLinkDepth);
  GASPIPE_STREAM(Properties, sources, kApplyMemoryDepth);
  GASPIPE_STREAMS(InputWords, input_words, kAuxSlots, kApplyMemoryDepth);
  GASPIPE_STREAM(Properties, applied, kApplyLinkDepth);
  GASPIPE_STREAM(ResultWord, results, kApplyLinkDepth);
  GASPIPE_STREAMS(Properties, copies, most_units, kApplyMemoryDepth);

  GASPIPE_TASK(readGathered<Memory>(first, last, gathered[0], merged[0]));
  for (int unit = 1; unit < units; ++unit) {
    GASPIPE_TASK_I(unit, readGathered<Memory>(first, last, gathered[unit], other_values[unit - 1]));
    GASPIPE_TASK_I(unit, cuMerge<Hooks>(first, last, merged[unit - 1], other_values[unit - 1], merged[unit]));
  }
  GASPIPE_TASK(readRange<Memory>(first, last, properties, sources));
  if (kAux > 0) {
    for (int k = 0; k < kAux; ++k) {
      GASPIPE_TASK_I(k, readRange<Memory>(first, last, aux[k], input_words[k]));
    }
    GASPIPE_TASK(applyProcess<Hooks, kResults>(first, last, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5], arg[6],
                                               arg[7], merged[units - 1], sources, input_words, applied, results));
  } else {
    GASPIPE_TASK(applyProcess<Hooks, kResults>(first, last, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5], arg[6],
                                               arg[7], merged[units - 1], sources, applied, results));
  }
  GASPIPE_TASK(cuDuplicate(first, last, units, applied, copies));
  for (int unit = 0; unit < units; ++unit) {
    GASPIPE_TASK_I(unit, writeRange<Memory>(first, last, updated[unit], copies[unit]));
  }
  GASPIPE_TASK(writeSums<kResults>(results, sums));
  GASPIPE_RUN;
}

}  // namespace gaspipe
