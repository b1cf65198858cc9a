// SPDX-License-Identifier: Apache-2.0
// Designs with two kinds of pipelines. The kernels of ours are dense_gather_scatter, sparse_gather_scatter and
// apply_parts of hls/kernel; ReGraph's can be predicted only.
#include "gaspipe/pipeline_configs.h"

#include "hls/kernel/pipelines.h"
#include "pipeline_shape.h"
#include "timed_kernels.h"

namespace gaspipe {
namespace predict {

// Constants of its sources (acc_config.h, global_para.mk, kernel_*_gs): 8 edges of 8 bytes a cycle; 8 copies of 65,536
// destinations, or 524,288 in 8 PEs; rows of two destinations are flushed one a cycle, of every PE at once where PEs
// have destinations of their own. A Little pipeline has 64 blocks of BRAM for two buffers of 4,096 sources; other
// blocks are two FIFOs of 512 words.
const PipelineShape kReGraph = {
    {11, 1 << 16, 8, 2, Estimator::kLittle, 64 + 16, nullptr},
    {3, 1 << 19, 1, 16, Estimator::kBig, 16, nullptr},
    8,
    8,
    true,
    false,
    false,
    false,
    1,
};

// 16 packed edges a cycle, so 16 copies of half as many destinations take the same URAM. The four blocks of a copy
// are flushed side by side. No buffers of sources: a lane takes the property from the line that passes.
constexpr PipelineShape kHbm = {
    {kDensePipelines, 1 << 15, 16, 8, Estimator::kDense, 0, "dense_gather_scatter"},
    {kSparsePipelines, 1 << 18, 1, 16, Estimator::kSparse, 0, "sparse_gather_scatter"},
    16,
    4,
    false,
    true,
    true,
    true,
    4,
};

namespace {

constexpr KernelConfig config(const char* name, const char* summary, const PipelineShape& shape, int lanes,
                              VertexId capacity, double edge_bytes, Skips skips, bool is_published) {
  return {{name, summary, lanes, lanes, capacity, edge_bytes},
          true,
          skips,
          is_published,
          {0, 0, 0},
          "",
          nullptr,
          nullptr,
          &shape};
}

}  // namespace

const KernelConfig kReGraphConfig =
    config("regraph", "ReGraph's pipelines for HBM, 11 for dense and 3 for sparse partitions, by its own estimates",
           kReGraph, 8, 1 << 19, 8, Skips::kNothing, true);
const KernelConfig kHbmConfig =
    config("hbm", "pipelines for HBM, for dense and for sparse partitions, 4 bytes an edge, 16 edges a cycle each",
           kHbm, 16, 1 << 18, 4, Skips::kBothEnds, false);

}  // namespace predict

bool is_for_hbm(const KernelConfigDescription& config) {
  return predict::find_config(config.name).pipelines != nullptr;
}

}  // namespace gaspipe
