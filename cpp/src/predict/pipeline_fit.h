// SPDX-License-Identifier: Apache-2.0
// How many pipelines of a design a board takes: as many as its pseudo-channels serve and its regions have URAM, BRAM
// and LUTs for.
#pragma once

#include "hls/device/board.h"
#include "pipeline_shape.h"
#include "timed_kernels.h"

namespace gaspipe {
namespace predict {

inline int num_pipelines(const PipelineShape& shape) { return shape.dense.num_pipelines + shape.sparse.num_pipelines; }

// A smaller design, of 2 pipelines or more: the sparse ones' share is that of `largest`, and there is at least one of
// each kind. `gaspipe build` divides in the same way (python/gaspipe/_card/kinds.py).
PipelineShape with_pipelines(const PipelineShape& largest, int pipelines);

// The design as the board takes it, with fewer pipelines than `largest` if it may have fewer. CapacityError where not
// even the smallest fits, or where the design has no weights or no such numbers. LUTs and BRAM of its kernels are
// filled in; `num_aux`: inputs of apply.
PipelineShape fit_pipelines(const char* config, const PipelineShape& largest, const Board& board,
                            const TimedNumbers& numbers, bool weighted, int num_aux = 0);

// What pipelines and apply take, and what the board has.
Resources pipeline_resources(const PipelineShape& shape, const Board& board);

}  // namespace predict
}  // namespace gaspipe
