// SPDX-License-Identifier: Apache-2.0
// The second kernel: what the compute units gathered for a partition is merged, applied, and handed to every unit's
// bank.
//
//   gathered[unit] --burstReadLite--> cuMerge --> ... --> cuMerge --> applyProcess --> cuDuplicate --writeBackLite-->
//   updated[unit] properties, inputs --burstReadLite--------------------------------/         \--> sums, activity
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

// The inputs' part, which a program without any does not have.
template <class Hooks, int num_aux, int num_results>
struct Applying {
  using Property = Word<typename Hooks::Property>;
  using Value = Word<typename Traits<Hooks>::Update>;
  using Aux = Word<typename Traits<Hooks>::Aux>;

  static void run(std::uint32_t num_vertices, typename Traits<Hooks>::Arg arg, stream<Value>& gathered,
                  stream<Property>& properties, stream<Aux> (&inputs)[num_aux], stream<Property>& out,
                  stream<ResultWord>& results) {
    GASPIPE_PRAGMA(HLS INLINE);
    applyProcess<Hooks, num_results>(num_vertices, arg, gathered, properties, inputs, out, results);
  }
};
template <class Hooks, int num_results>
struct Applying<Hooks, 0, num_results> {
  using Property = Word<typename Hooks::Property>;
  using Value = Word<typename Traits<Hooks>::Update>;
  using Aux = Word<typename Traits<Hooks>::Aux>;

  static void run(std::uint32_t num_vertices, typename Traits<Hooks>::Arg arg, stream<Value>& gathered,
                  stream<Property>& properties, stream<Aux> (&/*inputs*/)[1], stream<Property>& out,
                  stream<ResultWord>& results) {
    GASPIPE_PRAGMA(HLS INLINE);
    applyProcess<Hooks, num_results>(num_vertices, arg, gathered, properties, out, results);
  }
};

// The words of the sums and the activity; under its own name in reports.
inline void writeSums(stream<ResultWord>& in, ResultWord* sums, std::uint32_t num_words) {
  GASPIPE_PORT(Write, port, sums);
  ResultWord word;
  for (std::uint32_t i = 0; i < num_words; ++i) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 8);
    GASPIPE_WORD(port, i, num_words);
    read_from_stream(in, word);
    sums[i] = word;
  }
}

// Vertices [first, last), where `first` starts a word; `gathered` holds those, the other arrays all vertices. `Count`
// is Units<n> in hardware, AnyUnits in the emulator. `sums` takes ApplyShape<Hooks>::kResultWords words: the sums'
// bits, then the activity of the range (hls/module/activity.h).
//
// gathered[unit], inputs[k] and updated[unit] are pointers to memory. The emulator passes arrays of them, for any
// number of units; Vitis does not accept such arrays as ports, so a top groups ports in Banks, and this function becomes
// part of the top: once its loops are unrolled, each task names a port.
template <class Hooks, class Memory = StreamingMemory, class Count, class Gathered, class Inputs, class Updated>
void apply(const Gathered& gathered, Count units, const Word<typename Hooks::Property>* properties,
           const Inputs& inputs, const Updated& updated, ResultWord* sums, VertexId first, VertexId last,
           typename Traits<Hooks>::Arg arg) {
  constexpr int kAux = Traits<Hooks>::kAux;
  using Property = typename Hooks::Property;
  using Value = typename Traits<Hooks>::Update;
  using Aux = typename Traits<Hooks>::Aux;
  using Values = Word<Value>;
  using Properties = Word<Property>;
  using InputWords = Word<Aux>;
  constexpr int kResults = Memory::kWritesActivity ? ApplyShape<Hooks>::kResultWords : ApplyShape<Hooks>::kSumWords;
  constexpr int kOthers = Count::kMost > 1 ? Count::kMost - 1 : 1;  // units but the first
  const std::uint32_t num_vertices = last - first;
  const std::uint32_t value_words = (num_vertices + Values::kSize - 1) / Values::kSize;
  const std::uint32_t property_words = (num_vertices + Properties::kSize - 1) / Properties::kSize;
  const std::uint32_t first_property = first / Properties::kSize, first_input = first / InputWords::kSize;
  const std::uint32_t last_property = first_property + property_words;
  const std::uint32_t last_input = first_input + (num_vertices + InputWords::kSize - 1) / InputWords::kSize;

  GASPIPE_DATAFLOW_INLINE;
  GASPIPE_STREAMS(Values, other_values, kOthers, kApplyMemoryDepth);
  GASPIPE_STREAMS(Values, merged, Count::kMost, kApplyLinkDepth);
  GASPIPE_STREAM(Properties, sources, kApplyMemoryDepth);
  GASPIPE_STREAMS(InputWords, input_words, Traits<Hooks>::kAuxSlots, kApplyMemoryDepth);
  GASPIPE_STREAM(Properties, applied, kApplyLinkDepth);
  GASPIPE_STREAM(ResultWord, results, kApplyLinkDepth);
  GASPIPE_STREAMS(Properties, copies, Count::kMost, kApplyMemoryDepth);

  GASPIPE_TASK(Memory::burstReadLite(0, value_words, gathered[0], merged[0]));
  for (int unit = 1; unit < units; ++unit) {
    GASPIPE_PRAGMA(HLS UNROLL);
    GASPIPE_TASK_I(unit, Memory::burstReadLite(0, value_words, gathered[unit], other_values[unit - 1]));
    GASPIPE_TASK_I(unit, cuMerge<Hooks>(merged[unit - 1], other_values[unit - 1], value_words, merged[unit]));
  }
  GASPIPE_TASK(Memory::burstReadLite(first_property, last_property, properties, sources));
  for (int k = 0; k < kAux; ++k) {
    GASPIPE_PRAGMA(HLS UNROLL);
    GASPIPE_TASK_I(k, Memory::burstReadLite(first_input, last_input, inputs[k], input_words[k]));
  }
  GASPIPE_TASK(Applying<Hooks, kAux, kResults>::run(num_vertices, arg, merged[units - 1], sources, input_words, applied,
                                                    results));
  GASPIPE_TASK(cuDuplicate<Property>(applied, property_words, units, copies));
  for (int unit = 0; unit < units; ++unit) {
    GASPIPE_PRAGMA(HLS UNROLL);
    GASPIPE_TASK_I(unit, Memory::writeBackLite(first_property, last_property, updated[unit], copies[unit]));
  }
  GASPIPE_TASK(writeSums(results, sums, kResults));
  GASPIPE_RUN;
}

}  // namespace gaspipe
