// SPDX-License-Identifier: Apache-2.0
// A card without XRT: a CardDriver over the host's memory that runs a program's kernels on a thread per compute unit.
// It takes the kernels' ports from their tables (hls/kernel/<name>.ports.h) alone, and holds its host to the rules of
// gaspipe/card.h: what breaks one is noted (`violations`). A run counts as under way until it was waited for, whether
// its thread is done or not: no test depends on timing.
#pragma once

#include <algorithm>
#include <deque>
#include <thread>

#include "cpp/src/backend/kernel_table.h"
#include "hls/kernel/apply_parts.ports.h"
#include "tests/cpp/backend/card/fake_driver.h"

namespace gaspipe {
namespace testing {

// A port, and which of several.
struct FakePort {
  std::string name;
  int number;
  PortKind kind;
};

class FakeUnit : public CardUnit {
 public:
  FakeUnit(FakeDriver& driver, int unit) : driver_(driver), unit_(unit) {
    const KernelShape shape = {driver.weighted, driver.num_units, driver.alone ? 0 : driver.instance->num_aux};
    const auto add = [&](const Port& port) {
      for (int i = 0; i < num_of(port.each, shape); ++i) {
        ports_.push_back({port.name, i, port.kind});
        banks_.emplace_back();
        if (!is_memory(port.kind)) continue;
        const bool is_shared = is_apply() || driver_.alone;
        const int owner = is_shared ? unit_of_memory(port.each, i, driver.num_units) : unit_;
        for (const int bank : driver_.connected(port.name, owner, is_apply())) {
          for (const MemoryBank& each : driver_.banks) {
            if (each.index == bank) banks_.back().push_back(each);
          }
        }
      }
    };
    for (std::size_t p = 0; p < kernel().num_ports; ++p) add(kernel().ports[p]);
    ++driver_.num_alive_;
    thread_ = std::thread([this] { work(); });
  }
  ~FakeUnit() override {
    {
      const std::lock_guard<std::mutex> lock(driver_.guard_);
      ends_ = true;
      --driver_.num_alive_;
      driver_.changed_.notify_all();
    }
    thread_.join();
  }
  const std::vector<MemoryBank>& banks(int argument) override { return banks_[static_cast<std::size_t>(argument)]; }
  std::unique_ptr<CardRun> make_run() override;

 private:
  friend class FakeRun;
  using Argument = FakeArgument;
  struct Job {
    class FakeRun* run;
    std::vector<Argument> arguments;
    bool hangs;
  };

  bool is_apply() const { return unit_ == kFakeApply; }
  const Argument& find(const std::vector<Argument>& arguments, const std::string& name, int number = 0) const {
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      if (ports_[i].name == name && ports_[i].number == number) return arguments[i];
    }
    static const Argument none;
    return none;
  }
  void work();
  const KernelTable& kernel() const {
    if (driver_.alone) return find_kernel_table(driver_.config);
    const Pipeline& pipeline = find_pipeline(driver_.config);
    return find_kernel_table(is_apply()                  ? pipeline.apply
                             : unit_ < driver_.num_dense ? pipeline.dense
                                                         : pipeline.gather_scatter);
  }
  bool has_two_kinds() const { return driver_.num_dense > 0; }
  std::int32_t run(const std::vector<Argument>& arguments);
  void exchange(const std::vector<Argument>& arguments);
  std::int32_t apply_all(const std::vector<Argument>& arguments);

