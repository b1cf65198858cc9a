// SPDX-License-Identifier: Apache-2.0
// What a run is checked for before it begins. All throw InputError.
#pragma once

#include "gaspipe/executors.h"
#include "gaspipe/graph.h"
#include "gaspipe/run_options.h"

namespace gaspipe {

struct Domain;

// Of texts of which the table of options has all allowed values.
void check_choices(const RunOptions& options);
// Likewise, but for the method, where it is one of an algorithm's own.
void check_choices_but_method(RunOptions options);
// Of a design whose kernels do not run on the device.
void check_design(const RunOptions& options);
// The executor of the options' device, where program, graph and options are for it.
const ExecutorKind& check_options(const abi::Program& program, const Graph& graph, const RunOptions& options);
// For negative weights, where the program takes none. `domain`: whose local graph this is; null: it is a whole graph.
void check_weights(const abi::Program& program, const abi::Instance& instance, const Graph& graph, const Domain* domain,
                   Workers& workers);

}  // namespace gaspipe
