// SPDX-License-Identifier: Apache-2.0
// What a pipeline (dense_gather_scatter.h, sparse_gather_scatter.h) does beside apply_parts.h, in a launch of its own
// after all have gathered: what it gathered goes to apply, and the new properties come back into its memory.
//
//   edges --readParts--> sendParts <-- gathered          from_apply --writeRange--> updated
//                            \--> to_apply
//
// A stream to and one from apply in place of ports of apply's to every pipeline's memory: HBM has 32 ports in all.
#pragma once

#include "hls/kernel/apply.h"
#include "hls/module/parts.h"

namespace gaspipe {

// `edges` begins with the descriptors of what the pipeline gathered, `num_sub_partitions` of them; vertices are
// [0, num_vertices).
template <class Hooks>
void exchange_parts(const Word<std::uint32_t>* edges, const Word<typename Traits<Hooks>::Update>* parts,
                    Word<typename Hooks::Property>* updated, std::uint32_t num_sub_partitions, VertexId num_vertices,
                    stream<Word<typename Traits<Hooks>::Update>>& to_apply,
                    stream<Word<typename Hooks::Property>>& from_apply) {
  using Value = typename Traits<Hooks>::Update;

  GASPIPE_DATAFLOW;
  GASPIPE_STREAM(PartToken, described, kApplyLinkDepth);
  GASPIPE_TASK(readParts<Value>(edges, num_sub_partitions, num_vertices, described));
  GASPIPE_TASK(sendParts<Hooks>(num_sub_partitions, parts, described, to_apply));
  GASPIPE_TASK(writeRange<StreamingMemory>(0, num_vertices, updated, from_apply));
  GASPIPE_RUN;
}

}  // namespace gaspipe
