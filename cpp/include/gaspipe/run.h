// SPDX-License-Identifier: Apache-2.0
// Running a program on a graph. `find_program` knows the built-in ones (one per header of hls/algorithm).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "gaspipe/abi.h"
#include "gaspipe/graph.h"
#include "gaspipe/loaded_card.h"
#include "gaspipe/prediction.h"
#include "gaspipe/schedule.h"
#include "gaspipe/superstep_log.h"

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

struct RunOptions {
  // Or "emulator", "emulator:u250": the kernels that a card would run; "fpga": on `card`, with its number format.
  std::string device = "cpu";
  // Of the emulator: "fast" block by block; "exact" with streams and clocks; "shallow" likewise, with streams as
  // shallow as is declared legal; "auto": exact where a board is named, else fast.
  std::string execution = "auto";
  std::string config = "plain";  // the pipeline whose kernels compute, of hls/kernel/pipelines.h
  std::optional<PredictionOptions> prediction;  // of the emulator: values block by block, the time of these kernels
  std::string number = "auto";  // one of the program's formats; auto: by weights and vectors, else the program's first
  std::string method = "auto";  // "gas": the plain pipeline only; auto: sparse frontiers are pushed as well
  int num_threads = 0;          // 0: as OpenMP is set
  std::shared_ptr<LoadedCard> card;
  std::string scheduler = "in_order";        // of kernels on a device: a file of cpp/src/schedule
  std::optional<Scheduler> own_scheduler;    // instead of a named one
  std::optional<PartitionConfig> partition;  // else chosen for the graph and the threads
  bool keep_properties = true;               // for Running::properties() after the last step
  std::function<bool()> interrupted;         // asked on the calling thread, about every 20 ms
  std::function<void(std::uint64_t step, const abi::Superstep&)> progress;  // after every super-step
};
// InputError for a name that no scheduler has, and for any but the default on the CPU, which has no kernels to order.
void check_scheduler(const RunOptions& options);

// What a run asked of a card.
struct CardStats {
  std::string library;                    // of the driver, with its version
  CardCounts calls;                       // into it
  std::uint64_t edge_bytes_uploaded = 0;  // 0 for a graph that was there already
};

struct Stats {
  std::string device, method, number;
  int scale_bits = 0;  // of fixed point, else 0
  int attempts = 1;    // runs until the number format was wide enough
  int num_threads = 1;
  bool converged = true;
  double seconds = 0;                    // super-steps, start and finish
  double prepare_seconds = 0;            // views, partitions, conversions made for this run (0 when cached)
  std::string execution, board;          // of the emulator
  int clock_mhz = 0;                     // of the board
  std::optional<Prediction> prediction;  // where the run had clocks
  CardStats card;                        // of "fpga"
  PartitionConfig partition;
  EdgeCount num_edges = 0;
  SuperstepLog supersteps;
};

struct Result {
  abi::Scalar type = abi::kNone;
  std::uint64_t size = 0;      // the vertices; of a rectangular matrix, the side that edges lead to
  Array<std::uint8_t> values;  // `size` of `type`
  Stats stats;
};

// A kernel that was started in a super-step.
struct KernelTime {
  std::int32_t unit = 0;  // compute unit; kApplyUnit for the apply kernel
  std::uint32_t partition = 0;
  double start_seconds = 0, seconds = 0;  // from the super-step's start; on the host's clock
  std::uint64_t cycles = 0;               // predicted; 0 where the run has no clocks
};
constexpr std::int32_t kApplyUnit = -1;

// A compute unit of a device.
struct KernelDescription {
  std::string kernel, instance;
  std::int32_t unit = 0;  // kApplyUnit for the apply kernel
};
struct KernelArgument {
  std::string name;
  std::uint64_t num_bytes = 0;  // of a buffer
  std::uint32_t value = 0;      // of a scalar
  bool is_buffer = false;
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

// All super-steps.
Result run(const abi::Program& program, const Graph& graph, const Arguments& arguments, const RunOptions& options = {});

}  // namespace gaspipe
