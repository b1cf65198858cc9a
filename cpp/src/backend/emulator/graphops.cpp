// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/backend/emulator/graphops.h"

#include <algorithm>

#include "cpp/src/backend/card/graphops_on_card.h"
#include "cpp/src/backend/emulator/graphops_device.h"
#include "cpp/src/backend/emulator/graphops_kernel.h"
#include "cpp/src/backend/emulator/kernels_on_demand.h"
#include "gaspipe/error.h"

namespace gaspipe {
namespace {

constexpr const char* kKernelPrefix = "graphops_";

std::string kernel_name(const std::string& algorithm) {
  const std::string name = kKernelPrefix + algorithm;
  for (const KernelTable& table : kernel_tables()) {
    if (name == table.name) return name;
  }
  throw InputError(message("design is \"", kGraphopsDesign, "\", which has no accelerator for ", algorithm,
                           "; bfs, pagerank, spmv and sssp have one. Omit it, or use design=\"gas\""));
}

View walked_by(const abi::Instance& instance, View view) {
  if (instance.idempotent != 0) return view;  // a search follows edges; a gather has those into every vertex
  return view == View::kForward ? View::kReverse : view == View::kReverse ? View::kForward : view;
}

// Kernels that a run compiles where they are not built in: on a card only the host's own apply.
std::vector<std::string> code_of(const Placement& placement) {
  if (!placement.options.card) return {kernel_name(placement.algorithm), "apply"};
  if (placement.instance.idempotent != 0) return {};
  return {"apply"};
}

class Graphops : public Executor {
 public:
  Graphops(const Placement& placement, Workers& workers)
      : instance_(with_kernels(placement.instance, placement.algorithm, code_of(placement))),
        source_(placement.graph),
        view_(placement.view),
        edge_type_(placement.edge_type),
        workers_(workers),
        name_(kernel_name(placement.algorithm)),
        num_vertices_(placement.graph.num_vertices()) {
    if (placement.options.card) {
      kernel_ = std::make_unique<GraphopsOnCard>(placement.options, name_);
    } else {
      board_ = std::make_unique<GraphopsBoard>(placement.options);
      make_emulated();
    }
    graph_ = std::make_unique<GraphopsGraph>(placement.graph, walked_by(instance_, view_), edge_type_,
                                             static_cast<abi::Scalar>(instance_.edge_type), instance_.property_bytes,
                                             workers);
    if (instance_.property_bytes != instance_.update_bytes) {
      throw InputError(
          message("design is \"", kGraphopsDesign, "\"; its blocks need properties and updates of one size"));
    }
    // By bank: edges; replicas; weights; vertices and sets. The offsets of a search lie with the vertices.
    const bool is_search = instance_.idempotent != 0;
    const std::uint64_t offsets = graph_->offsets().size() * 64;
    const std::uint64_t edges = is_search ? graph_->targets().size() * 64 : offsets;
    const std::uint64_t values = std::uint64_t(num_vertices_) * static_cast<unsigned>(3 * instance_.property_bytes);
    const std::uint64_t vertices = values + (is_search ? offsets : 0);
    kernel_->check_bank(std::max({edges, graph_->replicas().size() * 64, graph_->weights().size() * 64, vertices}),
                        "design=\"gas\"");
  }

  abi::Status open(const Attempt& attempt, abi::Outcome* outcome) override {
    session_ = {};
    device_.reset();
    if (board_ != nullptr) make_emulated();  // its account is of this attempt alone
    device_ = std::make_unique<GraphopsDevice>(instance_, *kernel_, *graph_, num_vertices_, workers_);
    table_ = device_->table();
    const abi::DeviceRun run = run_on(attempt, table_);
    return checked(instance_.open_on_device(&run, outcome, session_.table()));
  }
  abi::Status step(abi::Outcome* outcome) override { return checked(session_->step(session_->self, outcome)); }
  void read_properties(void* data) override { checked(session_->read_properties(session_->self, data)); }
  void snapshot(abi::Snapshot* snapshot) override { checked(session_->snapshot(session_->self, snapshot)); }
  void describe(Stats& stats) const override {
    stats.method = "gas";  // super-steps of hooks, by other kernels
    kernel_->describe(stats, graph_->rows().num_edges);
  }
  const Partitioning& partitioning() const override {
    if (!partitioning_) partitioning_ = source_.partition(view_, {}, edge_type_, workers_);
    return *partitioning_;
  }

 private:
  void make_emulated() {
    kernel_ = std::make_unique<EmulatedGraphops>(find_kernel(instance_, name_), *board_, workers_);
  }
  abi::Status checked(std::int32_t status) const {
    if (device_->failure()) std::rethrow_exception(device_->failure());
    return static_cast<abi::Status>(status);
  }

  const abi::Instance& instance_;
  const Graph source_;  // shares what it is made of
  View view_;
  abi::Scalar edge_type_;
  Workers& workers_;
  const std::string name_;
  VertexId num_vertices_;
  std::unique_ptr<GraphopsBoard> board_;  // null: on a card
  std::unique_ptr<GraphopsKernel> kernel_;
  std::unique_ptr<GraphopsGraph> graph_;
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
