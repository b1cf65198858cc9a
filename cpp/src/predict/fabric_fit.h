// SPDX-License-Identifier: Apache-2.0
// LUTs and BRAM of a configuration whose compute units are alike, and whether a board has them.
#pragma once

#include "gaspipe/fabric.h"
#include "hls/device/board.h"
#include "timed_kernels.h"

namespace gaspipe {
namespace predict {

struct ConfigFabric {
  Fabric unit, apply;
};
ConfigFabric fabric_of(const KernelConfig& config, const TimedNumbers& numbers, bool is_weighted, int num_units,
                       int num_aux);

// CapacityError where a board's regions lack BRAM or LUTs for so many units, each of them and apply in one region.
void check_fabric(const KernelConfig& config, const Board& board, int num_units, int uram_per_unit,
                  const ConfigFabric& fabric);

}  // namespace predict
}  // namespace gaspipe
