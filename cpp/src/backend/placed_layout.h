// SPDX-License-Identifier: Apache-2.0
// The layout of a run's graph for a design with two kinds of pipelines, whether a card has them or the emulator.
#pragma once

#include <memory>

#include "cpp/src/backend/executor.h"
#include "cpp/src/backend/pipeline_layout.h"

namespace gaspipe {

// InputError where the options ask for partitions or a schedule: such a design plans both.
void check_plans(const RunOptions& options, const Pipeline& pipeline);

// `has_properties`: pipelines have copies of the properties before their weights.
std::unique_ptr<PipelineLayout> lay_out(const Placement& placement, const Csr& csr, const Pipeline& pipeline,
                                        const predict::PipelineShape& shape, const Board& board, double clock_mhz,
                                        bool has_properties, Workers& workers);

// Words of memory for so many values.
inline std::size_t lines_for(std::uint64_t num_values, std::int32_t value_bytes) {
  return static_cast<std::size_t>((num_values * static_cast<std::uint64_t>(value_bytes) + 63) / 64);
}

}  // namespace gaspipe
