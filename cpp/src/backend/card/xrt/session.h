// SPDX-License-Identifier: Apache-2.0
// An open card, and the buffers on it.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cpp/src/backend/card/xrt/calls.h"

namespace gaspipe {
namespace fpga {

class Run;

// What all that is made from a card shares; the card stays open until the last of it is gone.
struct Session : std::enable_shared_from_this<Session> {
  std::string card;  // "card 0"
  xrt::device device;
  xrt::xclbin xclbin;
  xrt::uuid id;
  std::string path;
  std::vector<MemoryBank> banks;                // that buffers can lie in
  std::map<int, std::uint64_t> allocated = {};  // bytes by bank
  CardCounts counts = {};
  std::vector<Run*> under_way = {};
  std::atomic<bool> lost{false};  // a run did not end: the card may still write to any buffer

  // Waits for the runs under way, as far as patience goes.
  void settle() noexcept;
  void check() const {
    if (lost) throw DeviceError(card + " was given up because a kernel on it did not end; reset it (xbutil reset)");
  }
};

class Buffer : public CardBuffer {
 public:
  Buffer(std::shared_ptr<Session> session, MemoryBank bank, xrt::bo memory, std::uint64_t num_bytes)
      : session_(std::move(session)), bank_(std::move(bank)), memory_(std::move(memory)), num_bytes_(num_bytes) {
    data_ = attempt([&] { return memory_.map<void*>(); }, [&] { return "cannot map " + label(); });
    if (data_ == nullptr || reinterpret_cast<std::uintptr_t>(data_) % 64 != 0) {
      throw DeviceError("cannot map " + label() + " to an address that 64 divides");
    }
    ++session_->counts.allocations;
    session_->allocated[bank_.index] += num_bytes_;
  }
  ~Buffer() override {
    session_->settle();
    ++session_->counts.frees;
    session_->allocated[bank_.index] -= num_bytes_;
    if (session_->lost) abandon(std::move(memory_));
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  std::uint64_t num_bytes() const override { return num_bytes_; }
  void* data() override { return data_; }
  void to_card(std::uint64_t offset, std::uint64_t num_bytes) override {
    if (!move(XCL_BO_SYNC_BO_TO_DEVICE, "to", offset, num_bytes)) return;
    ++session_->counts.syncs_to_card;
    session_->counts.bytes_to_card += num_bytes;
  }
  void from_card(std::uint64_t offset, std::uint64_t num_bytes) override {
    if (!move(XCL_BO_SYNC_BO_FROM_DEVICE, "from", offset, num_bytes)) return;
    ++session_->counts.syncs_from_card;
    session_->counts.bytes_from_card += num_bytes;
  }

  const MemoryBank& bank() const { return bank_; }
  const Session& session() const { return *session_; }
  const xrt::bo& memory() const { return memory_; }
  std::weak_ptr<const bool> life() const { return life_; }  // ends with the buffer
  std::string label() const {
    return message("a buffer of ", num_bytes_, " bytes in ", bank_.name, " of ", session_->card);
  }

 private:
  bool move(xclBOSyncDirection direction, const char* way, std::uint64_t offset, std::uint64_t num_bytes) {
    session_->check();
    if (offset > num_bytes_ || num_bytes > num_bytes_ - offset) {
      throw DeviceError(
          message("cannot copy ", num_bytes, " bytes from byte ", offset, " on: ", label(), " ends before that"));
    }
    if (num_bytes == 0) return false;
    attempt([&] { memory_.sync(direction, num_bytes, offset); },
            [&] { return message("cannot copy ", num_bytes, " bytes ", way, " ", label()); });
    return true;
  }

  std::shared_ptr<Session> session_;
  MemoryBank bank_;
  xrt::bo memory_;
  std::uint64_t num_bytes_;
  std::shared_ptr<const bool> life_ = std::make_shared<const bool>(true);
  void* data_ = nullptr;
};

}  // namespace fpga
}  // namespace gaspipe
