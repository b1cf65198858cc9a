// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/backend/placed_layout.h"

#include "cpp/src/predict/pipeline_fit.h"
#include "cpp/src/predict/pipeline_timer.h"
#include "cpp/src/predict/predictor.h"
#include "gaspipe/error.h"

namespace gaspipe {

void check_plans(const RunOptions& options, const Pipeline& pipeline) {
  if (options.partition) {
    throw InputError(message("config \"", pipeline.name, "\" makes partitions of its own; omit partitioning"));
  }
  if (options.own_scheduler || options.scheduler != "in_order") {
    throw InputError(message("config \"", pipeline.name, "\" plans which pipeline takes what; omit scheduler"));
  }
}

std::unique_ptr<PipelineLayout> lay_out(const Placement& placement, const Csr& csr, const Pipeline& pipeline,
                                        const predict::PipelineShape& shape, const Board& board, double clock_mhz,
                                        bool has_properties, Workers& workers) {
  const abi::Instance& instance = placement.instance;
  const bool is_weighted = placement.edge_type != abi::kNone;
  PipelineLayout::Sizes sizes{};
  sizes.property_bytes = static_cast<std::uint64_t>(instance.property_bytes);
  sizes.update_bytes = static_cast<std::uint64_t>(instance.update_bytes);
  sizes.weight_bytes = is_weighted ? sizes.property_bytes : 0;
  sizes.property_words = has_properties ? lines_for(csr.num_rows, instance.property_bytes) : 0;
  predict::PlanOptions options =
      predict::plan_options({pipeline.name, shape, board, clock_mhz, csr, predict::numbers_of(instance),
                             static_cast<int>(sizes.weight_bytes)});
  options.shrink = static_cast<VertexId>(instance.update_bytes / 4);
  return std::make_unique<PipelineLayout>(
      predict::plan_pipelines(csr, shape, options, workers), predict::num_pipelines(shape), csr, sizes,
      is_weighted ? placement.graph.weights_as(placement.view, placement.edge_type, workers) : Array<std::uint8_t>(),
      board, pipeline.name, workers);
}

}  // namespace gaspipe
