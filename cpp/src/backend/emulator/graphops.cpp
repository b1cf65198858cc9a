// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/backend/emulator/graphops.h"

#include <algorithm>
#include <cmath>

#include "cpp/src/backend/emulator/graphops_device.h"
#include "cpp/src/predict/predictor.h"
#include "gaspipe/boards.h"
#include "gaspipe/error.h"

namespace gaspipe {
namespace {

constexpr const char* kPrefix = "graphops_";

std::string kernel_name(const std::string& algorithm) {
  const std::string name = kPrefix + algorithm;
  for (const KernelTable& table : kernel_tables()) {
    if (name == table.name) return name;
  }
  throw InputError(message("design is \"", kGraphopsDesign, "\", which has no accelerator for ", algorithm,
                           "; bfs, pagerank, spmv and sssp have one. Omit it, or use design=\"gas\""));
}

void check_options(const RunOptions& options) {
  const RunOptions defaults;
  const auto refuse = [](const char* what, const std::string& value, const char* remedy) {
    throw InputError(message(what, " is ", value, "; design=\"", kGraphopsDesign, "\" ", remedy));
  };
  if (options.prediction) refuse("prediction", "given", "is timed by its own kernels: name a board in device=");
  if (options.partition) refuse("partitioning", "given", "has rows instead: omit it");
  if (options.scheduler != defaults.scheduler) {
    refuse("scheduler", "\"" + options.scheduler + "\"", "has one kernel: omit it");
  }
}

View walked_by(const abi::Instance& instance, View view) {
  if (instance.idempotent != 0) return view;  // a search follows edges; a gather has those into every vertex
  return view == View::kForward ? View::kReverse : view == View::kReverse ? View::kForward : view;
}

class Graphops : public Executor {
 public:
  Graphops(const Placement& placement, Workers& workers)
      : instance_(placement.instance),
        source_(placement.graph),
        view_(placement.view),
        edge_type_(placement.edge_type),
        workers_(workers),
        kernel_(kernel_name(placement.algorithm)),
        board_(find_board(which_of(placement.options.device).empty() ? kDefaultBoard
                                                                     : which_of(placement.options.device))),
        clock_mhz_(clock_mhz(board_)),
        num_vertices_(placement.graph.num_vertices()),
        around_(predict::surroundings_of(board_, clock_mhz_, no_prediction_)),
        graph_(placement.graph, walked_by(instance_, view_), edge_type_, static_cast<abi::Scalar>(instance_.edge_type),
               instance_.property_bytes, workers) {
    check_options(placement.options);
    if (instance_.property_bytes != instance_.update_bytes) {
      throw InputError(
          message("design is \"", kGraphopsDesign, "\"; its blocks need properties and updates of one size"));
    }
    name_ = placement.options.execution;
    if (name_ == "auto") name_ = which_of(placement.options.device).empty() ? "fast" : "exact";
    execution_ = name_ == "fast" ? abi::kFast : name_ == "exact" ? abi::kExact : abi::kExactShallow;
    check_memory();
  }

  abi::Status open(const Attempt& attempt, abi::Outcome* outcome) override {
    session_ = {};
    device_ =
        std::make_unique<GraphopsDevice>(instance_, kernel_, graph_, num_vertices_, execution_, around_, workers_);
    table_ = device_->table();
    const abi::DeviceRun run{&attempt.host,      &attempt.csr, attempt.arguments,
                             attempt.scale_bits, &table_,      attempt.values};
    return checked(instance_.open_on_device(&run, outcome, session_.table()));
  }
  abi::Status step(abi::Outcome* outcome) override { return checked(session_->step(session_->self, outcome)); }
  void read_properties(void* data) override { checked(session_->read_properties(session_->self, data)); }
  void describe(Stats& stats) const override {
    stats.device = "emulator";
    stats.method = "gas";  // super-steps of hooks, by other kernels
    stats.execution = name_;
    stats.board = board_.name;
    stats.clock_mhz = static_cast<int>(std::lround(clock_mhz_));
    stats.blocks = device_->stats();
    if (execution_ != abi::kFast) stats.prediction = prediction();
  }
  const Partitioning& partitioning() const override {
    if (!partitioning_) partitioning_ = source_.partition(view_, {}, edge_type_, workers_);
    return *partitioning_;
  }

 private:
  abi::Status checked(std::int32_t status) const {
    if (device_->failure()) std::rethrow_exception(device_->failure());
    return static_cast<abi::Status>(status);
  }
  // The kernels' cycles on the board, with its launches. The host's part is not predicted: it has been measured.
  Prediction prediction() const {
    Prediction prediction = device_->prediction();
    prediction.board = board_.name;
    prediction.config = kGraphopsDesign;
    prediction.clock_mhz = clock_mhz_;
    prediction.num_units = 1;
    prediction.launch_seconds = launch_seconds(board_);
    prediction.step_overhead_seconds = step_seconds(board_);
    prediction.graph_edges = graph_.rows().num_edges;
    prediction.peak_bytes_per_second =
        peak_bytes_per_second(board_.memory) * static_cast<double>(prediction.channels.size());
    const double per_cycle = 1 / (clock_mhz_ * 1e6);
    UnitUse unit;
    for (StepPrediction& step : prediction.steps) {
      const double kernel_seconds = step.seconds * per_cycle;
      step.scatter_gather_seconds = launch_seconds(board_) + kernel_seconds;
      step.seconds = step.scatter_gather_seconds + step_seconds(board_);
      unit.busy_seconds += kernel_seconds;
      unit.edges += step.edges;
      unit.bytes += step.bytes;
    }
    prediction.units.push_back(unit);
    for (ChannelUse& channel : prediction.channels) channel.busy_seconds *= per_cycle;
    return prediction;
  }
  // By bank: rows; replicas; weights; vertices and sets.
  void check_memory() {
    if (board_.memory.bytes_per_bank == 0) return;  // unknown
    const std::uint64_t rows = (graph_.offsets().size() + graph_.targets().size()) * 64;
    const std::uint64_t vertices = std::uint64_t(num_vertices_) * static_cast<unsigned>(3 * instance_.property_bytes);
    const std::uint64_t needed =
        std::max({rows, graph_.replicas().size() * 64, graph_.weights().size() * 64, vertices});
    if (needed <= board_.memory.bytes_per_bank) return;
    throw CapacityError(message("a bank of ", board_.name, " would hold ", needed, " bytes of this graph's rows or of ",
                                "properties along its edges; it has ", board_.memory.bytes_per_bank,
                                "; use a smaller graph, or design=\"gas\""));
  }

  const abi::Instance& instance_;
  const Graph source_;  // shares what it is made of
  View view_;
  abi::Scalar edge_type_;
  Workers& workers_;
  std::string kernel_, name_;
  const Board& board_;
  double clock_mhz_;
  VertexId num_vertices_;
  PredictionOptions no_prediction_;
  predict::Surroundings around_;
  GraphopsGraph graph_;
  abi::Execution execution_;
  std::unique_ptr<GraphopsDevice> device_;
  abi::Device table_{};
  mutable std::shared_ptr<const Partitioning> partitioning_;
  OpenSession session_;  // closed first: it uses all others
};

}  // namespace

std::unique_ptr<Executor> make_graphops(const Placement& placement, Workers& workers) {
  return std::make_unique<Graphops>(placement, workers);
}

}  // namespace gaspipe
