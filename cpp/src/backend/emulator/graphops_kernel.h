// SPDX-License-Identifier: Apache-2.0
// Runs of a kernel of GraphOps' blocks in the emulator, launch by launch, and the account of them: beats of its ports,
// cycles, and the time that these take on a board.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cpp/src/backend/emulator/graphops_graph.h"
#include "cpp/src/backend/kernel_table.h"
#include "cpp/src/predict/predictor.h"
#include "gaspipe/abi.h"
#include "gaspipe/boards.h"
#include "gaspipe/run_options.h"
#include "gaspipe/stats.h"

namespace gaspipe {

// The board that a run stands for, and whether it has clocks.
class GraphopsBoard {
 public:
  // InputError for options that do not go with design="graphops".
  explicit GraphopsBoard(const RunOptions& options);
  GraphopsBoard(const GraphopsBoard&) = delete;
  GraphopsBoard& operator=(const GraphopsBoard&) = delete;

  const Board& board() const { return board_; }
  double mhz() const { return mhz_; }
  const std::string& execution_name() const { return name_; }
  abi::Execution execution() const { return execution_; }
  const predict::Surroundings& around() const { return around_; }
  // CapacityError for more bytes than a bank has.
  void check_bank(std::uint64_t num_bytes, const char* remedy) const;

 private:
  const Board& board_;
  double mhz_;
  std::string name_;
  abi::Execution execution_;
  PredictionOptions no_prediction_;  // around_ refers to it
  predict::Surroundings around_;
};

class GraphopsKernel {
 public:
  using BufferOf = std::function<abi::Buffer(const std::string& port)>;

  // All outlive this.
  GraphopsKernel(const abi::Kernel& kernel, const GraphopsBoard& board, Workers& workers);

  // One run over sets with so many edges; returns its last words. `buffer` is asked for every port of memory but that
  // of the last words. Throws DeviceError where the kernel cannot go on, Cancelled when interrupted.
  const std::uint64_t* run(const BufferOf& buffer, const std::vector<std::uint32_t>& scalars, bool is_weighted,
                           EdgeCount num_edges);
  void add_host_seconds(double seconds) { stats_.host_seconds += seconds; }
  const char* name() const { return kernel_.name; }
  // What the runs were and what is predicted of them, on a graph of so many edges.
  void describe(Stats& stats, EdgeCount graph_edges) const;

 private:
  abi::Emulation emulation();
  void count(EdgeCount num_edges);
  Prediction prediction(EdgeCount graph_edges) const;

  const abi::Kernel& kernel_;
  const GraphopsBoard& board_;
  const KernelTable& table_;
  Workers& workers_;
  std::vector<std::string> end_ports_;  // of every last word, the port whose beats it counts, or ""
  Lines ends_;
  predict::KernelTiming timing_;
  std::string report_;
  BlockStats stats_;
  Prediction prediction_;  // seconds are cycles as yet
};

}  // namespace gaspipe
