// SPDX-License-Identifier: Apache-2.0
// Ranks that are threads of this process. What a rank sends is kept by all together, for it may end before others have
// read it. Every exchange has one barrier, and what it offers lies in one of two places in turn: a rank that offers for
// the second time after an exchange has passed the barrier of the one between, which no rank reaches before it has
// read.
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>

#include "cpp/src/domain/unfilled.h"
#include "cpp/src/spin.h"
#include "gaspipe/communicator.h"
#include "gaspipe/workers.h"

namespace gaspipe {
namespace {

constexpr std::chrono::milliseconds kLookAround{20};  // for an interrupt, while waiting
constexpr std::chrono::microseconds kSpin{20};        // about what it costs to sleep and wake

struct Meeting {
  explicit Meeting(int the_size) : size(the_size) {
    for (auto& place : words) place.resize(static_cast<std::size_t>(size));
    for (auto& place : boxes) place.resize(static_cast<std::size_t>(size));
  }

  const int size;
  std::array<std::vector<std::vector<std::uint8_t>>, 2> words;  // by place and rank
  std::array<std::vector<std::vector<detail::Unfilled<std::uint8_t>>>, 2> boxes;
  std::mutex guard;
  std::condition_variable changed;
  std::atomic<std::uint64_t> num_met{0};  // exchanges at which all have arrived
  int num_here = 0;
  std::atomic<bool> has_failed{false};
  std::string failure;
};

class InProcess : public Communicator {
 public:
  InProcess(std::shared_ptr<Meeting> meeting, int rank, std::function<bool()> interrupted)
      : meeting_(std::move(meeting)), rank_(rank), interrupted_(std::move(interrupted)), received_(size()) {}

  int rank() const override { return rank_; }
  int size() const override { return meeting_->size; }
  bool overlaps() const override { return false; }  // boxes have been copied when begin_boxes returns

  void all_to_all(const std::uint8_t* send, std::uint8_t* receive, std::uint64_t num_bytes) override {
    auto& place = meeting_->words[num_exchanges_ % 2];
    place[index(rank_)].assign(send, send + num_bytes * index(size()));
    arrive();
    wait();
    for (int from = 0; from < size(); ++from) {
      const std::vector<std::uint8_t>& offered = place[index(from)];
      if (offered.size() != num_bytes * index(size())) {
        throw Error(message("rank ", from, " exchanges ", offered.size() / index(size()),
                            " bytes with each rank, and "
                            "rank ",
                            rank_, " exchanges ", num_bytes));
      }
      if (num_bytes > 0) {
        std::memcpy(receive + index(from) * num_bytes, offered.data() + index(rank_) * num_bytes, num_bytes);
      }
    }
  }
  void begin_boxes(const std::vector<Box>& boxes, const std::vector<std::uint64_t>& num_expected) override {
    place_ = num_exchanges_ % 2;
    auto& kept = meeting_->boxes[place_][index(rank_)];
    kept.resize(boxes.size());
    for (std::size_t i = 0; i < boxes.size(); ++i) kept[i].assign(boxes[i].data, boxes[i].data + boxes[i].num_bytes);
    num_expected_ = num_expected;
    arrive();
  }
  const std::vector<const std::uint8_t*>& end_boxes() override {
    wait();
    for (int from = 0; from < size(); ++from) {
      const detail::Unfilled<std::uint8_t>& box = meeting_->boxes[place_][index(from)][index(rank_)];
      if (from != rank_ && box.size() != num_expected_[index(from)]) {
        throw Error(message("rank ", from, " sends ", box.size(), " bytes to rank ", rank_, ", which expects ",
                            num_expected_[index(from)]));
      }
      received_[index(from)] = box.data();
    }
    return received_;
  }
  void fail(const std::string& why) noexcept override {
    const std::lock_guard<std::mutex> lock(meeting_->guard);
    if (!meeting_->has_failed) {
      try {
        meeting_->failure = message("rank ", rank_, " of ", size(), " has stopped: ", why);
      } catch (...) {  // no memory for a text
      }
      meeting_->has_failed = true;
    }
    meeting_->changed.notify_all();
  }

 private:
  static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }

  void arrive() {
    ++num_exchanges_;
    const std::lock_guard<std::mutex> lock(meeting_->guard);
    if (++meeting_->num_here < meeting_->size) return;
    meeting_->num_here = 0;
    ++meeting_->num_met;
    meeting_->changed.notify_all();
  }
  void wait() {
    const auto is_over = [&] {
      return meeting_->num_met.load(std::memory_order_acquire) >= num_exchanges_ || meeting_->has_failed;
    };
    spin(kSpin, is_over);
    std::unique_lock<std::mutex> lock(meeting_->guard);
    while (!is_over()) {
      if (meeting_->changed.wait_for(lock, kLookAround, is_over)) break;
      if (!interrupted_) continue;
      lock.unlock();
      if (interrupted_()) throw Cancelled();
      lock.lock();
    }
    // A rank that has failed since has done its part in this exchange.
    if (meeting_->num_met.load(std::memory_order_acquire) < num_exchanges_) throw RankError(meeting_->failure);
  }

  const std::shared_ptr<Meeting> meeting_;
  const int rank_;
  const std::function<bool()> interrupted_;
  std::uint64_t num_exchanges_ = 0;
  std::size_t place_ = 0;
  std::vector<std::uint64_t> num_expected_;
  std::vector<const std::uint8_t*> received_;
};

}  // namespace

std::vector<std::unique_ptr<Communicator>> make_in_process(int size,
                                                           const std::vector<std::function<bool()>>& interrupted) {
  const auto meeting = std::make_shared<Meeting>(size);
  std::vector<std::unique_ptr<Communicator>> ranks;
  for (int rank = 0; rank < size; ++rank) {
    const auto i = static_cast<std::size_t>(rank);
    ranks.push_back(
        std::make_unique<InProcess>(meeting, rank, i < interrupted.size() ? interrupted[i] : std::function<bool()>()));
  }
  return ranks;
}

}  // namespace gaspipe
