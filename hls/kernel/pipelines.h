// SPDX-License-Identifier: Apache-2.0
// The pipelines: kernels that together take a program's super-step, a gather-scatter on every compute unit and an apply
// after it. C++ uses the table as it is, Python reads its text (python/gaspipe/_card/kernels.py): one row per line.
#pragma once

#include "hls/edge_codec.h"
#include "hls/module/tokens.h"

namespace gaspipe {

struct Pipeline {
  const char* name;  // the `config` of builds and runs
  const char* gather_scatter;
  const char* apply;
  EdgeLayout edges;
  int lanes, pes;          // as `gaspipe build` and the emulator take them unless told otherwise
  VertexId most_capacity;  // vertices of a partition
  const char* dense;       // of designs with two kinds of pipelines, that for dense partitions; else ""
};

constexpr Pipeline kPipelines[] = {
    {"plain", "gather_scatter", "apply", EdgeLayout::kPlain, 8, 8, 1048576, ""},
    {"packed", "packed_gather_scatter", "apply", EdgeLayout::kPacked, 16, 16, 524288, ""},
    {"hbm", "sparse_gather_scatter", "apply_parts", EdgeLayout::kPacked, 16, 16, 262144, "dense_gather_scatter"},
};
constexpr int kPlainPipeline = 0, kPackedPipeline = 1, kHbmPipeline = 2;

constexpr bool has_two_kinds(const Pipeline& pipeline) { return pipeline.dense[0] != '\0'; }

// Of designs with two kinds, the most that there are, as a U280 has them; boards with less room have fewer
// (docs/hbm.md). Partitions that a dense pipeline takes one by one are together one of a sparse one.
constexpr int kDensePipelines = 11, kSparsePipelines = 3;
constexpr VertexId kDensePerSparse = 8;

template <int pipeline>
using PipelineConfig = Config<kPipelines[pipeline].lanes, kPipelines[pipeline].pes, kPipelines[pipeline].most_capacity>;

}  // namespace gaspipe
