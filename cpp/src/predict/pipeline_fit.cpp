// SPDX-License-Identifier: Apache-2.0
#include "pipeline_fit.h"

#include <algorithm>

#include "gaspipe/error.h"
#include "gaspipe/fabric.h"
#include "hls/kernel/pipelines.h"
#include "hls/module/parts.h"
#include "region_rooms.h"
#include "resources.h"

namespace gaspipe {
namespace predict {
namespace {

constexpr int kFewest = 2;  // one of each kind
static_assert(kDensePipelines + kSparsePipelines <= kMostParts, "apply merges the parts of all pipelines");

int uram_of(const PipelineKind& kind) { return kind.copies * blocks(kind.capacity / 2, 8, kUramRows, kUramBits); }

int channels_of(const PipelineShape& shape) {
  return kChannelsPerPipeline * num_pipelines(shape) + shape.apply_channels;
}

// Pipelines that the board's pseudo-channels serve.
int served(const PipelineShape& shape, const Board& board) {
  return (board.memory.num_banks - shape.apply_channels) / kChannelsPerPipeline;
}

Slr room_of(const PipelineKind& kind) { return {uram_of(kind), kind.fifo_bram, kind.luts}; }

// Each pipeline lies in one region, in that with most URAM left, and so does apply. `gaspipe build` places them in the
// same way (python/gaspipe/_card/placing.py).
bool fits_regions(const PipelineShape& shape, const Board& board) {
  if (board.num_uram() == 0) return true;  // unknown
  RegionRooms rooms(board, kUsable);
  for (const PipelineKind* kind : {&shape.dense, &shape.sparse}) {
    for (int i = 0; i < kind->num_pipelines; ++i) {
      if (!rooms.take(room_of(*kind))) return false;
    }
  }
  return rooms.take({0, shape.apply.bram, shape.apply.luts});
}

// With LUTs and BRAM of the kernels, where it has kernels.
PipelineShape with_fabric(PipelineShape shape, const TimedNumbers& numbers, bool weighted, int num_aux) {
  for (PipelineKind* kind : {&shape.dense, &shape.sparse}) {
    if (kind->kernel == nullptr) return shape;
    const Pipeline& width = kPipelines[kHbmPipeline];
    const Fabric fabric = fabric_of(
        FabricQuestion{kind->kernel, width.lanes, width.pes, numbers.word_bytes, weighted, numbers.is_floating});
    kind->fifo_bram = fabric.bram;
    kind->luts = fabric.luts;
  }
  shape.apply = fabric_of_apply("apply_parts", num_pipelines(shape), numbers.word_bytes, numbers.is_floating, num_aux);
  return shape;
}

[[noreturn]] void refuse_design(const char* config, const std::string& why) {
  throw CapacityError(message("config \"", config, "\" ", why));
}

// Of a design that is the same on every board.
void check_whole(const char* config, const PipelineShape& shape, const Board& board) {
  if (board.memory.num_banks < channels_of(shape)) {
    refuse_design(config,
                  message("has ", num_pipelines(shape), " pipelines with ", kChannelsPerPipeline,
                          " pseudo-channels each and ", shape.apply_channels, " for apply; ", board.name, " has ",
                          board.memory.num_banks, ", enough for ", served(shape, board), " pipelines"));
  }
  const Resources needed = pipeline_resources(shape, board);
  const auto check = [&](const char* what, int used, int available) {
    if (available == 0 || used <= available) return;  // 0: unknown
    refuse_design(config, message("takes ", used, " blocks of ", what, "; ", board.name, " has ", available,
                                  "; use \"packed\" there, or a board with more (u280)"));
  };
  check("URAM", needed.uram, needed.uram_available);
  check("BRAM", needed.bram, needed.bram_available);
}

// `fewest` is the design with one pipeline of each kind.
[[noreturn]] void refuse_smallest(const char* config, const PipelineShape& fewest, const Board& board) {
  const char* const remedy = "; use \"packed\" there, or a board with more (u280)";
  if (served(fewest, board) < kFewest) {
    refuse_design(config, message("needs at least ", channels_of(fewest), " pseudo-channels of HBM, for ", kFewest,
                                  " pipelines and apply; ", board.name, " has ", board.memory.num_banks, remedy));
  }
  std::string regions;
  for (int i = 0; i < board.num_slrs; ++i) {
    const Slr& slr = board.slr[i];
    regions += message(i == 0 ? "" : "; ", slr.num_uram, ", ", slr.num_bram, " and ",
                       slr.num_luts == 0 ? std::string("an unknown number") : std::to_string(slr.num_luts));
  }
  const auto luts = [](int num) { return num == 0 ? std::string("LUTs not estimated") : message("about ", num); };
  refuse_design(config, message("needs room for ", kFewest,
                                " pipelines and apply, each in one region. Blocks of URAM, of BRAM, and LUTs "
                                "(estimated by yosys, which finds more than Vivado): one takes ",
                                uram_of(fewest.dense), ", ", fewest.dense.fifo_bram, " and ", luts(fewest.dense.luts),
                                ", the other ", uram_of(fewest.sparse), ", ", fewest.sparse.fifo_bram, " and ",
                                luts(fewest.sparse.luts), ", apply 0, ", fewest.apply.bram, " and ",
                                luts(fewest.apply.luts), "; the regions of ", board.name, " have ", regions,
                                ", of whose blocks ", 100 * kUsable, " % may be used", remedy));
}

}  // namespace

PipelineShape with_pipelines(const PipelineShape& largest, int pipelines) {
  const int all = num_pipelines(largest);
  const int rounded = (2 * pipelines * largest.sparse.num_pipelines + all) / (2 * all);
  PipelineShape shape = largest;
  shape.sparse.num_pipelines = std::max(1, rounded);
  shape.dense.num_pipelines = pipelines - shape.sparse.num_pipelines;
  return shape;
}

PipelineShape fit_pipelines(const char* config, const PipelineShape& largest, const Board& board,
                            const TimedNumbers& numbers, bool weighted, int num_aux) {
  if (board.memory.kind != MemoryKind::kHbm) {
    const bool may_be_smaller = largest.may_be_smaller;
    refuse_design(config, message("needs ", may_be_smaller ? "at least " : "",
                                  channels_of(may_be_smaller ? with_pipelines(largest, kFewest) : largest),
                                  " pseudo-channels of HBM; ", board.name, " has ", board.memory.num_banks,
                                  " banks of DDR; use \"packed\" there, or a board with HBM (u280)"));
  }
  if (weighted && !largest.has_weights) refuse_design(config, "has no weights; use \"hbm\"");
  if (numbers.word_bytes > 4 && !largest.has_wide_properties) {
    refuse_design(config, "has properties of 32 bits; use \"hbm\"");
  }
  if (!largest.may_be_smaller) {
    check_whole(config, largest, board);
    return largest;
  }
  for (int pipelines = std::min(num_pipelines(largest), served(largest, board)); pipelines >= kFewest; --pipelines) {
    const PipelineShape shape = with_fabric(with_pipelines(largest, pipelines), numbers, weighted, num_aux);
    if (fits_regions(shape, board)) return shape;
  }
  refuse_smallest(config, with_fabric(with_pipelines(largest, kFewest), numbers, weighted, num_aux), board);
}

Resources pipeline_resources(const PipelineShape& shape, const Board& board) {
  Resources resources;
  for (const PipelineKind* kind : {&shape.dense, &shape.sparse}) {
    resources.uram += kind->num_pipelines * uram_of(*kind);
    resources.bram += kind->num_pipelines * kind->fifo_bram;
  }
  resources.bram += shape.apply.bram;
  if (shape.dense.luts > 0 && shape.sparse.luts > 0 && shape.apply.luts > 0) {
    resources.luts = shape.dense.num_pipelines * shape.dense.luts + shape.sparse.num_pipelines * shape.sparse.luts +
                     shape.apply.luts;
  }
  resources.uram_available = board.num_uram();
  resources.bram_available = board.num_bram();
  resources.luts_available = board.num_luts();
  return resources;
}

}  // namespace predict
}  // namespace gaspipe
