// SPDX-License-Identifier: Apache-2.0
// Step 4: Qout[i] of every worker goes to its Qin in worker i, in a circular order, in which no worker receives from
// two at a time. What is sent where is prepared once; a round is one call.
//
// A Qin is a buffer with one writer and one reader. The writer copies the codes, then stores the sentinel, whose epoch
// counts messages: nothing has to be reset. The reader stores a receipt with the epoch once it needs the codes no
// longer; the writer waits for that before it writes again. A receipt also says whether the reader's vertices are all
// marked.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

#include "arena.h"

namespace gaspipe {
namespace local_store {

// Of `num_workers` workers, those to which `worker` sends, one after the other.
inline std::vector<int> send_order(int worker, int num_workers) {
  std::vector<int> order;
  for (int k = 1; k < num_workers; ++k) order.push_back((worker + k) % num_workers);
  return order;
}

// A Qin, in the reader's local store.
template <class Code>
class Mailbox {
 public:
  Mailbox() = default;
  // `control` has kControlBytes.
  Mailbox(Buffer<std::uint8_t> control, Buffer<Code> codes)
      : sentinel_(new(control.data) Sentinel), receipt_(new(control.data + kLine) Receipt), codes_(codes) {}

  struct Message {
    const Code* codes;
    std::uint32_t count;
    bool is_last;  // of its sender in this level
  };

  // The writer's side.
  bool is_free(std::uint32_t sent) const { return epoch_of(receipt_->word.load(std::memory_order_acquire)) == sent; }
  bool is_full() const { return (receipt_->word.load(std::memory_order_acquire) & 1) != 0; }
  void put(const Code* codes, std::uint64_t count, bool is_last, std::uint32_t epoch) {
    if (count > 0) std::memcpy(codes_.data, codes, count * sizeof(Code));
    sentinel_->count = static_cast<std::uint32_t>(count);
    sentinel_->is_last = is_last;
    sentinel_->epoch.store(epoch, std::memory_order_release);
  }

  // The reader's side.
  bool has(std::uint32_t epoch) const { return sentinel_->epoch.load(std::memory_order_acquire) == epoch; }
  Message message() const { return {codes_.data, sentinel_->count, sentinel_->is_last}; }
  void release(std::uint32_t epoch, bool is_full) {
    receipt_->word.store(std::uint64_t(epoch) << 1 | std::uint64_t(is_full), std::memory_order_release);
  }

 private:
  struct alignas(kLine) Sentinel {
    std::atomic<std::uint32_t> epoch{0};
    std::uint32_t count = 0;
    bool is_last = false;
  };
  struct alignas(kLine) Receipt {
    std::atomic<std::uint64_t> word{0};  // epoch, and in the lowest bit whether the reader is full
  };
  static_assert(sizeof(Sentinel) + sizeof(Receipt) == kControlBytes);
  static std::uint32_t epoch_of(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 1); }

  Sentinel* sentinel_ = nullptr;
  Receipt* receipt_ = nullptr;
  Buffer<Code> codes_;
};

// One worker's part. `wait(done)` returns done(), now or after a while; where it is false, send() and receive() return
// false, and the next call goes on at the same place.
template <class Code>
class AllToAll {
 public:
  struct Peer {
    int worker;
    Mailbox<Code> mailbox;
    std::uint32_t epoch = 0;  // of the last message
    bool is_open = false;     // more come in this level
  };

  // mailboxes[i][j] is that of worker i for what worker j sends.
  void prepare(int worker, const std::vector<std::vector<Mailbox<Code>>>& mailboxes) {
    const int num_workers = static_cast<int>(mailboxes.size());
    outgoing_.clear();
    incoming_.clear();
    for (const int to : send_order(worker, num_workers)) outgoing_.push_back({to, mailboxes[to][worker]});
    // Who sends first to this worker comes first.
    for (int k = 1; k < num_workers; ++k) {
      const int from = (worker - k + num_workers) % num_workers;
      incoming_.push_back({from, mailboxes[worker][from]});
    }
  }
  void begin_level() {
    for (Peer& peer : incoming_) peer.is_open = true;
  }

  // Sends out(i) to every worker i. Before, notes in `is_full` which of them have all their vertices marked: they get
  // an empty message.
  template <class Out, class Wait>
  bool send(const Out& out, bool is_last, std::vector<std::uint8_t>& is_full, const Wait& wait) {
    for (; to_ < outgoing_.size(); ++to_) {
      Peer& peer = outgoing_[to_];
      if (!wait([&] { return peer.mailbox.is_free(peer.epoch); })) return false;
      if (peer.mailbox.is_full()) is_full[peer.worker] = 1;
      const Buffer<const Code> codes = is_full[peer.worker] != 0 ? Buffer<const Code>() : out(peer.worker);
      peer.mailbox.put(codes.data, codes.size, is_last, ++peer.epoch);
      codes_sent_ += codes.size;
      ++messages_;
    }
    to_ = 0;
    return true;
  }

  // Takes a message from every worker that has more in this level: take(codes, count), after which is_full() says what
  // the receipt tells.
  template <class Take, class IsFull, class Wait>
  bool receive(const Take& take, const IsFull& is_full, const Wait& wait) {
    for (; from_ < incoming_.size(); ++from_) {
      Peer& peer = incoming_[from_];
      if (!peer.is_open) continue;
      const std::uint32_t epoch = peer.epoch + 1;
      if (!wait([&] { return peer.mailbox.has(epoch); })) return false;
      const auto message = peer.mailbox.message();
      peer.epoch = epoch;
      peer.is_open = !message.is_last;
      take(message.codes, message.count);
      peer.mailbox.release(epoch, is_full());
    }
    from_ = 0;
    return true;
  }
  // Whether some worker has more in this level.
  bool is_open() const {
    for (const Peer& peer : incoming_) {
      if (peer.is_open) return true;
    }
    return false;
  }

  // What of a round under way is done.
  std::size_t num_done() const { return to_ + from_; }
  std::uint64_t messages() const { return messages_; }
  std::uint64_t codes_sent() const { return codes_sent_; }

 private:
  std::vector<Peer> outgoing_, incoming_;
  std::size_t to_ = 0, from_ = 0;  // the next of them in a round
  std::uint64_t messages_ = 0, codes_sent_ = 0;
};

}  // namespace local_store
}  // namespace gaspipe