  FakeDriver& driver_;
  int unit_;
  std::vector<FakePort> ports_;
  std::vector<std::vector<MemoryBank>> banks_;
  std::deque<Job> jobs_;
  bool ends_ = false;
  std::thread thread_;
};

class FakeRun : public CardRun {
 public:
  explicit FakeRun(FakeUnit& unit) : driver_(unit.driver_), unit_(unit), arguments_(unit.ports_.size()) {
    ++driver_.num_alive_;
  }
  ~FakeRun() override {
    const std::lock_guard<std::mutex> lock(driver_.guard_);
    if (state_ != kIdle) driver_.violate("a run is destroyed while it is under way");
    --driver_.num_alive_;
  }
  void set(int argument, CardBuffer& buffer) override {
    const Uncounted uncounted;
    auto& fake = static_cast<FakeBuffer&>(buffer);
    const auto& banks = unit_.banks(argument);
    if (std::none_of(banks.begin(), banks.end(), [&](const MemoryBank& bank) { return bank.index == fake.bank(); })) {
      throw DeviceError(message("argument ", argument, " is not connected to bank ", fake.bank()));
    }
    set_to(argument, {&fake, 0, true}, false);
  }
  void set(int argument, std::uint32_t value) override {
    const Uncounted uncounted;
    set_to(argument, {nullptr, value, true}, true);
  }
  void start() override {
    const Uncounted uncounted;
    ++driver_.counts_.starts;
    if (FakeDriver::strikes(driver_.faults.start)) throw DeviceError("start fails");
    const std::lock_guard<std::mutex> lock(driver_.guard_);
    if (state_ != kIdle) driver_.violate("a run is started that is under way");
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      const FakePort& port = unit_.ports_[i];
      const bool is_stream = port.kind == PortKind::kSend || port.kind == PortKind::kTake;
      if (!arguments_[i].is_set && !is_stream)
        driver_.violate(message("a run is started without its ", port.name, " ", port.number));
      if (arguments_[i].buffer == nullptr) continue;
      const bool writes = port.kind == PortKind::kWrite;
      for (const FakeBuffer::User& user : arguments_[i].buffer->users_) {
        if (user.unit != unit_.unit_ && (writes || user.writes)) {
          driver_.violate(message(port.name, " of unit ", unit_.unit_, " is in use by unit ", user.unit));
        }
      }
      arguments_[i].buffer->users_.push_back({unit_.unit_, writes});
    }
    state_ = kUnderWay;
    driver_.events_.push_back(
        {"start", unit_.unit_, unit_.find(arguments_, "first").value, unit_.find(arguments_, "num_words").value});
    unit_.jobs_.push_back({this, arguments_, FakeDriver::strikes(driver_.faults.hang)});
    driver_.changed_.notify_all();
  }
  bool wait(std::uint32_t milliseconds) override {
    const Uncounted uncounted;
    ++driver_.counts_.waits;
    std::unique_lock<std::mutex> lock(driver_.guard_);
    if (state_ == kIdle) driver_.violate("a run is waited for that was not started");
    const auto over = [&] { return state_ == kDone || state_ == kFailed; };
    if (!driver_.changed_.wait_for(lock, std::chrono::milliseconds(milliseconds), over)) return false;
    const bool fails = state_ == kFailed || FakeDriver::strikes(driver_.faults.wait);
    state_ = kIdle;
    driver_.events_.push_back({"done", unit_.unit_, unit_.find(arguments_, "first").value, 0});
    for (const FakeUnit::Argument& argument : arguments_) {
      if (argument.buffer == nullptr) continue;
      auto& users = argument.buffer->users_;
      users.erase(std::find_if(users.begin(), users.end(),
                               [&](const FakeBuffer::User& user) { return user.unit == unit_.unit_; }));
    }
    if (fails) throw DeviceError("the command was aborted");
    return true;
  }

 private:
  friend class FakeUnit;
  enum State { kIdle, kUnderWay, kDone, kFailed };

  void set_to(int argument, const FakeUnit::Argument& value, bool is_scalar) {
    ++driver_.counts_.arguments;
    const std::lock_guard<std::mutex> lock(driver_.guard_);
    if (state_ != kIdle) driver_.violate("an argument is set while its run is under way");
    const auto i = static_cast<std::size_t>(argument);
    if (i >= arguments_.size() ||
        (is_scalar ? unit_.ports_[i].kind != PortKind::kScalar : !is_memory(unit_.ports_[i].kind))) {
      driver_.violate(message("argument ", argument, " is none, or of another kind"));
      return;
    }
    arguments_[i] = value;
  }

  FakeDriver& driver_;
  FakeUnit& unit_;
  std::vector<FakeUnit::Argument> arguments_;
  State state_ = kIdle;
};

