// SPDX-License-Identifier: Apache-2.0
// Runs of a compute unit, and what becomes of those that do not end.
#include <algorithm>
#include <chrono>
#include <thread>

#include "cpp/src/backend/card/xrt/unit.h"

namespace gaspipe {
namespace fpga {
namespace {

// For a run that something waits for in order to go; they take milliseconds.
constexpr std::chrono::seconds kPatience{30};

const char* state_name(ert_cmd_state state) {
  switch (state) {
    case ERT_CMD_STATE_NEW:
      return "NEW";
    case ERT_CMD_STATE_QUEUED:
      return "QUEUED";
    case ERT_CMD_STATE_RUNNING:
      return "RUNNING";
    case ERT_CMD_STATE_COMPLETED:
      return "COMPLETED";
    case ERT_CMD_STATE_ERROR:
      return "ERROR";
    case ERT_CMD_STATE_ABORT:
      return "ABORT";
    case ERT_CMD_STATE_SUBMITTED:
      return "SUBMITTED";
    case ERT_CMD_STATE_TIMEOUT:
      return "TIMEOUT";
    case ERT_CMD_STATE_NORESPONSE:
      return "NORESPONSE";
    default:
      return "unknown";
  }
}

bool is_under_way(ert_cmd_state state) {
  return state == ERT_CMD_STATE_NEW || state == ERT_CMD_STATE_QUEUED || state == ERT_CMD_STATE_RUNNING ||
         state == ERT_CMD_STATE_SUBMITTED;
}

}  // namespace

class Run : public CardRun {
 public:
  explicit Run(std::shared_ptr<UnitParts> unit) : unit_(std::move(unit)), buffers_(unit_->arguments.size()) {
    session().check();
    run_ = attempt([&] { return xrt::run(unit_->kernel); }, [&] { return "cannot make a run of " + unit_->label; });
    ++session().counts.runs;
  }
  ~Run() override {
    if (started_) session().settle();
    if (session().lost) abandon(std::move(run_));
    leave();
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  void set(int argument, CardBuffer& buffer) override {
    const auto& expected = unit_->argument(argument).banks;
    const auto* ours = dynamic_cast<const Buffer*>(&buffer);
    if (ours == nullptr || &ours->session() != &session()) {
      throw DeviceError(unit_->argument_label(argument) + " cannot be a buffer of another card");
    }
    const bool is_near = std::any_of(expected.begin(), expected.end(),
                                     [&](const MemoryBank& bank) { return bank.index == ours->bank().index; });
    if (!is_near) {
      throw DeviceError(message(unit_->argument_label(argument), " is connected to ",
                                expected.empty() ? "no memory" : names(expected), "; the buffer lies in ",
                                ours->bank().name));
    }
    set_value(argument, ours->memory());
    buffers_[argument] = ours->life();
  }
  void set(int argument, std::uint32_t value) override {
    const Argument& expected = unit_->argument(argument);
    if (!expected.banks.empty() || expected.num_bytes != sizeof value) {
      throw DeviceError(unit_->argument_label(argument) + " is no number of 32 bits");
    }
    set_value(argument, value);
  }

  void start() override {
    session().check();
    check_idle("start");
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      if (buffers_[i].expired() && !unit_->arguments[i].banks.empty()) {
        throw DeviceError(unit_->argument_label(static_cast<int>(i)) + " was not set, or its buffer was freed");
      }
    }
    session().under_way.push_back(this);  // before, so that what is started is in there whatever happens
    started_ = true;
    try {
      attempt([&] { run_.start(); }, [&] { return "cannot start " + unit_->label; });
    } catch (...) {
      leave();
      throw;
    }
    was_started_ = true;
    ++session().counts.starts;
  }

  bool wait(std::uint32_t milliseconds) override {
    if (!started_) {
      if (!was_started_) throw DeviceError(unit_->label + " was not started; there is nothing to wait for");
      return true;
    }
    session().check();
    ++session().counts.waits;
    const ert_cmd_state state = attempt(
        [&] {
          // To XRT, no time at all means for ever.
          if (milliseconds == 0) return run_.state();
          const ert_cmd_state after = run_.wait(std::chrono::milliseconds(milliseconds));
          // TIMEOUT is either this wait's, or what became of the run.
          return after == ERT_CMD_STATE_TIMEOUT ? run_.state() : after;
        },
        [&] { return "cannot wait for " + unit_->label; });
    if (is_under_way(state)) return false;
    leave();
    if (state != ERT_CMD_STATE_COMPLETED) {
      throw DeviceError(
          message(unit_->label, " failed: its run ended in state ", state_name(state), " (", int(state), ")"));
    }
    return true;
  }

  // Whether it ended before the deadline, in whatever state. Asks rather than waits: not every driver below XRT heeds a
  // wait's time-out.
  bool ends_before(std::chrono::steady_clock::time_point deadline) noexcept {
    try {
      auto pause = std::chrono::microseconds(20);
      while (is_under_way(run_.state())) {
        if (std::chrono::steady_clock::now() > deadline) return false;
        std::this_thread::sleep_for(pause);
        pause = std::min(2 * pause, std::chrono::microseconds(10000));
      }
      run_.wait();  // at once; lets XRT finish its own part
      return true;
    } catch (const std::exception&) {
      return false;
    }
  }

 private:
  Session& session() const { return *unit_->session; }
  void check_idle(const char* wanted) const {
    if (started_)
      throw DeviceError(message("cannot ", wanted, " a run of ", unit_->label, " that is under way; wait for it"));
  }
  template <class Value>
  void set_value(int argument, const Value& value) {
    session().check();
    check_idle("change");
    attempt([&] { run_.set_arg(argument, value); }, [&] { return "cannot set " + unit_->argument_label(argument); });
    ++session().counts.arguments;
  }
  void leave() noexcept {
    auto& all = session().under_way;
    all.erase(std::remove(all.begin(), all.end(), this), all.end());
    started_ = false;
  }

  std::shared_ptr<UnitParts> unit_;
  xrt::run run_;
  std::vector<std::weak_ptr<const bool>> buffers_;  // by argument
  bool started_ = false, was_started_ = false;
};

void Session::settle() noexcept {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  for (std::size_t i = 0; i < under_way.size() && !lost; ++i) {
    if (under_way[i]->ends_before(deadline)) continue;
    lost = true;
    abandon(shared_from_this());  // nor may the card be opened again
  }
}

std::unique_ptr<CardRun> Unit::make_run() { return std::make_unique<Run>(parts_); }

}  // namespace fpga
}  // namespace gaspipe
