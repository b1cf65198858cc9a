// SPDX-License-Identifier: Apache-2.0
// What streams and tasks of the timed kernels did, added up over a prediction.
#pragma once

#include "gaspipe/prediction.h"
#include "timed_kernels.h"

namespace gaspipe {
namespace predict {

// The streams and tasks of the first kernel added are those that a prediction lists, or those of `all` kernels.
void add_statistics(Prediction& prediction, const KernelConfig& config, const KernelTiming& timing, bool all = false);
void add_apply_statistics(Prediction& prediction, const KernelTiming& timing);

}  // namespace predict
}  // namespace gaspipe