inline std::unique_ptr<CardRun> FakeUnit::make_run() {
  ++driver_.counts_.runs;
  return std::make_unique<FakeRun>(*this);
}

inline void FakeUnit::work() {
  for (;;) {
    Job job;
    {
      std::unique_lock<std::mutex> lock(driver_.guard_);
      driver_.changed_.wait(lock, [&] { return ends_ || !jobs_.empty(); });
      if (ends_) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
      if (job.hangs) driver_.changed_.wait(lock, [&] { return ends_ || driver_.released_; });
      if (ends_) return;
    }
    if (driver_.delay.count() > 0) std::this_thread::sleep_for(driver_.delay);
    const VertexId first = find(job.arguments, "first").value;
    if (driver_.before_run) driver_.before_run(unit_, first);
    const std::int32_t status = run(job.arguments);
    if (driver_.after_run) driver_.after_run(unit_, first);
    const std::lock_guard<std::mutex> lock(driver_.guard_);
    job.run->state_ = status == abi::kOk ? FakeRun::kDone : FakeRun::kFailed;
    driver_.changed_.notify_all();
  }
}

inline abi::Emulation fast_emulation() {
  abi::Emulation emulation{};
  emulation.execution = abi::kFast;
  emulation.stopped = [](void*) -> std::int32_t { return 0; };
  return emulation;
}

// With two kinds of pipelines a launch that exchanges waits for apply, which does its part as well.
inline void FakeUnit::exchange(const std::vector<Argument>& arguments) {
  std::unique_lock<std::mutex> lock(driver_.guard_);
  driver_.exchanges_[unit_] = arguments;
  driver_.changed_.notify_all();
  driver_.changed_.wait(lock, [&] { return ends_ || driver_.num_exchanged_ > 0; });
  if (--driver_.num_exchanged_ == 0) driver_.exchanges_.clear();
  driver_.changed_.notify_all();
}

inline std::int32_t FakeUnit::apply_all(const std::vector<Argument>& arguments) {
  const auto num = static_cast<std::size_t>(driver_.num_units);
  {
    std::unique_lock<std::mutex> lock(driver_.guard_);
    driver_.changed_.wait(lock,
                          [&] { return ends_ || (driver_.num_exchanged_ == 0 && driver_.exchanges_.size() == num); });
    if (ends_) return abi::kCancelled;
  }
  std::vector<abi::Buffer> buffers;
  std::vector<std::uint32_t> scalars;
  const auto add = [&](const Argument& argument) {
    buffers.push_back({argument.buffer->card_bytes(), argument.buffer->num_bytes()});
  };
  const KernelShape shape = {driver_.weighted, driver_.num_units, driver_.instance->num_aux};
  // Both kinds of pipelines have the same ports, none of which there are several.
  const auto of_unit = [&](int unit, const std::string& name) -> const Argument& {
    return driver_.exchanges_.at(
        unit)[static_cast<std::size_t>(argument_index(find_kernel_table("dense_gather_scatter"), name.c_str(), shape))];
  };
  for (const Port& port : kernel::apply_parts::kWithPipelines) {
    for (int i = 0; i < num_of(port.each, shape); ++i) {
      const bool is_pipelines = port.each == Each::kUnit;
      const Argument& argument = is_pipelines ? of_unit(i, port.name) : find(arguments, port.name, i);
      if (port.kind == PortKind::kScalar) {
        scalars.push_back(argument.value);
      } else {
        add(argument);
      }
    }
  }
  const abi::KernelCall call = {buffers.data(), scalars.data(), driver_.num_units, driver_.weighted};
  abi::Emulation emulation = fast_emulation();
  const std::int32_t status = find_kernel(*driver_.instance, "apply_parts").run(&call, &emulation);
  // The emulation wrote apply's own copy.
  const std::size_t num_bytes =
      (find(arguments, "last").value * static_cast<std::size_t>(driver_.instance->property_bytes) + 63) / 64 * 64;
  for (int unit = 0; unit < driver_.num_units; ++unit) {
    if (of_unit(unit, "num_vertices").value != find(arguments, "last").value) return abi::kBadDesign;
    std::memcpy(of_unit(unit, "updated").buffer->card_bytes(), find(arguments, "own").buffer->card_bytes(), num_bytes);
  }
  const std::lock_guard<std::mutex> lock(driver_.guard_);
  driver_.num_exchanged_ = driver_.num_units;
  driver_.changed_.notify_all();
  return status;
}

