// SPDX-License-Identifier: Apache-2.0
#include "step_schedule.h"

#include <algorithm>
#include <limits>

namespace gaspipe {
namespace predict {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// A queue of kernels, one at a time: waits for a launch, then runs.
struct Queue {
  const KernelRun* running = nullptr;
  bool is_launching = false;
  double left = 0;  // seconds of the launch, or of the kernel at full speed
  std::size_t next = 0;
  double busy = 0;
};

class Simulation {
 public:
  explicit Simulation(const StepPlan& plan)
      : plan_(plan), units_(plan.launches.empty() ? 0 : plan.launches[0].size()), open_(plan.launches.size()) {
    for (std::size_t group = 0; group < plan.launches.size(); ++group) {
      for (const KernelRun& run : plan.launches[group]) open_[group] += run.seconds > 0;
      for (const KernelRun& run : plan.applies[group]) applies_.push_back({&run, group});
    }
  }

  StepTime run() {
    StepTime time;
    while (true) {
      for (std::size_t unit = 0; unit < units_.size(); ++unit) feed_unit(unit);
      feed_apply();
      const double pass = until_next();
      if (pass == kNever) break;
      now_ += pass;
      for (std::size_t unit = 0; unit < units_.size(); ++unit) {
        if (advance(units_[unit], pass)) {
          --open_[units_[unit].next - 1];
          time.scatter_gather_seconds = now_;
        }
      }
      advance(apply_, pass);
    }
    time.seconds = now_;
    for (const Queue& unit : units_) time.unit_seconds.push_back(unit.busy);
    time.apply_seconds = apply_.busy;
    return time;
  }

 private:
  void begin(Queue& queue, const KernelRun& run) {
    queue.running = &run;
    queue.is_launching = plan_.launch_seconds > 0;
    queue.left = queue.is_launching ? plan_.launch_seconds : run.seconds;
  }
  void feed_unit(std::size_t unit) {
    Queue& queue = units_[unit];
    while (queue.running == nullptr && queue.next < plan_.launches.size()) {
      const KernelRun& run = plan_.launches[queue.next++][unit];
      if (run.seconds > 0) begin(queue, run);
    }
  }
  double host_left() const {
    constexpr double kRounding = 1e-15;
    return plan_.host_seconds - now_ > kRounding ? plan_.host_seconds - now_ : 0;
  }
  void feed_apply() {
    if (apply_.running != nullptr || apply_.next == applies_.size() || host_left() > 0) return;
    const auto& [run, group] = applies_[apply_.next];
    if (open_[group] > 0) return;
    ++apply_.next;
    begin(apply_, *run);
  }
  // How fast a kernel runs beside the others: as its slowest channel allows.
  double speed(const Queue& queue) const {
    if (queue.is_launching) return 1;
    double speed = 1;
    for (std::size_t channel = 0; channel < queue.running->bytes.size(); ++channel) {
      if (queue.running->bytes[channel] == 0) continue;
      double asked = asked_of(apply_, channel);
      for (const Queue& unit : units_) asked += asked_of(unit, channel);
      if (asked > plan_.channel_bytes_per_second) speed = std::min(speed, plan_.channel_bytes_per_second / asked);
    }
    return speed;
  }
  static double asked_of(const Queue& queue, std::size_t channel) {
    if (queue.running == nullptr || queue.is_launching || channel >= queue.running->bytes.size()) return 0;
    return queue.running->bytes[channel] / queue.running->seconds;
  }
  double until_next() {
    double pass = kNever;
    const auto look = [&](Queue& queue) {
      if (queue.running != nullptr) pass = std::min(pass, queue.left / (speeds_[&queue - &units_[0]] = speed(queue)));
    };
    speeds_.assign(units_.size() + 1, 1);
    for (Queue& queue : units_) look(queue);
    if (apply_.running != nullptr) pass = std::min(pass, apply_.left / (speeds_.back() = speed(apply_)));
    if (apply_.next < applies_.size() && host_left() > 0) pass = std::min(pass, host_left());
    return pass;
  }
  // Whether a kernel ended.
  bool advance(Queue& queue, double pass) {
    if (queue.running == nullptr) return false;
    const double speed = &queue == &apply_ ? speeds_.back() : speeds_[static_cast<std::size_t>(&queue - &units_[0])];
    if (!queue.is_launching) queue.busy += pass;
    queue.left -= pass * speed;
    if (queue.left > 1e-15) return false;
    if (queue.is_launching) {
      queue.is_launching = false;
      queue.left = queue.running->seconds;
      return false;
    }
    queue.running = nullptr;
    return true;
  }

  const StepPlan& plan_;
  std::vector<Queue> units_;
  Queue apply_;
  std::vector<int> open_;  // per group: launches that have not ended
  struct Apply {
    const KernelRun* run;
    std::size_t group;
  };
  std::vector<Apply> applies_;
  std::vector<double> speeds_;  // per unit, then apply's
  double now_ = 0;
};

}  // namespace

StepTime schedule_step(const StepPlan& plan) { return Simulation(plan).run(); }

}  // namespace predict
}  // namespace gaspipe
