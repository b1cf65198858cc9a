// SPDX-License-Identifier: Apache-2.0
#include "compute_unit.h"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>

#include "report.h"

namespace gaspipe {
namespace card {
namespace {

enum Control : std::uint32_t { kStart = 1, kDone = 2, kIdle = 4, kReady = 8, kContinue = 16 };

// As long as there is the file that GASPIPE_CARD_HOLD names, no run ends.
void wait_while_held() {
  const char* const file = std::getenv("GASPIPE_CARD_HOLD");
  while (file != nullptr && access(file, F_OK) == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// A run's pointers: the buffers they lead to, held while it lasts.
class Pointers {
 public:
  Pointers(const Unit& unit, const Memory& memory) : unit_(unit), memory_(memory) {}

  // Where the argument's word lies in this process.
  void* resolve(const std::string& argument, std::uint64_t address) {
    const std::string found = unit_.name + ": argument " + argument + " is address " + hex(address) + ", ";
    const std::shared_ptr<Buffer> buffer = memory_.find(address);
    if (buffer == nullptr) die(found + "where there is no buffer" + (address == 0 ? "; was it set?" : ""));
    const std::size_t bank = memory_.bank_of(address);
    const auto allowed = unit_.banks.find(argument);
    if (allowed == unit_.banks.end()) die(found + "and connected to no bank");
    if (allowed->second.count(bank) == 0) {
      std::string banks;
      for (const std::size_t one : allowed->second) banks += (banks.empty() ? "" : ", ") + memory_.name_of(one);
      die(found + "in " + memory_.name_of(bank) + "; it is connected to " + banks);
    }
    Used& used = used_[buffer->data()];
    used.buffer = buffer;
    used.bank = bank;
    used.arguments += (used.arguments.empty() ? "" : ", ") + argument;
    return buffer->data() + (address - buffer->address());
  }

  // Valid as long as nothing is resolved.
  std::vector<CardBuffer> buffers() {
    std::vector<CardBuffer> found;
    for (auto& [data, used] : used_) {
      used.name = used.arguments + " at " + hex(used.buffer->address());
      found.push_back(
          {used.name.c_str(), used.buffer->data(), used.buffer->num_bytes(), static_cast<std::uint32_t>(used.bank)});
    }
    return found;
  }

  // CardCall::watch.
  static const char* watch(void* self, const void* data, std::uint64_t num_bytes, int writes) {
    thread_local std::string wrong;
    const auto& used = static_cast<Pointers*>(self)->used_;
    Buffer& buffer = *std::prev(used.upper_bound(static_cast<const char*>(data)))->second.buffer;
    const std::uint64_t first = static_cast<std::uint64_t>(static_cast<const char*>(data) - buffer.data());
    const std::uint64_t last = first + num_bytes;
    if (writes != 0) {
      buffer.note_written(first, last);
      return nullptr;
    }
    const std::uint64_t unwritten = buffer.first_unwritten(first, last);
    if (unwritten >= last) return nullptr;
    wrong = "whose byte " + std::to_string(unwritten) + " neither a sync nor a kernel has written";
    return wrong.c_str();
  }

 private:
  struct Used {
    std::shared_ptr<Buffer> buffer;
    std::size_t bank;
    std::string arguments, name;
  };
  const Unit& unit_;
  const Memory& memory_;
  std::map<const char*, Used> used_;
};

}  // namespace

ComputeUnit::ComputeUnit(Unit unit, const Kernel& kernel, KernelFunction function, Memory& memory,
                         std::map<std::string, CardStream> streams)
    : unit_(std::move(unit)),
      kernel_(kernel),
      function_(function),
      memory_(memory),
      streams_(std::move(streams)),
      registers_(kernel.register_bytes),
      control_(kIdle),
      worker_([this] { work(); }) {}

ComputeUnit::~ComputeUnit() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  worker_.join();
}

bool ComputeUnit::is_running() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return (control_ & kStart) != 0;
}

void ComputeUnit::write(std::uint64_t offset, std::string_view bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (offset > registers_.size() || bytes.size() > registers_.size() - offset) {
    die("the host writes past the registers of " + name());
  }
  std::uint32_t control = 0;
  const bool has_control = offset == 0 && bytes.size() >= sizeof control;
  if (has_control) std::memcpy(&control, bytes.data(), sizeof control);
  if ((control_ & kStart) != 0 && (control & kStart) != 0) die("the host starts " + name() + ", which is running");
  std::memcpy(registers_.data() + offset, bytes.data(), bytes.size());
  if ((control & kContinue) != 0 && (control_ & kStart) == 0) control_ = kIdle;
  if ((control & kStart) != 0) {
    trace("start " + name());
    control_ = kStart;
    latched_ = registers_;
    is_started_ = true;
    changed_.notify_all();
  }
}

std::string ComputeUnit::read(std::uint64_t offset, std::uint64_t num_bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (offset > registers_.size() || num_bytes > registers_.size() - offset) {
    die("the host reads past the registers of " + name());
  }
  std::string found(registers_.data() + offset, num_bytes);
  if (offset == 0 && num_bytes >= sizeof control_) {
    std::memcpy(&found[0], &control_, sizeof control_);
    if ((control_ & kDone) != 0) control_ = kIdle;  // done clears as it is read
  }
  return found;
}

void ComputeUnit::work() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return is_started_ || is_ending_; });
    if (is_ending_) return;
    is_started_ = false;
    lock.unlock();
    run();
    trace("done " + name());
    lock.lock();
    control_ = kDone | kIdle | kReady;
  }
}

void ComputeUnit::run() {
  const std::size_t num = kernel_.arguments.size();
  Pointers pointers(unit_, memory_);
  std::vector<void*> resolved(num), arguments(num);
  for (std::size_t i = 0; i < num; ++i) {
    const Argument& argument = kernel_.arguments[i];
    if (argument.is_stream) {
      const auto found = streams_.find(argument.name);
      if (found == streams_.end()) die(name() + ": argument " + argument.name + " is connected to no other kernel");
      arguments[i] = &found->second;
      continue;
    }
    char* const at = latched_.data() + argument.offset;
    arguments[i] = at;
    if (!argument.is_pointer) continue;
    std::uint64_t address;
    std::memcpy(&address, at, sizeof address);
    resolved[i] = pointers.resolve(argument.name, address);
    arguments[i] = &resolved[i];
  }
  const std::vector<CardBuffer> buffers = pointers.buffers();
  std::vector<char> report(1 << 16);
  CardCall call = {};
  call.arguments = arguments.data();
  call.buffers = buffers.data();
  call.num_buffers = static_cast<std::uint32_t>(buffers.size());
  call.num_banks = static_cast<std::uint32_t>(memory_.num_banks());
  call.watch = Pointers::watch;
  call.self = &pointers;
  call.report = report.data();
  call.report_size = static_cast<std::uint32_t>(report.size());
  if (function_(&call) != 0) die(name() + ": " + report.data());
  wait_while_held();
}

}  // namespace card
}  // namespace gaspipe
