// SPDX-License-Identifier: Apache-2.0
// The emulator as an executor: which kernels, on which board, with or without clocks.
#include "cpp/src/backend/executor.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "cpp/src/backend/emulator/device.h"
#include "cpp/src/backend/emulator/graphops.h"
#include "cpp/src/backend/emulator/kernels_on_demand.h"
#include "cpp/src/backend/emulator/pe_search.h"
#include "cpp/src/backend/emulator/scale.h"
#include "cpp/src/backend/emulator/two_kinds.h"
#include "cpp/src/predict/fabric_fit.h"
#include "cpp/src/predict/kernel_clock.h"
#include "cpp/src/predict/pipeline_fit.h"
#include "cpp/src/predict/resources.h"
#include "gaspipe/error.h"
#include "gaspipe/pe_array.h"

namespace gaspipe {
namespace {

// As `gaspipe build` makes by default, and as the published designs with an apply kernel have on HBM.
constexpr std::uint32_t kUnitsByDefault = 8;

std::uint32_t units_of(const Board& board) {
  const bool is_hbm = board.memory.kind == MemoryKind::kHbm;
  const auto served = static_cast<std::uint32_t>(board.memory.num_banks) / (is_hbm ? 2 : 1);
  if (served == 0) {
    throw CapacityError(message("a compute unit needs 2 pseudo-channels of HBM; ", board.name, " has ",
                                board.memory.num_banks, "; give it memory.num_banks of at least 2"));
  }
  return std::min(served, kUnitsByDefault);
}

std::string timed_config(const RunOptions& options) {
  if (options.prediction) return options.prediction->config;
  // A launch takes one sub-partition here.
  return find_pipeline(options.config).edges == EdgeLayout::kPacked ? "packed-single" : options.config;
}

const Board& emulated_board(const RunOptions& options) {
  if (options.prediction && options.prediction->board != nullptr) return options.prediction->board->board;
  const std::string which = which_of(options.device);
  return find_board(which.empty() ? kDefaultBoard : which);
}

Skips skips_of(const RunOptions& options) {
  if (!options.skip_idle) return Skips::kNothing;
  if (options.prediction) return predict::find_config(options.prediction->config).skips;
  return find_pipeline(options.config).edges == EdgeLayout::kPlain ? Skips::kEnd : Skips::kBothEnds;
}

// Of designs with two kinds of pipelines it is that of the plain kernels that compute beside.
PartitionConfig partition_of(const abi::Instance& instance, const RunOptions& options, VertexId num_vertices) {
  const predict::KernelConfig& kernels = predict::find_config(timed_config(options));
  const Board& board = emulated_board(options);
  const std::uint32_t num_units = units_of(board);
  const int word_bytes = instance.property_bytes;
  const bool is_usual = !options.prediction || options.prediction->config == "plain" || kernels.pipelines != nullptr;
  const std::uint32_t capacity =
      is_usual && word_bytes != sizeof(Word<std::uint64_t>)
          ? kDeviceCapacity
          : predict::capacity_on(kernels, board, static_cast<int>(num_units), word_bytes, kDeviceCapacity);
  const Skips skips = kernels.pipelines != nullptr ? Skips::kNothing : skips_of(options);
  return partition_for(instance, skips, num_units, capacity, num_vertices);
}

class Emulator : public Executor {
 public:
  Emulator(const Placement& placement, Workers& workers)
      : instance_(placement.instance),
        workers_(workers),
        options_(placement.options.prediction ? *placement.options.prediction : PredictionOptions()),
        is_timed_(placement.options.prediction),
        is_weighted_(placement.edge_type != abi::kNone),
        board_(emulated_board(placement.options)),
        pipeline_(find_pipeline(placement.options.config)),
        kernels_(predict::find_config(timed_config(placement.options))),
        clock_mhz_(clock(placement.algorithm)),
        skips_(skips_of(placement.options)) {
    choose_execution(placement.options);
    const auto csr = placement.graph.view(placement.view, workers);
    const int word_bytes = instance_.property_bytes;
    PartitionConfig config = partition_of(instance_, placement.options, csr->num_columns);
    if (placement.options.partition) config = *placement.options.partition;
    const VertexId most = std::min(kernels_.description.most_capacity, pipeline_.most_capacity);
    check_capacity(config, *csr, most, "the emulator");
    if (kernels_.pipelines != nullptr) {
      pipelines_ = predict::fit_pipelines(kernels_.description.name, *kernels_.pipelines, board_,
                                          predict::numbers_of(instance_), is_weighted_, instance_.num_aux);
    } else if (is_timed_) {
      const int num_units = static_cast<int>(config.compute_units);
      predict::check_resources(kernels_, board_, num_units, word_bytes, config.capacity);
      predict::check_fabric(
          kernels_, board_, num_units, kernels_.uram(config.capacity, word_bytes),
          predict::fabric_of(kernels_, predict::numbers_of(instance_), is_weighted_, num_units, instance_.num_aux));
    }
    const bool has_kernels = kernels_.pipelines == nullptr;
    if (has_kernels) check_memory(*csr, config, placement.edge_type);
    code_ = &with_kernels(instance_, placement.algorithm, {pipeline_.gather_scatter, pipeline_.apply});
    if (is_timed_ && has_kernels) timed_kernels_ = predict::kernels_for(kernels_, instance_, is_weighted_);
    const bool is_balanced = is_timed_ ? kernels_.is_balanced : pipeline_.edges == EdgeLayout::kPacked;
    edges_ = placement.graph.device_edges(placement.view, config, placement.edge_type, pipeline_.edges, workers,
                                          is_balanced);
    schedule_ = schedule_for(placement.options, edges_->partitioning());
    ports_ = std::make_unique<KernelPorts>(instance_, *edges_, schedule_, pipeline_, is_weighted_);
  }

