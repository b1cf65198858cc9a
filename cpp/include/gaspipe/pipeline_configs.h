// SPDX-License-Identifier: Apache-2.0
// Which of the configurations that can be predicted are designs for HBM, with pipelines of two kinds.
#pragma once

#include "gaspipe/prediction.h"

namespace gaspipe {

// For no other boards. Predictions estimate their time as a whole, from the graph.
bool is_for_hbm(const KernelConfigDescription& config);

}  // namespace gaspipe
