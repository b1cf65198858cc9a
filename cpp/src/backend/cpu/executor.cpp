// SPDX-License-Identifier: Apache-2.0
// The CPU: the engine of gaspipe/engine, and what it asks of the graph: partitions that fit a core's cache, in-edges,
// components. A form of the graph is made when it is first asked for; a run that never streams has no partitions.
#include "cpp/src/backend/executor.h"

#include <algorithm>
#include <exception>

#include "cpp/src/backend/cpu/streamed.h"
#include "cpp/src/clock.h"
#include "gaspipe/error.h"
#include "gaspipe/shape.h"

namespace gaspipe {
namespace {

constexpr EdgeCount kMostEdgesInOneShare = 1 << 15;

PartitionConfig choose_partition(const Csr& csr, int num_threads) {
  PartitionConfig config;
  const std::uint64_t num_partitions = (std::uint64_t(csr.num_rows) + config.capacity - 1) / config.capacity;
  const std::uint64_t wanted = std::uint64_t(4) * num_threads;  // shares enough for the threads to end together
  if (num_threads > 1 && num_partitions < wanted && csr.num_edges() > kMostEdgesInOneShare) {
    config.compute_units = static_cast<std::uint32_t>(
        std::min<std::uint64_t>((wanted + num_partitions - 1) / num_partitions, kMostComputeUnits));
  }
  return config;
}

class Cpu : public Executor {
 public:
  Cpu(const Placement& placement, Workers& workers)
      : instance_(placement.instance),
        graph_(placement.graph),
        view_(placement.view),
        edge_type_(placement.edge_type),
        workers_(workers),
        config_(placement.options.partition
                    ? *placement.options.partition
                    : choose_partition(*(placement.rows ? graph_.view(view_, workers) : graph_.csr()), workers.size())),
        keep_properties_(placement.options.keep_properties),
        first_targets_(placement.first_targets) {
    if (placement.rows && edge_type_ != abi::kNone) weights_ = graph_.weights_as(view_, edge_type_, workers);
    forms_.self = this;
    forms_.partitioning = [](void* self) {
      return static_cast<Cpu*>(self)->made([&](Cpu& cpu) { return &cpu.partitioning().table(); });
    };
    forms_.in_edges = [](void* self, std::int32_t are_needed) {
      return static_cast<Cpu*>(self)->made([&](Cpu& cpu) { return cpu.in_edges(are_needed != 0); });
    };
    forms_.components = [](void* self, std::uint32_t* smallest) -> std::int32_t {
      Cpu& cpu = *static_cast<Cpu*>(self);
      return cpu.guarded([&] {
        const bool is_symmetric = cpu.graph_.is_known_symmetric(cpu.workers_);
        components(*cpu.graph_.csr(), is_symmetric, smallest, cpu.workers_, cpu.first_targets_.data());
      });
    };
  }

  abi::Status open(const Attempt& attempt, abi::Outcome* outcome) override {
    session_ = {};
    csr_ = attempt.csr;
    csr_.weights = weights_.data();
    const abi::Run run{
        &attempt.host,    &csr_,          &forms_,        attempt.arguments, attempt.method, attempt.scale_bits,
        keep_properties_, attempt.values, attempt.domain, attempt.resume,    attempt.relabeling, attempt.in_series};
    return settled(instance_.open(&run, outcome, session_.table()));
  }
  abi::Status step(abi::Outcome* outcome) override { return settled(session_->step(session_->self, outcome)); }
  void read_properties(void* data) override { session_->read_properties(session_->self, data); }
  void snapshot(abi::Snapshot* snapshot) override { settled(session_->snapshot(session_->self, snapshot)); }
  void describe(Stats& stats) const override {
    stats.device = "cpu";
    stats.partition = config_;
  }
  double preparing_seconds() const override { return seconds_; }
  const Partitioning& partitioning() const override {
    if (!partitioning_) partitioning_ = graph_.partition(view_, config_, edge_type_, workers_);
    return *partitioning_;
  }

 private:
  const abi::Csr* in_edges(bool are_needed) {
    if (!columns_) {
      const bool with_weights = edge_type_ != abi::kNone;
      columns_ = graph_.in_edges(view_, with_weights, are_needed, workers_);
      if (!columns_) return nullptr;
      if (with_weights) column_weights_ = graph_.weights_as(reverse_of(view_), edge_type_, workers_);
      // Of a prepared graph these are at hand where the edges are those of its rows.
      in_edges_ = {columns_->num_rows,
                   columns_->num_edges(),
                   columns_->offsets.data(),
                   columns_->offsets.is_wide() ? 8 : 4,
                   columns_->targets.data(),
                   column_weights_.data(),
                   columns_ == graph_.csr() ? first_targets_.data() : nullptr};
    }
    return &in_edges_;
  }
  static View reverse_of(View view) {
    return view == View::kForward ? View::kReverse : view == View::kReverse ? View::kForward : view;
  }

  // Nothing may throw through the program: an exception waits for the end of the step.
  template <class F>
  bool guarded(const F& f) {
    try {
      f();
    } catch (...) {
      failure_ = std::current_exception();
      workers_.cancel();
    }
    return workers_.cancelled();
  }
  // The time that making takes is not the run's.
  template <class F>
  auto made(const F& f) -> decltype(f(*this)) {
    const auto start = Clock::now();
    decltype(f(*this)) form = nullptr;
    const bool stopped = guarded([&] { form = f(*this); });
    seconds_ += seconds_since(start);
    return stopped ? nullptr : form;
  }
  abi::Status settled(std::int32_t status) {
    if (failure_) std::rethrow_exception(failure_);
    return static_cast<abi::Status>(status);
  }

  const abi::Instance& instance_;
  const Graph graph_;  // shares what it is made of
  const View view_;
  const abi::Scalar edge_type_;
  Workers& workers_;
  const PartitionConfig config_;
  const bool keep_properties_;
  const Array<VertexId> first_targets_;  // of the graph's rows; empty where they are not at hand
  mutable std::shared_ptr<const Partitioning> partitioning_;
  std::shared_ptr<const Csr> columns_;
  Array<std::uint8_t> weights_, column_weights_;
  abi::Csr csr_{}, in_edges_{};
  abi::Forms forms_{};
  std::exception_ptr failure_;
  double seconds_ = 0;
  OpenSession session_;
};

}  // namespace

namespace executor {

extern const ExecutorKind cpu{
    "cpu",
    nullptr,
    nullptr,
    "OnCpu",
    /*has_kernels=*/false,
    /*predicts=*/false,
    /*needs_card=*/false,
    nullptr,
    [] {
      return std::vector<FoundDevice>{{"cpu", message("OpenMP, ", default_num_threads(), " threads")}};
    },
    [](const abi::Instance& instance) { return instance.open != nullptr; },
    nullptr,
    [](const Placement& placement, Workers& workers) -> std::unique_ptr<Executor> {
      if (placement.graph.stored()) return make_streamed(placement, workers);
      return std::make_unique<Cpu>(placement, workers);
    },
    [](const abi::Instance&, const RunOptions&, VertexId) { return Relabels::kOftenAsked; }};

}  // namespace executor

}  // namespace gaspipe
