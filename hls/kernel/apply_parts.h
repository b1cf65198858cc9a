// SPDX-License-Identifier: Apache-2.0
// The kernel after two kinds of pipelines (dense_gather_scatter.h, sparse_gather_scatter.h): the parts of every
// partition are merged and applied, all partitions in one launch, and the new properties go to every pipeline's channel
// and to its own.
//
//   parts --readParts--> readPart [pipeline] <-- gathered[pipeline]
//                            \--> cuMerge --> ... --> cuMerge --> applyProcess --> cuDuplicate --writeRange-->
//   properties, aux --readRange-----------------------------------/  \--> sums       updated[pipeline], own
//
// Tasks of ranges of vertices are those of apply.h.
#pragma once

#include "hls/kernel/apply.h"
#include "hls/module/parts.h"

namespace gaspipe {

// Vertices [first, last), `first` is 0; `parts` describes the `num_partitions` of them. Of `units`, `sums` and `arg`
// see apply.h.
template <class Hooks, class Memory = StreamingMemory, int most_units = kMostParts, class Gathered, class Aux,
          class Updated>
void apply_parts(int units, const Gathered& gathered, const Word<std::uint32_t>* parts,
                 const Word<typename Hooks::Property>* properties, const Aux& aux, const Updated& updated,
                 Word<typename Hooks::Property>* own, ResultWord* sums, std::uint32_t num_partitions, VertexId first,
                 VertexId last, const std::uint32_t* arg) {
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
  GASPIPE_STREAMS(PartToken, unit_parts, most_units, kApplyLinkDepth);
  GASPIPE_STREAMS(Values, other_values, most_units - 1, kApplyMemoryDepth);  // of pipelines but the first
  GASPIPE_STREAMS(Values, merged, most_units, kApplyLinkDepth);
  GASPIPE_STREAM(Properties, sources, kApplyMemoryDepth);
  GASPIPE_STREAMS(InputWords, input_words, kAuxSlots, kApplyMemoryDepth);
  GASPIPE_STREAM(Properties, applied, kApplyLinkDepth);
  GASPIPE_STREAM(ResultWord, results, kApplyLinkDepth);
  GASPIPE_STREAMS(Properties, copies, kMostCopies, kApplyMemoryDepth);

  GASPIPE_TASK(readParts(parts, num_partitions, units, unit_parts));
  GASPIPE_TASK(readPart<Hooks>(num_partitions, gathered[0], unit_parts[0], merged[0]));
  for (int unit = 1; unit < units; ++unit) {
    GASPIPE_TASK_I(unit, readPart<Hooks>(num_partitions, gathered[unit], unit_parts[unit], other_values[unit - 1]));
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
  GASPIPE_TASK(cuDuplicate(first, last, num_copies, applied, copies));
  for (int unit = 0; unit < units; ++unit) {
    GASPIPE_TASK_I(unit, writeRange<Memory>(first, last, updated[unit], copies[unit]));
  }
  GASPIPE_TASK(writeRange<Memory>(first, last, own, copies[units]));
  GASPIPE_TASK(writeSums<kResults>(results, sums));
  GASPIPE_RUN;
}

}  // namespace gaspipe