  abi::Status open(const Attempt& attempt, abi::Outcome* outcome) override {
    session_ = {};
    predictor_.reset();
    if (is_timed_ || execution_ != abi::kFast) {
      if (may_find_scale(attempt) && is_too_fine(attempt)) return abi::kSaturated;
      predictor_ = std::make_unique<predict::Predictor>(
          predict::Subject{kernels_, board_, clock_mhz_, options_, *code_, *edges_, schedule_, workers_, is_weighted_,
                           skips_ != Skips::kNothing, is_timed_, timed_kernels_, pipelines_ ? &*pipelines_ : nullptr});
    }
    emulated_ = std::make_unique<EmulatedDevice>(*code_, *edges_, schedule_, *ports_, execution_, predictor_.get(),
                                                 is_timed_, skips_, workers_);
    device_ = emulated_->table();
    const abi::DeviceRun run = run_on(attempt, device_);
    return checked(instance_.open_on_device(&run, outcome, session_.table()));
  }
  abi::Status step(abi::Outcome* outcome) override { return checked(session_->step(session_->self, outcome)); }
  void read_properties(void* data) override { checked(session_->read_properties(session_->self, data)); }
  void snapshot(abi::Snapshot* snapshot) override { checked(session_->snapshot(session_->self, snapshot)); }
  void describe(Stats& stats) const override {
    stats.device = "emulator";
    stats.method = "gas";  // kernels know no other
    stats.execution = name_;
    stats.board = board_.name;
    stats.clock_mhz = static_cast<int>(std::lround(clock_mhz_));
    if (predictor_ != nullptr) stats.prediction = predictor_->prediction();
    stats.partition = edges_->partitioning().config();
  }
  const Partitioning& partitioning() const override { return edges_->partitioning(); }
  const KernelPorts* kernel_ports() const override { return ports_.get(); }
  std::vector<KernelDescription> kernels() const override {
    std::vector<KernelDescription> kernels;
    const KernelTable &gather_scatter = ports_->kernel(0), &apply = ports_->kernel(kApplyUnit);
    for (std::int32_t unit = 0; unit < ports_->shape().units; ++unit) {
      kernels.push_back({gather_scatter.name, message(gather_scatter.short_name, "_", unit + 1), unit});
    }
    kernels.push_back({apply.name, message(apply.short_name, "_1"), kApplyUnit});
    return kernels;
  }
  std::vector<KernelTime> kernel_times() const override { return emulated_->kernel_times(); }

