// SPDX-License-Identifier: Apache-2.0
// Running a program on a graph. `find_program` has the built-in ones (one per header of hls/algorithm).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "gaspipe/abi.h"
#include "gaspipe/graph.h"
#include "gaspipe/kernel_runs.h"
#include "gaspipe/run_options.h"
#include "gaspipe/stats.h"

namespace gaspipe {

// The built-in programs, by name. A table is made when it is first asked for, and only that program's code is touched.
struct NamedProgram {
  const char* name;
  const abi::Program* (*table)();
};
const std::vector<NamedProgram>& programs();
const abi::Program& find_program(const std::string& name);  // InputError lists the known ones

// The program `name` of a shared library, which stays loaded as long as the process: answers may come from it, and what
// it keeps per thread ends with the threads. Throws Error where there is none, or it was built for another table.
const abi::Program& load_program(const std::string& path, const std::string& name);

// An argument by name. Integers also serve where a real is wanted, and 0 and 1 as flags. One real per vertex comes as
// Array<double>, the vector of a question in its own type, vertices as Array<std::int64_t>.
using ArgumentValue = std::variant<std::int64_t, double, Array<double>, Array<float>, Array<std::int32_t>,
                                   Array<std::int64_t>, Array<std::uint64_t>>;
using Arguments = std::map<std::string, ArgumentValue>;

struct Result {
  abi::Scalar type = abi::kNone;
  std::uint64_t size = 0;      // the vertices; of a rectangular matrix, the side that edges lead to
  Array<std::uint8_t> values;  // `size` of `type`
  Stats stats;
};

// A run, one super-step at a time. What it is made of outlives it.
class Running {
 public:
  // Throws InputError for arguments out of range.
  Running(const abi::Program& program, const Graph& graph, const Arguments& arguments, const RunOptions& options = {});
  Running(Running&&) noexcept;
  ~Running();

  // One more super-step; false once the answer is there, true while there are more to come. A run whose numbers were
  // too narrow begins again. Throws CapacityError where no number format of the program holds the answer, Cancelled
  // when interrupted; a run that has thrown takes no more steps.
  bool step();

  const abi::Instance& instance() const;  // the number format of this attempt
  VertexId num_vertices() const;          // that the program walks
  // Every vertex's property as of the last super-step, of instance().property_type.
  Array<std::uint8_t> properties();
  Stats stats() const;  // so far
  const Partitioning& partitioning() const;
  // Empty on the CPU, which has no kernels.
  std::vector<KernelDescription> kernels() const;
  std::vector<KernelTime> kernel_times() const;  // of the last super-step
  std::vector<KernelArgument> arguments(const KernelDescription& kernel, std::uint32_t partition) const;
  Result result();  // after the last step

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// The formats that `run` would try on the CPU, in order: `number` alone, or for "auto" the one that fits weights and
// vectors, then wider ones for sums that do not fit.
std::vector<std::string> number_formats(const abi::Program& program, const Graph& graph, const Arguments& arguments,
                                        const std::string& number);

// What Running checks before it looks at an edge: throws what it would throw.
void check_run(const abi::Program& program, const Graph& graph, const Arguments& arguments, const RunOptions& options);

// All super-steps.
Result run(const abi::Program& program, const Graph& graph, const Arguments& arguments, const RunOptions& options = {});

}  // namespace gaspipe
