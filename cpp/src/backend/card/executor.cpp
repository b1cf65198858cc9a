// SPDX-License-Identifier: Apache-2.0
// A card as an executor: which runs it takes, and what it says of them.
#include "cpp/src/backend/executor.h"

#include <algorithm>

#include "cpp/src/backend/card/device.h"
#include "cpp/src/backend/card/pipelines_device.h"
#include "cpp/src/backend/emulator/graphops.h"
#include "cpp/src/backend/emulator/pe_search.h"
#include "cpp/src/backend/placed_layout.h"
#include "cpp/src/predict/pipeline_shape.h"
#include "gaspipe/boards.h"
#include "gaspipe/error.h"
#include "gaspipe/pe_array.h"
#include "hls/edge_codec.h"

namespace gaspipe {
namespace {

const LoadedCard& card_of(const RunOptions& options) {
  if (options.card) return *options.card;
  throw DeviceError("device \"fpga\" runs on a card that an xclbin was loaded on; none was given");
}

void check_card_weights(const CardDesign& design, bool has_weights) {
  if (design.weighted == has_weights) return;
  throw DeviceError(
      message(design.xclbin,
              design.weighted ? " reads weights; this run has none" : " was built without weights; this run has some",
              "; load an xclbin built ", has_weights ? "with" : "without", " weights, or change the graph"));
}

Skips skips_on(const CardDesign& design, const RunOptions& options) {
  if (!options.skip_idle) return Skips::kNothing;
  return find_pipeline(design.config).edges == EdgeLayout::kPlain ? Skips::kEnd : Skips::kBothEnds;
}

// Packed kernels are taken with all the room that they were built with, as predictions do.
PartitionConfig partition_on(const CardDesign& design, const abi::Instance& instance, const RunOptions& options,
                             VertexId num_vertices) {
  const bool are_packed = find_pipeline(design.config).edges == EdgeLayout::kPacked;
  const VertexId room = are_packed ? design.capacity : std::min(kDeviceCapacity, design.capacity);
  return partition_for(instance, skips_on(design, options), static_cast<std::uint32_t>(design.units.size()),
                       room / PlainEdgeCodec::kEdgesPerWord * PlainEdgeCodec::kEdgesPerWord, num_vertices);
}

// What executors of both forms have in common; `device` is what they make.
class OnCard : public Executor {
 public:
  OnCard(const Placement& placement) : instance_(placement.instance), card_(placement.options.card) {}

  abi::Status open(const Attempt& attempt, abi::Outcome* outcome) override {
    session_ = {};
    table_ = device().table();
    const abi::DeviceRun run = run_on(attempt, table_);
    return checked(instance_.open_on_device(&run, outcome, session_.table()));
  }
  abi::Status step(abi::Outcome* outcome) override { return checked(session_->step(session_->self, outcome)); }
  void read_properties(void* data) override { checked(session_->read_properties(session_->self, data)); }
  void snapshot(abi::Snapshot* snapshot) override { checked(session_->snapshot(session_->self, snapshot)); }
  void describe(Stats& stats) const override {
    stats.device = "fpga";
    stats.method = "gas";  // kernels know no other
    stats.board = card_->design().board;
    stats.clock_mhz = card_->design().clock_mhz;
    stats.card.library = card_->parts().driver.library();
    stats.card.calls = card_->counts() - counts_before_;
  }
  std::vector<KernelDescription> kernels() const override {
    const CardDesign& design = card_->design();
    std::vector<KernelDescription> kernels;
    for (std::size_t unit = 0; unit < design.units.size(); ++unit) {
      kernels.push_back({unit < design.num_dense ? design.dense : design.gather_scatter, design.units[unit],
                         static_cast<std::int32_t>(unit)});
    }
    kernels.push_back({design.apply, design.apply_unit, kApplyUnit});
    return kernels;
  }

 protected:
  virtual HostDevice& device() const = 0;
  void take(const Placement& placement) {
    lease_ = std::make_unique<LoadedCard::Lease>(card_->lease(placement.options.interrupted));
    counts_before_ = card_->counts();
  }
  abi::Status checked(std::int32_t status) const {
    if (device().failure()) std::rethrow_exception(device().failure());
    return static_cast<abi::Status>(status);
  }

  const abi::Instance& instance_;
  std::shared_ptr<LoadedCard> card_;

