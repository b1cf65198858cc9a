// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/backend/emulator/graphops_kernel.h"

#include <algorithm>
#include <cmath>

#include "cpp/src/backend/emulator/graphops.h"
#include "cpp/src/backend/kernel_table.h"
#include "cpp/src/predict/resources.h"
#include "cpp/src/predict/statistics.h"
#include "gaspipe/error.h"
#include "gaspipe/executors.h"
#include "hls/kernel/graphops_bfs.ports.h"
#include "hls/kernel/graphops_conductance.ports.h"
#include "hls/kernel/graphops_pagerank.ports.h"
#include "hls/kernel/graphops_spmv.ports.h"
#include "hls/kernel/graphops_sssp.ports.h"
#include "hls/kernel/graphops_vertex_cover.ports.h"

namespace gaspipe {
namespace {

constexpr std::size_t kBanks = 4;

// As `labels` of the statistics want one: no PEs, no lines of sources.
const predict::KernelConfig& statistics_config() {
  static const predict::KernelConfig config = [] {
    predict::KernelConfig made{};
    made.pe_stream = "none";
    return made;
  }();
  return config;
}

template <std::size_t num>
std::vector<std::string> names(const char* const (&ends)[num]) {
  return {ends, ends + num};
}

// Of hls/kernel/<kernel>.ports.h.
std::vector<std::string> ends_of(const std::string& kernel) {
  if (kernel == "graphops_bfs") return names(kernel::graphops_bfs::kEnds);
  if (kernel == "graphops_conductance") return names(kernel::graphops_conductance::kEnds);
  if (kernel == "graphops_pagerank") return names(kernel::graphops_pagerank::kEnds);
  if (kernel == "graphops_spmv") return names(kernel::graphops_spmv::kEnds);
  if (kernel == "graphops_sssp") return names(kernel::graphops_sssp::kEnds);
  return names(kernel::graphops_vertex_cover::kEnds);
}

std::size_t bank_of(Bank bank) {
  return bank == Bank::kRows ? 0 : bank == Bank::kReplicas ? 1 : bank == Bank::kWeights ? 2 : 3;
}

const Board& board_of(const RunOptions& options) {
  check_graphops_options(options);
  const std::string name = which_of(options.device);
  return find_board(name.empty() ? kDefaultBoard : name);
}

}  // namespace

void check_graphops_options(const RunOptions& options) {
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

GraphopsBoard::GraphopsBoard(const RunOptions& options)
    : board_(board_of(options)),
      mhz_(clock_mhz(board_)),
      name_(options.execution),
      around_(predict::surroundings_of(board_, mhz_, no_prediction_)) {
  if (name_ == "auto") name_ = which_of(options.device).empty() ? "fast" : "exact";
  execution_ = name_ == "fast" ? abi::kFast : name_ == "exact" ? abi::kExact : abi::kExactShallow;
}

void GraphopsBoard::check_bank(std::uint64_t num_bytes, const char* remedy) const {
  const std::uint64_t available = board_.memory.bytes_per_bank;
  if (available == 0 || num_bytes <= available) return;  // 0: unknown
  throw CapacityError(message("a bank of ", board_.name, " would hold ", num_bytes,
                              " bytes of this graph's rows or of ", "properties along its edges; it has ", available,
                              "; use a smaller graph, or ", remedy));
}

GraphopsKernel::GraphopsKernel(const std::string& name) : table_(find_kernel_table(name)), end_ports_(ends_of(name)) {
  ends_ = lines_of(2 + end_ports_.size(), 8);
  stats_.kernel = name;
  for (std::size_t p = 0; p < table_.num_ports; ++p) {
    const Port& port = table_.ports[p];
    if (std::find(end_ports_.begin(), end_ports_.end(), port.name) != end_ports_.end()) {
      stats_.ports.push_back({port.name, bank_of(port.bank), 0});
    }
  }
}

const std::uint64_t* GraphopsKernel::run(const BufferOf& buffer, const std::vector<std::uint32_t>& scalars,
                                         bool is_weighted, EdgeCount num_edges) {
  std::vector<abi::Buffer> buffers;
  for (std::size_t p = 0; p < table_.num_ports; ++p) {
    const Port& port = table_.ports[p];
    if (port.kind == PortKind::kScalar) continue;
    const bool is_ends = std::string(port.name) == "ends";
    buffers.push_back(is_ends ? abi::Buffer{ends_.data(), ends_.size() * 64} : buffer(port.name));
  }
  stats_.cycles += launch(buffers, scalars, is_weighted, num_edges);
  stats_.edges += num_edges;
  const std::uint64_t* const words = reinterpret_cast<const std::uint64_t*>(ends_.data()) + 2;
  for (std::size_t i = 0; i < end_ports_.size(); ++i) {
    for (PortUse& port : stats_.ports) {
      if (port.name == end_ports_[i]) port.beats += words[i];
    }
  }
  return words;
}

EmulatedGraphops::EmulatedGraphops(const abi::Kernel& kernel, const GraphopsBoard& board, Workers& workers)
    : GraphopsKernel(kernel.name), kernel_(kernel), board_(board), workers_(workers), report_(kReportBytes, '\0') {
  stats_.bytes_per_cycle = board.around().channel.bytes_per_cycle;
}

abi::Emulation EmulatedGraphops::emulation() {
  const predict::Surroundings& around = board_.around();
  abi::Emulation emulation{};
  emulation.execution = board_.execution();
  emulation.banks_per_unit = kBanks;
  emulation.bytes_per_cycle = around.channel.bytes_per_cycle;
  emulation.latency = around.channel.latency;
  emulation.burst_gap = around.channel.burst_gap;
  emulation.switch_penalty = around.channel.switch_penalty;
  emulation.self = this;
  emulation.used = [](void* self, const abi::KernelUse* use) {
    static_cast<EmulatedGraphops*>(self)->timing_ = predict::timing_from(*use);
  };
  emulation.stopped = [](void* self) -> std::int32_t { return static_cast<EmulatedGraphops*>(self)->workers_.poll(0); };
  emulation.report = &report_[0];
  emulation.report_size = report_.size();
  return emulation;
}

std::uint64_t EmulatedGraphops::launch(const std::vector<abi::Buffer>& buffers,
                                       const std::vector<std::uint32_t>& scalars, bool is_weighted,
                                       EdgeCount num_edges) {
  const abi::KernelCall call = {buffers.data(), scalars.data(), 1, is_weighted};
  abi::Emulation surroundings = emulation();
  timing_ = {};
  const std::int32_t status = kernel_.run(&call, &surroundings);
  if (status == abi::kOutOfMemory) throw std::bad_alloc();
  if (status == abi::kBadDesign) throw DeviceError(message("emulator, ", name(), ": ", surroundings.report));
  if (status != abi::kOk) {
    workers_.cancel();
    workers_.check();
  }
  timing_.cycles = surroundings.cycles;
  if (board_.execution() != abi::kFast) predict_run(num_edges);
  return timing_.cycles;
}

void EmulatedGraphops::predict_run(EdgeCount num_edges) {
  StepPrediction step;
  step.seconds = static_cast<double>(timing_.cycles);  // cycles as yet; prediction() divides by the clock
  step.edges = step.timed_edges = num_edges;
  for (double bytes : timing_.bytes) step.bytes += static_cast<std::uint64_t>(bytes);
  prediction_.add_step(step);
  prediction_.channels.resize(kBanks);
  for (std::size_t bank = 0; bank < timing_.bytes.size(); ++bank) {
    prediction_.channels[bank].bytes += static_cast<std::uint64_t>(timing_.bytes[bank]);
    prediction_.channels[bank].busy_seconds += timing_.bytes[bank] / board_.around().channel.bytes_per_cycle;
  }
  const predict::Blocks blocks = predict::blocks_of(timing_.stats, 1);
  prediction_.resources.uram = std::max(prediction_.resources.uram, blocks.uram);
  prediction_.resources.bram = std::max(prediction_.resources.bram, blocks.bram);
  timing_.edges = num_edges;
  predict::add_statistics(prediction_, statistics_config(), timing_);
  prediction_.source_edges = 0;  // properties lie along the edges; none is looked for by its source
}

// With launches. The host's part is not predicted: it has been measured.
Prediction EmulatedGraphops::prediction(EdgeCount graph_edges) const {
  const Board& board = board_.board();
  Prediction prediction = prediction_;
  prediction.board = board.name;
  prediction.config = kGraphopsDesign;
  prediction.clock_mhz = board_.mhz();
  prediction.num_units = 1;
  prediction.launch_seconds = launch_seconds(board);
  prediction.step_overhead_seconds = step_seconds(board);
  prediction.graph_edges = graph_edges;
  prediction.resources.uram_available = board.num_uram();
  prediction.resources.bram_available = board.num_bram();
  prediction.resources.luts_available = board.num_luts();
  prediction.peak_bytes_per_second =
      peak_bytes_per_second(board.memory) * static_cast<double>(prediction.channels.size());
  const double per_cycle = 1 / (board_.mhz() * 1e6);
  UnitUse unit;
  for (StepPrediction& step : prediction.steps) {
    const double kernel_seconds = step.seconds * per_cycle;
    step.scatter_gather_seconds = launch_seconds(board) + kernel_seconds;
    step.seconds = step.scatter_gather_seconds + step_seconds(board);
    unit.busy_seconds += kernel_seconds;
    unit.edges += step.edges;
    unit.bytes += step.bytes;
  }
  prediction.units.push_back(unit);
  for (ChannelUse& channel : prediction.channels) channel.busy_seconds *= per_cycle;
  return prediction;
}

void EmulatedGraphops::describe(Stats& stats, EdgeCount graph_edges) const {
  stats.device = "emulator";
  stats.execution = board_.execution_name();
  stats.board = board_.board().name;
  stats.clock_mhz = static_cast<int>(std::lround(board_.mhz()));
  stats.blocks = stats_;
  if (board_.execution() != abi::kFast) stats.prediction = prediction(graph_edges);
}

}  // namespace gaspipe