 private:
  bool is_too_fine(const Attempt& attempt) {
    EmulatedDevice fast(*code_, *edges_, schedule_, *ports_, abi::kFast, nullptr, false, skips_, workers_);
    return is_scale_too_fine(instance_, attempt, fast, workers_);
  }
  abi::Status checked(std::int32_t status) const {
    if (emulated_->failure()) std::rethrow_exception(emulated_->failure());
    return static_cast<abi::Status>(status);
  }
  // As asked; else, of the published configuration, what its kernels reached; else the board's, or what the kernels'
  // recurrences allow if that is lower.
  double clock(const std::string& algorithm) const {
    if (options_.clock_mhz > 0) return options_.clock_mhz;
    if (kernels_.is_published) {
      for (const auto& [name, mhz] :
           options_.board != nullptr ? options_.board->clocks : published_clocks(board_.name)) {
        if (name == algorithm) return mhz;
      }
    }
    return std::min<double>(clock_mhz(board_), predict::recurrence_clock_mhz(kernels_));
  }
  void choose_execution(const RunOptions& options) {
    name_ = options.execution;
    if (options.prediction && pipeline_.edges != EdgeLayout::kPlain) {
      throw InputError(message("config is \"", options.config,
                               "\"; a prediction times the kernels that it names itself, "
                               "and computes with config=\"plain\""));
    }
    if (options.prediction) {
      if (name_ != "auto") {
        throw InputError(
            message("execution is \"", name_, "\"; leave it at \"auto\" for a prediction of a configuration"));
      }
      name_ = "timed";
      execution_ = abi::kFast;
      return;
    }
    if (name_ == "auto") name_ = which_of(options.device).empty() ? "fast" : "exact";
    execution_ = name_ == "fast" ? abi::kFast : name_ == "exact" ? abi::kExact : abi::kExactShallow;
  }
  // Edges are cut evenly, give or take; every unit has its own copies of the properties, old and new.
  void check_memory(const Csr& csr, const PartitionConfig& config, abi::Scalar edge_type) const {
    if (board_.memory.bytes_per_bank == 0) return;  // unknown
    const std::uint64_t units = config.compute_units, n = csr.num_rows;
    const std::uint64_t weight_bytes =
        edge_type == abi::kNone ? 0 : static_cast<std::uint64_t>(instance_.property_bytes);
    const auto id_bytes = static_cast<std::uint64_t>(kernels_.description.edge_bytes);
    const std::uint64_t edge_bytes = id_bytes + weight_bytes;
    const std::uint64_t vertex_bytes = static_cast<std::uint64_t>(
        2 * instance_.property_bytes + instance_.update_bytes + instance_.num_aux * instance_.aux_bytes);
    const std::uint64_t needed = (csr.num_edges() + units - 1) / units * edge_bytes + n * vertex_bytes;
    const std::uint64_t available = board_.memory_bytes() / units;
    if (needed <= available) return;
    const std::uint64_t fit = available > n * vertex_bytes ? (available - n * vertex_bytes) / edge_bytes * units : 0;
    throw CapacityError(message("a compute unit of ", board_.name, " would hold ", needed, " bytes of this graph (",
                                csr.num_edges(), " edges); its memory has ", available, ", enough for ", fit,
                                " edges with as many vertices"));
  }

  const abi::Instance& instance_;
  const abi::Instance* code_ = nullptr;  // with the pipeline's kernels
  Workers& workers_;
  PredictionOptions options_;
  bool is_timed_, is_weighted_;
  const Board& board_;
  const Pipeline& pipeline_;                         // whose kernels compute
  const predict::KernelConfig& kernels_;             // whose time is told
  std::optional<predict::PipelineShape> pipelines_;  // of designs with two kinds
  predict::TimedKernels timed_kernels_{};
  double clock_mhz_;
  Skips skips_;
  std::string name_;
  abi::Execution execution_;
  std::shared_ptr<const DeviceEdges> edges_;
  Schedule schedule_;
  std::unique_ptr<KernelPorts> ports_;
  std::unique_ptr<predict::Predictor> predictor_;
  std::unique_ptr<EmulatedDevice> emulated_;
  abi::Device device_{};
  OpenSession session_;
};

}  // namespace

// Values that fill words are for the plain kernels alone.
static void check_values(const abi::Instance& instance, const std::string& config) {
  if (instance.property_bytes < static_cast<std::int32_t>(sizeof(Word<std::uint64_t>)) || config == "plain") return;
  throw InputError(message("config is \"", config, "\", whose kernels have values of 4 or 8 bytes, and number is \"",
                           instance.number, "\", a value of 64; use config=\"plain\", or another number"));
}

// The other designs have an order of their own, or are as published.
static Relabels relabels_in_emulator(const abi::Instance& instance, const RunOptions& options, VertexId num_vertices) {
  const bool has_an_order = options.design == kGraphopsDesign || options.method == pe_array::kPullMethod ||
                            (!options.prediction && has_two_kinds(find_pipeline(options.config)));
  if (has_an_order) return Relabels::kNever;
  return relabels_with(partition_of(instance, options, num_vertices), instance, options);
}

namespace executor {

extern const ExecutorKind emulator{"emulator",
                                   "a board",
                                   kDefaultBoard,
                                   "OnDevice, OnEmulator",
                                   /*has_kernels=*/true,
                                   /*predicts=*/true,
                                   /*needs_card=*/false,
                                   [](const std::string& which) { find_board(which); },
                                   [] {
                                     std::vector<FoundDevice> found;
                                     for (const Board* board : boards())
                                       found.push_back({message("emulator:", board->name), board->platform});
                                     return found;
                                   },
                                   [](const abi::Instance& instance) {
                                     return instance.open_on_device != nullptr && instance.kernels.kernels != nullptr;
                                   },
                                   nullptr,
                                   [](const Placement& placement, Workers& workers) -> std::unique_ptr<Executor> {
                                     if (placement.options.design == kGraphopsDesign) {
                                       return make_graphops(placement, workers);
                                     }
                                     const RunOptions& options = placement.options;
                                     if (options.method == pe_array::kPullMethod)
                                       return make_pe_search(placement, workers);
                                     check_values(placement.instance,
                                                  options.prediction ? options.prediction->config : options.config);
                                     if (!options.prediction && has_two_kinds(find_pipeline(options.config))) {
                                       return make_two_kinds(placement, workers);
                                     }
                                     return std::make_unique<Emulator>(placement, workers);
                                   },
                                   relabels_in_emulator};

}  // namespace executor

}  // namespace gaspipe