 private:
  std::unique_ptr<LoadedCard::Lease> lease_;
  CardCounts counts_before_;
  abi::Device table_{};

 protected:
  OpenSession session_;
};

class CardExecutor : public OnCard {
 public:
  CardExecutor(const Placement& placement, Workers& workers) : OnCard(placement), edges_(place(placement, workers)) {
    Schedule schedule = schedule_for(placement.options, edges_->partitioning());
    take(placement);
    const Skips skips = skips_on(card_->design(), placement.options);
    device_ = std::make_unique<CardDevice>(*card_, instance_, edges_, std::move(schedule), skips, workers);
  }
  ~CardExecutor() override { session_ = {}; }

  void describe(Stats& stats) const override {
    OnCard::describe(stats);
    stats.partition = edges_->partitioning().config();
    stats.card.edge_bytes_uploaded = device_->edge_bytes_uploaded();
  }
  const Partitioning& partitioning() const override { return edges_->partitioning(); }
  const KernelPorts* kernel_ports() const override { return &device_->ports(); }
  std::vector<KernelTime> kernel_times() const override { return device_->kernel_times(); }

 private:
  HostDevice& device() const override { return *device_; }
  // The edges as the card's compute units take them.
  static std::shared_ptr<const DeviceEdges> place(const Placement& placement, Workers& workers) {
    const CardDesign& design = card_of(placement.options).design();
    const bool has_weights = placement.edge_type != abi::kNone;
    check_card_weights(design, has_weights);
    const auto csr = placement.graph.view(placement.view, workers);
    PartitionConfig config = partition_on(design, placement.instance, placement.options, csr->num_columns);
    if (placement.options.partition) config = *placement.options.partition;
    if (config.compute_units != design.units.size()) {
      throw DeviceError(message("the graph was partitioned for ", config.compute_units, " compute units; ",
                                design.xclbin, " has ", design.units.size(), "; partition it for as many"));
    }
    check_capacity(config, *csr, design.capacity, design.xclbin);
    const EdgeLayout layout = find_pipeline(design.config).edges;
    return placement.graph.device_edges(placement.view, config, placement.edge_type, layout, workers,
                                        layout == EdgeLayout::kPacked);
  }

  std::shared_ptr<const DeviceEdges> edges_;
  std::unique_ptr<CardDevice> device_;
};

// Of two kinds of pipelines.
class PipelinesExecutor : public OnCard {
 public:
  PipelinesExecutor(const Placement& placement, Workers& workers)
      : OnCard(placement),
        source_(placement.graph),
        view_(placement.view),
        edge_type_(placement.edge_type),
        workers_(workers),
        csr_(placement.graph.view(placement.view, workers)) {
    const CardDesign& design = card_of(placement.options).design();
    const Pipeline& pipeline = find_pipeline(design.config);
    check_card_weights(design, edge_type_ != abi::kNone);
    check_plans(placement.options, pipeline);
    take(placement);
    LoadedCard::Parts& parts = card_->parts();
    parts.open();
    CardGraph* graph = parts.find(csr_);
    if (graph == nullptr) {
      parts.graphs.push_front(place_pipelines(parts, instance_, csr_, layout(placement, design, pipeline, workers)));
      graph = parts.graphs.front().get();
    }
    device_ = std::make_unique<PipelinesDevice>(*card_, instance_, *graph, csr_->num_rows, csr_->num_columns,
                                                placement.options.skip_idle, workers);
  }
  ~PipelinesExecutor() override { session_ = {}; }

  void describe(Stats& stats) const override {
    OnCard::describe(stats);
    stats.card.edge_bytes_uploaded = device_->edge_bytes_uploaded();
  }
  const Partitioning& partitioning() const override {
    if (!partitioning_) partitioning_ = source_.partition(view_, {}, edge_type_, workers_);
    return *partitioning_;
  }
  std::vector<KernelTime> kernel_times() const override { return device_->kernel_times(); }

