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

#include "gaspipe/engine/table.h"
#include "gaspipe/graph.h"
#include "gaspipe/loaded_card.h"
#include "gaspipe/schedule.h"

namespace gaspipe {

// The built-in programs, by name.
const std::vector<const abi::Program*>& programs();
const abi::Program& find_program(const std::string& name);  // InputError lists the known ones

// An argument by name. Integers also serve where a real is wanted, and 0 and 1 as flags. One real per vertex comes as
// Array<double>, the vector of a question in its own type, vertices as Array<std::int64_t>.
using ArgumentValue =
    std::variant<std::int64_t, double, Array<double>, Array<float>, Array<std::int32_t>, Array<std::int64_t>>;
using Arguments = std::map<std::string, ArgumentValue>;

struct RunOptions {
  // Or "emulator", "emulator:u250": the kernels that a card would run; "fpga": on `card`, with its number format.
  std::string device = "cpu";
  // Of the emulator: "fast" block by block; "exact" with streams and clocks; "shallow" likewise, with streams as
  // shallow as is declared legal; "auto": exact where a board is named, else fast.
  std::string execution = "auto";
  std::string number = "auto";  // one of the program's formats; auto: by weights and vectors, else the program's first
  std::string method = "auto";  // "gas": the plain pipeline only; auto: sparse frontiers are pushed as well
  int num_threads = 0;          // 0: as OpenMP is set
  std::shared_ptr<LoadedCard> card;
  std::string scheduler = "in_order";        // of kernels on a device: a file of cpp/src/schedule
  std::optional<Scheduler> own_scheduler;    // instead of a named one
  std::optional<PartitionConfig> partition;  // else chosen for the graph and the threads
  std::function<bool()> interrupted;         // asked on the calling thread, about every 20 ms
  std::function<void(std::uint64_t step, const abi::Superstep&)> progress;  // after every super-step
};

struct Stats {
  std::string device, method, number;
  int scale_bits = 0;  // of fixed point, else 0
  int attempts = 1;    // runs until the number format was wide enough
  int num_threads = 1;
  bool converged = true;
  double seconds = 0;                  // super-steps, start and finish
  double prepare_seconds = 0;          // views, partitions, conversions made for this run (0 when cached)
  std::string execution, board;        // of the emulator
  int clock_mhz = 0;                   // of the board
  std::uint64_t predicted_cycles = 0;  // of the board; 0 where the run had no clocks
  PartitionConfig partition;
  EdgeCount num_edges = 0;
  std::vector<abi::Superstep> supersteps;
};

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
  Result result();      // after the last step

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
