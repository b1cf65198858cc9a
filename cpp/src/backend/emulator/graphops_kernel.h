// SPDX-License-Identifier: Apache-2.0
// Runs of a kernel of GraphOps' blocks, launch by launch, and the account of them: beats of its ports, cycles, and in
// the emulator the time that these take on a board.
#pragma once

#include <functional>
#include <memory>
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

// InputError for options that do not go with design="graphops".
void check_graphops_options(const RunOptions& options);

// The board that a run stands for, and whether it has clocks.
class GraphopsBoard {
 public:
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

// Where the kernel runs is the part of those that derive from this.
class GraphopsKernel {
 public:
  using BufferOf = std::function<abi::Buffer(const std::string& port)>;

  explicit GraphopsKernel(const std::string& name);
  virtual ~GraphopsKernel() = default;
  GraphopsKernel(const GraphopsKernel&) = delete;
  GraphopsKernel& operator=(const GraphopsKernel&) = delete;

  // Before the first run: what the rows are made from, by which they may stay where they are (null: for this run
  // alone), and the most entries of a set that is written, and of one that is read.
  virtual void begin(const std::shared_ptr<const void>& /*key*/, EdgeCount /*most_written*/,
                     std::uint64_t /*most_read*/) {}
  // Whether sets to be read have each of their groups once; else they may be as they were written.
  virtual bool wants_groups_once() const { return false; }
  // One run over sets with so many edges; returns its last words. `buffer` is asked for every port of memory but that
  // of the last words. Throws DeviceError where the kernel cannot go on, Cancelled when interrupted.
  const std::uint64_t* run(const BufferOf& buffer, const std::vector<std::uint32_t>& scalars, bool is_weighted,
                           EdgeCount num_edges);
  void add_host_seconds(double seconds) { stats_.host_seconds += seconds; }
  const char* name() const { return table_.name; }
  // CapacityError for more bytes than a bank has.
  virtual void check_bank(std::uint64_t num_bytes, const char* remedy) const = 0;
  // What the runs were, on a graph of so many edges.
  virtual void describe(Stats& stats, EdgeCount graph_edges) const = 0;

 protected:
  // Writes the last words; `buffers` has those of all ports of memory, in the table's order. Returns cycles.
  virtual std::uint64_t launch(const std::vector<abi::Buffer>& buffers, const std::vector<std::uint32_t>& scalars,
                               bool is_weighted, EdgeCount num_edges) = 0;

  const KernelTable& table_;
  Lines ends_;
  BlockStats stats_;

 private:
  std::vector<std::string> end_ports_;  // of every last word, the port whose beats it counts, or ""
};

// In the emulator, with what is predicted of its runs.
class EmulatedGraphops : public GraphopsKernel {
 public:
  // All outlive this.
  EmulatedGraphops(const abi::Kernel& kernel, const GraphopsBoard& board, Workers& workers);

  void check_bank(std::uint64_t num_bytes, const char* remedy) const override { board_.check_bank(num_bytes, remedy); }
  void describe(Stats& stats, EdgeCount graph_edges) const override;

 private:
  std::uint64_t launch(const std::vector<abi::Buffer>& buffers, const std::vector<std::uint32_t>& scalars,
                       bool is_weighted, EdgeCount num_edges) override;
  abi::Emulation emulation();
  void predict_run(EdgeCount num_edges);
  Prediction prediction(EdgeCount graph_edges) const;

  const abi::Kernel& kernel_;
  const GraphopsBoard& board_;
  Workers& workers_;
  predict::KernelTiming timing_;
  std::string report_;
  Prediction prediction_;  // seconds are cycles as yet
};

}  // namespace gaspipe
