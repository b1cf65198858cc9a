// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/pe_array/on_board.h"

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "cpp/src/predict/resources.h"
#include "cpp/src/predict/statistics.h"
#include "cpp/src/run/checks.h"
#include "gaspipe/engine/emulation.h"
#include "gaspipe/error.h"
#include "gaspipe/executors.h"
#include "gaspipe/pe_array.h"
#include "hls/emulator/engine.h"
#include "hls/local_store/code.h"

namespace gaspipe {
namespace pe_array {
namespace {

constexpr std::size_t kReportBytes = 1 << 14;

// For the statistics of streams and tasks: marking takes what is received.
const predict::KernelConfig kKernel = {{"pe_array", "an array of PEs", 1, kMostPes, kMostOwned, sizeof(ListCode)},
                                       false,
                                       Skips::kNothing,
                                       false,
                                       {0, 0, 0},
                                       "received",
                                       nullptr,
                                       nullptr};

abi::Execution execution_of(const RunOptions& options) {
  if (options.card) return abi::kFast;  // without clocks
  std::string name = options.execution;
  if (name == "auto") name = which_of(options.device).empty() ? "fast" : "exact";
  return name == "fast" ? abi::kFast : name == "exact" ? abi::kExact : abi::kExactShallow;
}

struct Asking {
  Workers* workers;
  predict::KernelTiming* timing;
};

}  // namespace

const Board& board_of(const RunOptions& options) {
  if (options.card) return find_board(options.card->design().board);
  const std::string which = which_of(options.device);
  return find_board(which.empty() ? kDefaultBoard : which);
}

void check_options(const RunOptions& options) {
  const RunOptions defaults;
  const auto refuse = [&](const char* what, const char* remedy) {
    throw InputError(
        message(what, "; method=\"", options.method, "\" with device=\"", options.device, "\" ", remedy, ": omit it"));
  };
  if (options.number != "auto" && options.number != "uint32") {
    refuse(message("number is \"", options.number, "\"").c_str(), "counts in \"uint32\"");
  }
  if (options.local_store_bytes) {
    refuse(message("local_store_bytes is ", *options.local_store_bytes).c_str(), "has the stores of the kernel");
  }
  if (options.hide_latency != defaults.hide_latency) refuse("hide_latency is False", "always hides it");
  if (options.trace != defaults.trace) refuse("trace is True", "has no periods of the host to record");
  if (options.scheduler != defaults.scheduler) {
    refuse(message("scheduler is \"", options.scheduler, "\"").c_str(), "has one kernel");
  }
  if (options.checkpoint) refuse("checkpoint is given", "writes none");
  if (options.resume) refuse("resume is given", "cannot go on from one");
  if (options.every) refuse("every is given", "writes no checkpoints");
  if (options.config != defaults.config)
    refuse(message("config is \"", options.config, "\"").c_str(), "has one kernel");
  if (options.design != defaults.design)
    refuse(message("design is \"", options.design, "\"").c_str(), "has one kernel");
  if (options.skip_idle != defaults.skip_idle) refuse("skip_idle is False", "has no edges to pass over");
  if (options.partition) refuse("partitioning is given", "has owners instead");
  check_choices_but_method(options);
}

void check_banks(const Board& board, const Share& rows, const Share& vertices, const char* instead) {
  if (board.memory.bytes_per_bank == 0) return;  // unknown
  const auto num_pes = static_cast<int>(rows.bytes.size());
  const int own = board.memory.kind == MemoryKind::kHbm ? board.memory.num_banks / num_pes : 1;
  std::vector<std::uint64_t> of_rows(static_cast<std::size_t>(board.memory.num_banks), 0), of_vertices(of_rows);
  for (int pe = 0; pe < num_pes; ++pe) {
    const std::size_t bank = bank_of(board, num_pes, pe);
    of_rows[bank] += rows.bytes[static_cast<std::size_t>(pe)];
    of_vertices[bank] += vertices.bytes[static_cast<std::size_t>(pe)];
  }
  const auto check = [&](const std::string& what, std::uint64_t needed, int num_banks) {
    const std::uint64_t available = board.memory.bytes_per_bank * static_cast<std::uint64_t>(num_banks);
    if (needed <= available) return;
    throw CapacityError(message("a PE's ", what, " take ", needed, " bytes of ", board.name, "'s memory, and ",
                                available, " are there for them; ", instead));
  };
  for (std::size_t bank = 0; bank < of_rows.size(); ++bank) {
    if (own > 1) {
      check(rows.name, of_rows[bank], own - 1);
      check(vertices.name, of_vertices[bank], 1);
    } else {
      check(message(rows.name, ", ", vertices.name), of_rows[bank] + of_vertices[bank], 1);
    }
  }
}

OnBoard::OnBoard(const RunOptions& options, const char* kernel)
    : board_(board_of(options)),
      card_(options.card ? std::make_unique<KernelAlone>(options, kernel, message("method=\"", options.method, "\""))
                         : nullptr),
      execution_(execution_of(options)),
      around_(predict::surroundings_of(board_, clock_mhz(board_), {})),
      workers_(1, options.interrupted) {}

predict::KernelTiming OnBoard::launch(const char* kernel, const std::function<void()>& fast,
                                      const std::function<void()>& timed,
                                      const std::function<void(emulator::MemoryMap&)>& memory) {
  predict::KernelTiming timing;
  if (execution_ == abi::kFast) {
    fast();
    workers_.check();
    return timing;
  }
  std::string report(kReportBytes, '\0');
  Asking asking{&workers_, &timing};
  abi::Emulation emulation{};
  emulation.execution = execution_;
  emulation.self = &asking;
  emulation.stopped = [](void* self) -> std::int32_t { return static_cast<Asking*>(self)->workers->poll(0); };
  emulation.used = [](void* self, const abi::KernelUse* use) {
    *static_cast<Asking*>(self)->timing = predict::timing_from(*use);
  };
  emulation.report = &report[0];
  emulation.report_size = report.size();
  emulator::MemoryMap map(std::vector<emulator::Channel>(static_cast<std::size_t>(board_.memory.num_banks),
                                                         emulator::Channel(around_.channel)));
  memory(map);
  const std::int32_t status = engine::emulate(&emulation, map, timed);
  if (status == abi::kOutOfMemory) throw std::bad_alloc();
  if (status == abi::kBadDesign) throw DeviceError(message("emulator, ", kernel, ": ", report.c_str()));
  if (status == abi::kCancelled) workers_.cancel();
  workers_.check();
  timing.cycles = emulation.cycles;
  return timing;
}

void OnBoard::describe(const char* config, int num_units, int uram, EdgeCount num_edges,
                       std::vector<std::size_t> banks) {
  std::sort(banks.begin(), banks.end());
  banks.erase(std::unique(banks.begin(), banks.end()), banks.end());
  banks_ = std::move(banks);
  prediction_.emplace();
  prediction_->board = board_.name;
  prediction_->config = config;
  prediction_->clock_mhz = clock_mhz(board_);
  prediction_->num_units = num_units;
  prediction_->launch_seconds = launch_seconds(board_);
  prediction_->step_overhead_seconds = step_seconds(board_);
  prediction_->graph_edges = num_edges;
  prediction_->peak_bytes_per_second = peak_bytes_per_second(board_.memory) * static_cast<double>(banks_.size());
  prediction_->channels.resize(banks_.size());
  prediction_->units.resize(1);
  prediction_->resources.uram = uram;
  prediction_->resources.uram_available = board_.num_uram();
  prediction_->resources.bram_available = board_.num_bram();
  prediction_->resources.luts_available = board_.num_luts();
}

void OnBoard::take(const predict::KernelTiming& timing, int kernel, bool starts, std::uint64_t num_edges) {
  Prediction& prediction = *prediction_;
  if (std::find(known_.begin(), known_.end(), kernel) == known_.end()) {
    known_.push_back(kernel);
    prediction.resources.bram += predict::blocks_of(timing.stats, 1).bram;
  }
  predict::add_statistics(prediction, kKernel, timing, true);
  StepPrediction step;
  step.scatter_gather_seconds = static_cast<double>(timing.cycles) / (clock_mhz(board_) * 1e6);
  step.seconds = step.scatter_gather_seconds;
  if (starts) step.seconds += prediction.launch_seconds + prediction.step_overhead_seconds;
  step.edges = step.timed_edges = num_edges;
  for (std::size_t channel = 0; channel < prediction.channels.size(); ++channel) {
    const double bytes = timing.bytes[banks_[channel]];
    prediction.channels[channel].bytes += static_cast<std::uint64_t>(bytes);
    prediction.channels[channel].busy_seconds += bytes / bytes_per_second(board_.memory);
    step.bytes += static_cast<std::uint64_t>(bytes);
  }
  prediction.units[0].busy_seconds += step.scatter_gather_seconds;
  prediction.units[0].edges += num_edges;
  prediction.units[0].bytes += step.bytes;
  prediction.add_step(step);
}

void OnBoard::describe(Stats& stats, const char* method) const {
  stats.method = method;
  if (card_ != nullptr) return card_->describe(stats);
  stats.device = "emulator";
  stats.execution = execution_ == abi::kFast ? "fast" : execution_ == abi::kExact ? "exact" : "shallow";
  stats.board = board_.name;
  stats.clock_mhz = clock_mhz(board_);
  stats.prediction = prediction_;
}

void OnBoard::finish(Stats& stats, const char* method, EdgeCount num_edges) const {
  describe(stats, method);
  stats.number = "uint32";
  stats.phases[abi::kScatterGather] = stats.supersteps.seconds(abi::kScatterGather);
  stats.phases[abi::kStart] = std::max(0.0, stats.seconds - stats.phases[abi::kScatterGather]);
  stats.num_edges = num_edges;
}

}  // namespace pe_array
}  // namespace gaspipe