inline std::int32_t FakeUnit::run(const std::vector<Argument>& arguments) {
  if (driver_.alone) {
    driver_.alone({[&](const char* port, int number) -> void* {
                     FakeBuffer* const buffer = find(arguments, port, number).buffer;
                     return buffer == nullptr ? nullptr : buffer->card_bytes();
                   },
                   [&](const char* port) { return find(arguments, port).value; }});
    return abi::kOk;
  }
  if (has_two_kinds() && is_apply()) return apply_all(arguments);
  if (has_two_kinds() && find(arguments, "num_vertices").value != 0) {
    exchange(arguments);
    return abi::kOk;
  }
  std::vector<abi::Buffer> buffers;
  std::vector<std::uint32_t> scalars;
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    if (ports_[i].kind == PortKind::kScalar) {
      scalars.push_back(arguments[i].value);
    } else if (!is_memory(ports_[i].kind)) {
      continue;
    } else if (arguments[i].buffer == nullptr) {
      buffers.push_back({nullptr, 0});
    } else {
      buffers.push_back({arguments[i].buffer->card_bytes(), arguments[i].buffer->num_bytes()});
    }
  }
  const abi::Instance& instance = *driver_.instance;
  const abi::KernelCall call = {buffers.data(), scalars.data(), driver_.num_units, driver_.weighted};
  abi::Emulation emulation = fast_emulation();
  const std::int32_t status = find_kernel(instance, kernel().name).run(&call, &emulation);
  if (!is_apply()) return status;
  // The emulation wrote one copy, of whole words.
  const auto bytes = static_cast<std::size_t>(instance.property_bytes);
  const std::size_t from = find(arguments, "first").value * bytes;
  const std::size_t to = (find(arguments, "last").value * bytes + 63) / 64 * 64;
  const char* const written = find(arguments, "updated").buffer->card_bytes();
  for (int unit = 1; unit < driver_.num_units; ++unit) {
    std::memcpy(find(arguments, "updated", unit).buffer->card_bytes() + from, written + from, to - from);
  }
  return status;
}

class FakeCard : public Card {
 public:
  explicit FakeCard(FakeDriver& driver) : driver_(driver) {
    if (driver_.is_open_) driver_.violate("a card is opened twice");
    driver_.is_open_ = true;
    driver_.counts_ = {};
  }
  ~FakeCard() override {
    if (driver_.num_alive_ != 0) driver_.violate(message(driver_.num_alive_, " objects outlive their card"));
    driver_.is_open_ = false;
  }
  std::unique_ptr<CardUnit> unit(const std::string& kernel, const std::string& instance) override {
    if (kernel == "fake_apply") return std::make_unique<FakeUnit>(driver_, kFakeApply);
    return std::make_unique<FakeUnit>(driver_, std::stoi(instance.substr(instance.find('_') + 1)));
  }
  std::unique_ptr<CardBuffer> allocate(const MemoryBank& bank, std::uint64_t num_bytes) override {
    ++driver_.counts_.allocations;
    const std::uint64_t pages = (num_bytes + 4095) / 4096 * 4096;
    if (FakeDriver::strikes(driver_.faults.allocate)) throw CapacityError(bank.name + " is full");
    if (driver_.used[bank.index] + pages > bank.num_bytes) driver_.violate(bank.name + " is filled beyond its size");
    return std::make_unique<FakeBuffer>(driver_, bank.index, num_bytes);
  }
  const CardCounts& counts() const override { return driver_.counts_; }

 private:
  FakeDriver& driver_;
};

inline std::unique_ptr<Card> FakeDriver::open(int, const std::string& xclbin) {
  if (strikes(faults.open)) throw DeviceError(xclbin + " cannot be loaded");
  ++num_opened;
  return std::make_unique<FakeCard>(*this);
}

}  // namespace testing
}  // namespace gaspipe
