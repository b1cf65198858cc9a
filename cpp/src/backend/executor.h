// SPDX-License-Identifier: Apache-2.0
// Where a program runs: one file per executor. run.cpp chooses the number format, makes the view and repeats a run
// whose numbers were too narrow; an executor brings the edges into its place's form and runs one attempt.
#pragma once

#include <memory>

#include "gaspipe/run.h"

namespace gaspipe {

// What an attempt is about, whatever runs it.
struct Attempt {
  const abi::Host& host;
  const abi::Csr& csr;
  const abi::Argument* arguments;
  std::int32_t method;
  std::int32_t scale_bits;
  void* values;
};

class Executor {
 public:
  virtual ~Executor() = default;
  // Throws what stopped it; an ordinary end is a status.
  virtual abi::Status run(const Attempt& attempt, abi::Outcome* outcome) = 0;
  // Adds what only this executor knows.
  virtual void describe(Stats& stats) const = 0;
};

// A view of a graph, for a program in one number format, under the partitions that the options or the place ask for.
struct Placement {
  const abi::Instance& instance;
  const Graph& graph;
  View view;
  abi::Scalar edge_type;  // kNone where there are no weights
  const RunOptions& options;
};

std::unique_ptr<Executor> make_cpu(const Placement& placement, Workers& workers);
std::unique_ptr<Executor> make_emulator(const Placement& placement, Workers& workers);

}  // namespace gaspipe
