// SPDX-License-Identifier: Apache-2.0
// The kernel after two kinds of pipelines (dense_gather_scatter.h, sparse_gather_scatter.h): what all of them gathered
// is merged and applied, in one launch, while each of them runs exchange_parts.h. New properties go to every pipeline
// and to its own memory.
//
//   gathered[unit] --> cuMerge --> ... --> cuMerge --> applyProcess --> cuDuplicate --passRange--> updated[unit]
//   properties, aux --readRange---------------------------/  \--> sums          \----writeRange--> own
//
// Tasks of ranges of vertices are those of apply.h.
#pragma once

#include "hls/kernel/apply.h"
#include "hls/module/parts.h"

namespace gaspipe {

// The range's words, from or to another kernel.
template <class T>
void passRange(VertexId first, VertexId last, stream<Word<T>>& in, stream<Word<T>>& out) {
  const std::uint32_t num_words = words_of_range<T>(first, last);
  Word<T> word;
  for (std::uint32_t i = 0; i < num_words; ++i) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 1048576);
    read_from_stream(in, word);
    write_to_stream(out, word);
  }
}

// Vertices [first, last), `first` is 0; gathered[unit] and updated[unit] are streams from and to the pipelines. Of
// `units`, `sums` and `arg` see apply.h.
template <class Hooks, class Memory = StreamingMemory, int most_units = kMostParts, class Gathered, class Aux,
          class Updated>
void apply_parts(int units, Gathered& gathered, const Word<typename Hooks::Property>* properties, const Aux& aux,
                 Updated& updated, Word<typename Hooks::Property>* own, ResultWord* sums, VertexId first, VertexId last,
                 const std::uint32_t* arg) {
  constexpr int kAux = Traits<Hooks>::kAux, kAuxSlots = Traits<Hooks>::kAuxSlots;
  constexpr int kResults = ApplyShape<Hooks>::kResultWords;
  constexpr int kMostCopies = most_units + 1;
  const int num_copies = units + 1;  // the last is its own
  using Property = typename Hooks::Property;
  using Value = typename Traits<Hooks>::Update;
  using Values = Word<Value>;
  using Properties = Word<Property>;
  using InputWords = Word<typename Traits<Hooks>::Aux>;

  GASPIPE_DATAFLOW;
  GASPIPE_STREAMS(Values, merged, most_units, kApplyLinkDepth);
  GASPIPE_STREAM(Properties, sources, kApplyMemoryDepth);
  GASPIPE_STREAMS(InputWords, input_words, kAuxSlots, kApplyMemoryDepth);
  GASPIPE_STREAM(Properties, applied, kApplyLinkDepth);
  GASPIPE_STREAM(ResultWord, results, kApplyLinkDepth);
  GASPIPE_STREAMS(Properties, copies, kMostCopies, kApplyLinkDepth);

  GASPIPE_TASK(passRange(first, last, gathered[0], merged[0]));
  for (int unit = 1; unit < units; ++unit) {
    GASPIPE_TASK_I(unit, cuMerge<Hooks>(first, last, merged[unit - 1], gathered[unit], merged[unit]));
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
  GASPIPE_TASK(cuDuplicate(first, last, num_copies, applied, copies));
  for (int unit = 0; unit < units; ++unit) {
    GASPIPE_TASK_I(unit, passRange(first, last, copies[unit], updated[unit]));
  }
  GASPIPE_TASK(writeRange<Memory>(first, last, own, copies[units]));
  GASPIPE_TASK(writeSums<kResults>(results, sums));
  GASPIPE_RUN;
}

}  // namespace gaspipe
