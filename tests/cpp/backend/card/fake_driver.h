// SPDX-License-Identifier: Apache-2.0
// Of a card without XRT (fake_card.h): the driver, which notes what its host does wrong, and buffers. A buffer's two
// sides are apart, and poisoned, so that a missing sync shows.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>

#include "gaspipe/abi.h"
#include "gaspipe/card.h"
#include "gaspipe/error.h"
#include "hls/word.h"

namespace gaspipe {
namespace testing {

// Calls of operator new on this thread, where card_test.cpp counts them; those of the fake itself are left out.
inline thread_local std::uint64_t heap_calls = 0;
inline thread_local int heap_pauses = 0;
struct Uncounted {
  Uncounted() { ++heap_pauses; }
  ~Uncounted() { --heap_pauses; }
  Uncounted(const Uncounted&) = delete;
};

struct FakeEvent {
  std::string what;         // "start", "done" (waited for), "to_card", "from_card"
  int unit;                 // kFakeApply: apply; of syncs -2
  VertexId first;           // of the partition's range
  std::uint32_t num_words;  // of edges, where a compute unit starts
};
constexpr int kFakeApply = -1;

// What goes wrong: the n-th such call from now on, 0 the next; -1: none.
struct FakeFaults {
  int open = -1, allocate = -1, to_card = -1, from_card = -1, start = -1, wait = -1;
  int hang = -1;  // of starts: the run does not end before release()
};

class FakeDriver : public CardDriver {
 public:
  // Set before a card is opened.
  const abi::Instance* instance = nullptr;
  std::string config = "plain";
  bool weighted = false;
  int num_units = 1, num_dense = 0;  // of two kinds of pipelines, the first ones
  std::vector<MemoryBank> banks;
  // Runs a kernel that is no part of a pipeline, which `config` then names, with `num_units` PEs; else null. Without an
  // instance. It gets the card's side of a port's buffer, or a scalar.
  struct AloneArguments {
    std::function<void*(const char* port, int number)> memory;
    std::function<std::uint32_t(const char* port)> scalar;
  };
  std::function<void(const AloneArguments&)> alone;
  // Banks of a port, for compute unit `unit`; `of_apply`: of the apply kernel's port.
  std::function<std::vector<int>(const std::string& port, int unit, bool of_apply)> connected =
      [](const std::string&, int unit, bool) { return std::vector<int>{unit}; };

  std::chrono::microseconds delay{0};  // before every run
  // Called on a unit's thread before a run: (unit, first vertex). After it ends: `ended` likewise.
  std::function<void(int, VertexId)> before_run, after_run;
  FakeFaults faults;

  std::string library() const override { return "fake 1.0"; }
  std::vector<CardDescription> cards() override { return {{0, "fake_shell", "", ""}}; }
  std::unique_ptr<Card> open(int index, const std::string& xclbin) override;

  std::vector<std::string> violations() {
    const std::lock_guard<std::mutex> lock(guard_);
    return violations_;
  }
  std::vector<FakeEvent> events() {
    const std::lock_guard<std::mutex> lock(guard_);
    return events_;
  }
  void forget_events() {
    const std::lock_guard<std::mutex> lock(guard_);
    events_.clear();
  }
  // Lets runs that hang go on.
  void release() {
    const std::lock_guard<std::mutex> lock(guard_);
    released_ = true;
    changed_.notify_all();
  }
  std::map<int, std::uint64_t> used;  // bytes by bank
  int num_opened = 0;

 private:
  friend class FakeCard;
  friend class FakeBuffer;
  friend class FakeUnit;
  friend class FakeRun;

  static bool strikes(int& fault) { return fault >= 0 && fault-- == 0; }
  void note(std::string what, int unit = -2, VertexId first = 0) {
    const std::lock_guard<std::mutex> lock(guard_);
    events_.push_back({std::move(what), unit, first, 0});
  }
  void violate(std::string what) {  // with the lock held
    violations_.push_back(std::move(what));
  }

  std::mutex guard_;
  std::condition_variable changed_;
  std::vector<std::string> violations_;
  std::vector<FakeEvent> events_;
  CardCounts counts_;
  bool is_open_ = false, released_ = false;
  int num_alive_ = 0;  // buffers, units and runs
  std::map<int, std::vector<struct FakeArgument>>
      exchanges_;          // of two kinds: units that wait for apply, which runs all
  int num_exchanged_ = 0;  // of them, those that have not been told so yet
};

struct FakeArgument {
  class FakeBuffer* buffer = nullptr;
  std::uint32_t value = 0;
  bool is_set = false;
};

class FakeBuffer : public CardBuffer {
 public:
  using Block = Word<std::uint64_t>;

  FakeBuffer(FakeDriver& driver, int bank, std::uint64_t num_bytes)
      : driver_(driver), bank_(bank), num_bytes_(num_bytes), host_((num_bytes + 63) / 64), card_(host_.size()) {
    std::memset(static_cast<void*>(host_.data()), 0xa5, host_.size() * 64);
    std::memset(static_cast<void*>(card_.data()), 0x5a, card_.size() * 64);
    driver_.used[bank_] += num_bytes_;
    ++driver_.num_alive_;
  }
  ~FakeBuffer() override {
    const std::lock_guard<std::mutex> lock(driver_.guard_);
    if (!users_.empty()) driver_.violate("a buffer is freed while a run uses it");
    driver_.used[bank_] -= num_bytes_;
    --driver_.num_alive_;
    ++driver_.counts_.frees;
  }
  std::uint64_t num_bytes() const override { return num_bytes_; }
  void* data() override { return host_.data(); }
  void to_card(std::uint64_t offset, std::uint64_t num_bytes) override {
    const Uncounted uncounted;
    ++driver_.counts_.syncs_to_card;
    driver_.counts_.bytes_to_card += num_bytes;
    check(offset, num_bytes, true);
    if (FakeDriver::strikes(driver_.faults.to_card)) throw DeviceError("to_card fails");
    std::memcpy(card_bytes() + offset, reinterpret_cast<char*>(host_.data()) + offset, num_bytes);
    driver_.note("to_card");
  }
  void from_card(std::uint64_t offset, std::uint64_t num_bytes) override {
    const Uncounted uncounted;
    ++driver_.counts_.syncs_from_card;
    driver_.counts_.bytes_from_card += num_bytes;
    check(offset, num_bytes, false);
    if (FakeDriver::strikes(driver_.faults.from_card)) throw DeviceError("from_card fails");
    std::memcpy(reinterpret_cast<char*>(host_.data()) + offset, card_bytes() + offset, num_bytes);
    driver_.note("from_card");
  }

  int bank() const { return bank_; }
  char* card_bytes() { return reinterpret_cast<char*>(card_.data()); }

 private:
  friend class FakeRun;
  struct User {
    int unit;
    bool writes;
  };

  void check(std::uint64_t offset, std::uint64_t num_bytes, bool writes) {
    const std::lock_guard<std::mutex> lock(driver_.guard_);
    if (offset + num_bytes > num_bytes_) driver_.violate("a sync goes beyond its buffer");
    for (const User& user : users_) {
      if (writes || user.writes) driver_.violate("a buffer is synced while a run uses it");
    }
  }

  FakeDriver& driver_;
  int bank_;
  std::uint64_t num_bytes_;
  std::vector<Block> host_, card_;
  std::vector<User> users_;  // runs under way
};

}  // namespace testing
}  // namespace gaspipe
