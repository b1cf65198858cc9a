// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/backend/emulator/two_kinds.h"

#include <cmath>

#include "cpp/src/backend/emulator/kernels_on_demand.h"
#include "cpp/src/backend/emulator/scale.h"
#include "cpp/src/backend/emulator/two_kinds_device.h"
#include "cpp/src/backend/placed_layout.h"
#include "cpp/src/predict/kernel_clock.h"
#include "cpp/src/predict/pipeline_fit.h"

namespace gaspipe {
namespace {

constexpr const char* kDefaultHbmBoard = "u280";

class TwoKinds : public Executor {
 public:
  TwoKinds(const Placement& placement, Workers& workers)
      : pipeline_(find_pipeline(placement.options.config)),
        config_(predict::find_config(placement.options.config)),
        board_(find_board(which_of(placement.options.device).empty() ? kDefaultHbmBoard
                                                                     : which_of(placement.options.device))),
        source_(placement.graph),
        view_(placement.view),
        edge_type_(placement.edge_type),
        workers_(workers),
        clock_mhz_(std::min<double>(clock_mhz(board_), predict::recurrence_clock_mhz(config_))),
        skips_idle_(placement.options.skip_idle),
        name_(placement.options.execution),
        around_(predict::surroundings_of(board_, clock_mhz_, no_prediction_)),
        csr_(placement.graph.view(placement.view, workers)) {
    check_plans(placement.options, pipeline_);
    const abi::Instance& instance = placement.instance;
    const bool is_weighted = edge_type_ != abi::kNone;
    shape_ = predict::fit_pipelines(pipeline_.name, *config_.pipelines, board_, predict::numbers_of(instance),
                                    is_weighted, instance.num_aux);
    instance_ =
        &with_kernels(instance, placement.algorithm, {pipeline_.dense, pipeline_.gather_scatter, pipeline_.apply});
    if (name_ == "auto") name_ = which_of(placement.options.device).empty() ? "fast" : "exact";
    layout_ = lay_out(placement, *csr_, pipeline_, shape_, board_, clock_mhz_, execution() != abi::kFast, workers);
  }

  abi::Status open(const Attempt& attempt, abi::Outcome* outcome) override {
    session_ = {};
    if (execution() != abi::kFast && may_find_scale(attempt)) {
      if (is_scale_too_fine(*instance_, attempt, *make_device(abi::kFast), workers_)) return abi::kSaturated;
    }
    device_ = make_device(execution());
    table_ = device_->table();
    const abi::DeviceRun run = run_on(attempt, table_);
    return checked(instance_->open_on_device(&run, outcome, session_.table()));
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
    if (execution() != abi::kFast) stats.prediction = device_->prediction();
  }
  const Partitioning& partitioning() const override {
    if (!partitioning_) partitioning_ = source_.partition(view_, {}, edge_type_, workers_);
    return *partitioning_;
  }

 private:
  std::unique_ptr<TwoKindsDevice> make_device(abi::Execution execution) {
    const TwoKindsDevice::Setting setting = {pipeline_,  config_,   shape_,  board_,
                                             clock_mhz_, execution, around_, skips_idle_};
    return std::make_unique<TwoKindsDevice>(*instance_, *layout_, setting, edge_type_ != abi::kNone, csr_->num_rows,
                                            csr_->num_columns, workers_);
  }
  abi::Execution execution() const {
    return name_ == "fast" ? abi::kFast : name_ == "exact" ? abi::kExact : abi::kExactShallow;
  }
  abi::Status checked(std::int32_t status) const {
    if (device_->failure()) std::rethrow_exception(device_->failure());
    return static_cast<abi::Status>(status);
  }

  const Pipeline& pipeline_;
  const predict::KernelConfig& config_;
  const Board& board_;
  predict::PipelineShape shape_;  // of which the board takes as many pipelines as fit
  const Graph source_;            // shares what it is made of
  View view_;
  abi::Scalar edge_type_;
  Workers& workers_;
  double clock_mhz_;
  bool skips_idle_;
  std::string name_;
  const PredictionOptions no_prediction_;  // around_ refers to it
  const predict::Surroundings around_;
  std::shared_ptr<const Csr> csr_;
  const abi::Instance* instance_ = nullptr;  // with the design's kernels
  std::unique_ptr<PipelineLayout> layout_;
  std::unique_ptr<TwoKindsDevice> device_;
  abi::Device table_{};
  mutable std::shared_ptr<const Partitioning> partitioning_;
  OpenSession session_;  // closed first: it uses all others
};

}  // namespace

std::unique_ptr<Executor> make_two_kinds(const Placement& placement, Workers& workers) {
  return std::make_unique<TwoKinds>(placement, workers);
}

}  // namespace gaspipe
