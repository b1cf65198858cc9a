// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/backend/emulator/pe_search.h"

#include "cpp/src/backend/emulator/kernels_on_demand.h"
#include "cpp/src/backend/emulator/pe_search_device.h"
#include "gaspipe/error.h"
#include "gaspipe/pe_array.h"

namespace gaspipe {
namespace {

const abi::Instance& checked(const Placement& placement) {
  const abi::Instance& instance = placement.instance;
  const auto refuse = [&](const char* what) {
    throw InputError(message("method is \"", placement.options.method, "\", with which PEs search; ",
                             placement.algorithm, " ", what, "; use another method"));
  };
  if (instance.idempotent == 0) refuse("does not declare kIdempotent besides kFinalOnceSet");
  if (instance.filters == 0) refuse("has no isActive, so all vertices send");
  if (placement.edge_type != abi::kNone) refuse("reads the weights of this graph, which the PEs do not have");
  if (instance.has_passes != 0) refuse("starts over several times");
  return instance;
}

pe_array::PullRows rows_of(const Placement& placement, Workers& workers) {
  RunOptions options = placement.options;
  options.number = RunOptions().number;  // is the program's
  return {*placement.graph.view(placement.view, workers), pe_array::num_pes(options), workers};
}

class PeSearch : public Executor {
 public:
  PeSearch(const Placement& placement, Workers& workers)
      : instance_(with_kernels(checked(placement), placement.algorithm, {"gather_scatter", "apply"})),
        source_(placement.graph),
        view_(placement.view),
        options_(placement.options),
        workers_(workers),
        rows_(rows_of(placement, workers)) {}

  abi::Status open(const Attempt& attempt, abi::Outcome* outcome) override {
    session_ = {};
    device_ = std::make_unique<PeSearchDevice>(instance_, rows_, options_, workers_);
    table_ = device_->table();
    const abi::DeviceRun run = run_on(attempt, table_);
    return checked_status(instance_.open_on_device(&run, outcome, session_.table()));
  }
  abi::Status step(abi::Outcome* outcome) override { return checked_status(session_->step(session_->self, outcome)); }
  void read_properties(void* data) override { checked_status(session_->read_properties(session_->self, data)); }
  void snapshot(abi::Snapshot* snapshot) override { checked_status(session_->snapshot(session_->self, snapshot)); }
  void describe(Stats& stats) const override {
    const pe_array::Search* const search = device_->search();
    if (search == nullptr) return;
    search->board().describe(stats, search->name());
    stats.pe_array = std::make_shared<pe_array::Profile>(search->profile());
  }
  const Partitioning& partitioning() const override {
    if (!partitioning_) partitioning_ = source_.partition(view_, {}, abi::kNone, workers_);
    return *partitioning_;
  }

 private:
  abi::Status checked_status(std::int32_t status) const {
    if (device_->failure()) std::rethrow_exception(device_->failure());
    return static_cast<abi::Status>(status);
  }

  const abi::Instance& instance_;
  const Graph source_;  // shares what it is made of
  View view_;
  const RunOptions& options_;
  Workers& workers_;
  const pe_array::PullRows rows_;
  std::unique_ptr<PeSearchDevice> device_;
  abi::Device table_{};
  mutable std::shared_ptr<const Partitioning> partitioning_;
  OpenSession session_;  // closed first: it uses all others
};

}  // namespace

std::unique_ptr<Executor> make_pe_search(const Placement& placement, Workers& workers) {
  return std::make_unique<PeSearch>(placement, workers);
}

}  // namespace gaspipe