 private:
  HostDevice& device() const override { return *device_; }
  // As many pipelines as were built, with partitions for which they have room.
  std::shared_ptr<const PipelineLayout> layout(const Placement& placement, const CardDesign& design,
                                               const Pipeline& pipeline, Workers& workers) const {
    predict::PipelineShape shape = predict::kHbm;
    const VertexId capacity = design.capacity * static_cast<VertexId>(instance_.update_bytes / 4);
    shape.sparse.capacity = std::min(shape.sparse.capacity, capacity);
    shape.dense.capacity = std::min(shape.dense.capacity, capacity / kDensePerSparse);
    shape.dense.num_pipelines = static_cast<int>(design.num_dense);
    shape.sparse.num_pipelines = static_cast<int>(design.units.size() - design.num_dense);
    const Board& board = find_board(design.board);
    const double clock = design.clock_mhz > 0 ? design.clock_mhz : clock_mhz(board);
    return lay_out(placement, *csr_, pipeline, shape, board, clock, true, workers);
  }

  const Graph source_;  // shares what it is made of
  View view_;
  abi::Scalar edge_type_;
  Workers& workers_;
  std::shared_ptr<const Csr> csr_;
  std::unique_ptr<PipelinesDevice> device_;
  mutable std::shared_ptr<const Partitioning> partitioning_;
};

// The only number format that the card of the options computes in. DeviceError where it is none of this program's.
const abi::Instance& instance_on_card(const abi::Program& program, const RunOptions& options) {
  const CardDesign& design = card_of(options).design();
  if (options.method == pe_array::kPullMethod) {  // the kernel is of any program, whose hooks the host runs
    for (std::uint32_t i = 0; i < program.num_instances; ++i) {
      if (options.number == "auto" || options.number == program.instances[i].number) return program.instances[i];
    }
    throw InputError(message("number is \"", options.number, "\", which ", program.name, " does not know"));
  }
  if (design.algorithm != program.name) {
    throw DeviceError(message(design.xclbin, " holds ", design.algorithm, ", not ", program.name,
                              "; load an xclbin of ", program.name));
  }
  if (options.number != "auto" && options.number != design.number) {
    throw DeviceError(message(design.xclbin, " computes with number=\"", design.number, "\", not \"", options.number,
                              "\"; leave number= out, or load another xclbin"));
  }
  for (std::uint32_t i = 0; i < program.num_instances; ++i) {
    if (design.number == program.instances[i].number) return program.instances[i];
  }
  throw DeviceError(message(design.xclbin, " computes with number=\"", design.number, "\", which ", program.name,
                            " does not know; build it again with this version"));
}

// InputError for what is no index and no known board.
void check_which(const std::string& which) {
  if (!which.empty() && which.find_first_not_of("0123456789") == std::string::npos) return;
  std::string known;
  for (const Board* board : boards()) {
    if (which == board->name) return;
    known += message(known.empty() ? "" : ", ", "fpga:", board->name);
  }
  throw InputError(
      message("device is 'fpga:", which, "'; a card is 'fpga', 'fpga:0' by its index, or by its board: ", known));
}

// As in the emulator, of the kernels that were loaded.
Relabels relabels_on_card(const abi::Instance& instance, const RunOptions& options, VertexId num_vertices) {
  const bool has_an_order = options.design == kGraphopsDesign || options.method == pe_array::kPullMethod ||
                            !options.card || has_two_kinds(find_pipeline(options.card->design().config));
  if (has_an_order) return Relabels::kNever;
  return relabels_with(partition_on(options.card->design(), instance, options, num_vertices), instance, options);
}

}  // namespace

namespace executor {

extern const ExecutorKind card{"fpga",
                               "a card",
                               "1",
                               "OnDevice",
                               /*has_kernels=*/true,
                               /*predicts=*/false,
                               /*needs_card=*/true,
                               check_which,
                               [] { return std::vector<FoundDevice>(); },
                               [](const abi::Instance& instance) { return instance.open_on_device != nullptr; },
                               instance_on_card,
                               [](const Placement& placement, Workers& workers) -> std::unique_ptr<Executor> {
                                 if (placement.options.method == pe_array::kPullMethod) {
                                   return make_pe_search(placement, workers);
                                 }
                                 if (placement.options.design == kGraphopsDesign) {
                                   return make_graphops(placement, workers);
                                 }
                                 if (has_two_kinds(find_pipeline(card_of(placement.options).design().config))) {
                                   return std::make_unique<PipelinesExecutor>(placement, workers);
                                 }
                                 return std::make_unique<CardExecutor>(placement, workers);
                               },
                               relabels_on_card};

}  // namespace executor
}  // namespace gaspipe
