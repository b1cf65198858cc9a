// SPDX-License-Identifier: Apache-2.0
// One worker: its local store, its queues, and the schedule of its six steps. `Place` is where lists and queues lie.
//
// A period is: dispatch lists that have been loaded, send, receive from all others, mark. progress() goes on with it
// until it would have to wait for another worker; any thread may call it, one at a time. So it never matters which
// thread runs a worker, or whether one is held up between two calls.
//
// Where latency is hidden, a load is planned in the period before it is needed; then, and while what was marked in the
// period before is to be stored, some of both is done after every few codes that are dispatched or marked.
#pragma once

#include <atomic>
#include <vector>

#include "all_to_all.h"
#include "commit.h"
#include "dispatch.h"
#include "fetch.h"
#include "gaspipe/local_store/search.h"
#include "gather.h"
#include "marks.h"
#include "places.h"
#include "timekeeper.h"

namespace gaspipe {
namespace local_store {

template <class Place>
class Worker {
 public:
  using Code = typename Place::Code;
  using Lists = typename Place::Lists;
  using From = typename Place::From;
  using Queues = typename Place::Queues;

  Worker(const Lists& lists, Place& place, int id, const Layout& layout, const Settings& settings, std::int32_t* depth,
         Clock::time_point start)
      : lists_(lists),
        place_(place),
        id_(id),
        settings_(settings),
        arena_(settings.local_store_bytes),
        times_(id, start, settings.trace),
        depth_(depth),
        marks_(arena_.take<std::uint64_t>(layout.bitmap, "the bitmap"), lists.owners().first(id), lists.split()),
        mailboxes_(take_mailboxes(layout)),
        fetch_(take<Code>(layout.queue, "bQ"), take<Code>(layout.queue, "bQ")),
        gather_(lists, take<std::uint8_t>(layout.lists, "bG"), take<std::uint8_t>(layout.lists, "bG"),
                Transfer<From>(place.from(), take<std::uint64_t>(layout.transfers, "the DMA list"), settings.limits)),
        dispatch_(take_outs(layout)),
        commit_(take<Code>(layout.next, "bQnext"), take<Code>(layout.next, "bQnext"), lists.split(), depth),
        queues_(place.queues(id)),
        is_full_(lists.num_workers(), 0),
        targets_left_(lists.num_targets(id)) {
    for (int worker = 0; worker < lists.num_workers(); ++worker) is_full_[worker] = lists.num_targets(worker) == 0;
    std::fill_n(depth_ + lists.owners().first(id), lists.owners().count(id), -1);
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  const std::vector<Mailbox<Code>>& mailboxes() const { return mailboxes_; }
  void prepare(const std::vector<std::vector<Mailbox<Code>>>& mailboxes) { all_to_all_.prepare(id_, mailboxes); }

  // Of the root's owner.
  void start_at(VertexId root) {
    marks_.insert(root);
    if (lists_.is_target(root)) note_marked(1);
    depth_[root] = 0;
    const Code code = lists_.template code<Code>(root);
    queues_.sink().write(&code, 1);
    num_next_ = 1;
    ++num_marked_;
  }
  std::uint64_t num_next() const { return num_next_; }
  std::uint64_t num_edges() const { return num_edges_; }
  bool is_full() const { return targets_left_ == 0; }

  // Claims the worker for the calling thread, until release().
  bool claim() { return !is_claimed_.load(std::memory_order_relaxed) && !is_claimed_.exchange(true); }
  void release() { is_claimed_.store(false, std::memory_order_release); }
  // Whether the level has been searched. Other threads may ask.
  bool is_done(std::int32_t level) const { return done_level_.load(std::memory_order_acquire) >= level; }

  // Begins the level if it has not begun, and goes on with it, for a period at most; false where nothing could be done.
  bool progress(std::int32_t level) {
    if (level_ < level) begin_level(level);
    bool has_done = false;
    if (state_ == State::kDispatching) {
      dispatch_lists();
      has_done = true;
    }
    if (state_ == State::kSending && (send_lists() || all_to_all_.num_done() > num_done_)) has_done = true;
    if (state_ == State::kReceiving && (receive_lists() || all_to_all_.num_done() > num_done_)) has_done = true;
    num_done_ = all_to_all_.num_done();
    return has_done;
  }

  WorkerProfile profile() const {
    WorkerProfile all = profile_;
    times_.report(all);
    all.edges = num_edges_;
    all.messages = all_to_all_.messages();
    all.codes_sent = all_to_all_.codes_sent();
    all.transfers = gather_.transfer().num_lists();
    all.transfer_entries = gather_.transfer().num_entries();
    all.vertices = num_marked_;
    all.used_bytes = arena_.used();
    return all;
  }
  void report(Profile& profile) const { place_.report(gather_.transfer().from(), queues_, profile); }
  const std::vector<Event>& events() const { return times_.events(); }

 private:
  enum class State { kDispatching, kSending, kReceiving };

  // Codes as fetch_ has them; at the end of a half the other one is read, and the next part loaded.
  struct Codes {
    Worker& worker;
    bool has_code() { return worker.fetch_.has_code() || worker.fetch_part(); }
    Code code() const { return worker.fetch_.code(); }
    void pop() { worker.fetch_.pop(); }
  };

  template <class T>
  Buffer<T> take(std::uint64_t num_bytes, const char* what) {
    return arena_.take<T>(num_bytes, what);
  }
  std::vector<Mailbox<Code>> take_mailboxes(const Layout& layout) {
    std::vector<Mailbox<Code>> mailboxes(layout.num_workers);
    for (int from = 0; from < layout.num_workers; ++from) {
      if (from == id_) continue;
      const auto control = take<std::uint8_t>(kControlBytes, "the sentinel of a Qin");
      mailboxes[from] = Mailbox<Code>(control, take<Code>(layout.message, "Qin"));
    }
    return mailboxes;
  }
  std::vector<Buffer<Code>> take_outs(const Layout& layout) {
    std::vector<Buffer<Code>> outs;
    for (int to = 0; to < layout.num_workers; ++to) outs.push_back(take<Code>(layout.message, "Qout"));
    return outs;
  }

  double enter(Step step) {
    times_.enter(step);
    if (settings_.before_step) settings_.before_step(id_, step);
    return times_.at();
  }
  static constexpr auto kNow = [](const auto& done) { return done(); };

  // The queue filled so far becomes the one to search.
  void begin_level(std::int32_t level) {
    times_.begin();
    level_ = level;
    queues_.swap();
    fetch_.begin(queues_.source(), num_next_);
    commit_.begin(queues_.sink(), level);
    all_to_all_.begin_level();
    state_ = State::kDispatching;
    is_planned_ = settings_.hide_latency && plan();
  }
  void dispatch_lists() {
    if (dispatch_.is_done()) load();
    const double begin = enter(kDispatch);
    const bool has_lists = !dispatch_.is_done();
    dispatch_.run(is_full_, [this](std::uint64_t count) { advance(count); });
    profile_.periods += has_lists;
    profile_.split_periods += !dispatch_.is_done();
    if (are_all_full()) drop();
    has_more_ =
        !dispatch_.is_done() || is_planned_ || (!settings_.hide_latency && (gather_.is_cutting() || fetch_.has_more()));
    sending_ = enter(kAllToAll);
    if (has_lists) times_.note(kDispatch, period_, iteration_, begin, sending_);
    state_ = State::kSending;
  }
  bool send_lists() {
    enter(kAllToAll);
    const bool is_sent = all_to_all_.send([this](int to) { return dispatch_.out(to); }, !has_more_, is_full_, kNow);
    times_.enter(Timekeeper::kOutside);
    if (!is_sent) return false;
    times_.note(kAllToAll, period_, iteration_, sending_, times_.at());
    const double marking = enter(kBitmap);
    const Buffer<const Code> own = dispatch_.out(id_);
    mark(own.data, own.size);
    dispatch_.clear();
    times_.enter(Timekeeper::kOutside);
    if (own.size > 0) times_.note(kBitmap, period_, iteration_, marking, times_.at());
    state_ = State::kReceiving;
    return true;
  }
  bool receive_lists() {
    const double marking = enter(kBitmap);
    const std::size_t num_done = all_to_all_.num_done();
    const auto take = [this](const Code* codes, std::uint32_t count) { mark(codes, count); };
    const bool has_all = all_to_all_.receive(take, [this] { return is_full(); }, kNow);
    times_.enter(Timekeeper::kOutside);
    if (has_all || all_to_all_.num_done() > num_done) {
      times_.note(kBitmap, period_, iteration_, marking, times_.at());
    }
    if (!has_all) return false;
    enter(kCommit);
    // What was handed over a period ago is stored by now, or is at once.
    end_store();
    const bool is_open = has_more_ || all_to_all_.is_open();
    // What is sorted waits until there is much of it, or all of the level.
    if (!commit_.is_empty() && (!Queues::Sink::kSorts || !is_open)) begin_store();
    if (!settings_.hide_latency || !is_open) end_store();
    times_.enter(Timekeeper::kOutside);
    ++period_;
    state_ = has_more_ ? State::kDispatching : State::kReceiving;
    if (!is_open) end_level();
    return true;
  }
  void end_level() {
    num_next_ = commit_.count();
    times_.enter(Timekeeper::kOutside);
    done_level_.store(level_, std::memory_order_release);
  }

  bool fetch_part() {
    const double begin = enter(kFetch);
    fetch_.load();
    const bool has_codes = fetch_.swap();
    if (settings_.hide_latency) {
      fetch_.load();
      // Where a list begins is read when its transfer is planned.
      for (const Code code : fetch_.loaded()) lists_.prefetch(code_index(code, lists_.split()));
    }
    const double end = enter(kGather);
    if (has_codes) times_.note(kFetch, period_, next_iteration_, begin, end);
    return has_codes;
  }
  bool plan() {
    gathering_ = enter(kGather);
    gathering_period_ = period_;
    Codes codes{*this};
    const bool is_planned = gather_.plan(codes);
    times_.enter(Timekeeper::kOutside);
    // Loads advance by what is dispatched, and again by what is marked. A list may begin and end within a line.
    const Fill& fill = gather_.planned();
    if (is_planned) ahead_ = (fill.num_bytes + fill.num_items * kLine) / (2 * fill.num_codes) + 1;
    return is_planned;
  }
  // The next lists are loaded, and where latency is hidden those after them are planned.
  void load() {
    if (!settings_.hide_latency) is_planned_ = plan();
    if (!is_planned_) return;
    enter(kGather);
    const Fill fill = gather_.swap();
    times_.enter(Timekeeper::kOutside);
    times_.note(kGather, gathering_period_, next_iteration_, gathering_, times_.at());
    iteration_ = next_iteration_++;
    dispatch_.begin(fill);
    num_edges_ += fill.num_codes;
    is_planned_ = settings_.hide_latency && plan();
  }
  void drop() {
    fetch_.drop();
    gather_.drop();
    dispatch_.drop();
    is_planned_ = false;
  }

  // Beside `count` codes that were dispatched or marked.
  void advance(std::size_t count) {
    if (!settings_.hide_latency) return;
    if (is_planned_) gather_.advance(count * ahead_);
    commit_.advance(count);
  }

  void mark(const Code* codes, std::size_t count) {
    constexpr std::size_t kPiece = 1024;
    enter(kBitmap);
    if constexpr (From::kIsChecked) check(codes, count);
    while (count > 0) {
      const Buffer<Code> room = commit_.room();
      if (room.size == 0) {
        enter(kCommit);
        end_store();
        begin_store();
        enter(kBitmap);
        continue;
      }
      const std::size_t now = std::min({count, room.size, kPiece});
      const std::size_t found = marks_.mark(codes, now, room.data);
      commit_.added(found);
      note_marked(found);
      num_marked_ += found;
      codes += now;
      count -= now;
      advance(now);
    }
  }
  void check(const Code* codes, std::size_t count) const {
    const VertexId first = lists_.owners().first(id_), num_own = lists_.owners().count(id_);
    bool are_own = true;
    for (std::size_t i = 0; i < count; ++i) are_own &= code_index(codes[i], lists_.split()) - first < num_own;
    if (!are_own) lists_.refuse("a code is that of another worker's vertex");
  }
  void note_marked(std::size_t count) {
    targets_left_ -= static_cast<VertexId>(count);
    if (targets_left_ == 0) is_full_[id_] = 1;
  }
  bool are_all_full() const { return std::find(is_full_.begin(), is_full_.end(), 0) == is_full_.end(); }

  void begin_store() {
    commit_.swap();
    storing_ = times_.at();
    stored_iteration_ = iteration_;
  }
  // It may have ended beside another step, where the clock is not read: the event ends here.
  void end_store() {
    const bool has_begun = storing_ >= 0;
    commit_.finish();
    if (!has_begun) return;
    times_.enter(kCommit);
    times_.note(kCommit, period_, stored_iteration_, storing_, times_.at());
    storing_ = -1;
  }

  const Lists& lists_;
  Place& place_;
  int id_;
  const Settings& settings_;
  Arena arena_;
  Timekeeper times_;
  std::int32_t* depth_;
  Marks<Code> marks_;
  std::vector<Mailbox<Code>> mailboxes_;  // by sender
  Fetch<Code, typename Queues::Source> fetch_;
  Gather<Code, Lists, From> gather_;
  Dispatch<Code> dispatch_;
  Commit<Code, typename Queues::Sink> commit_;
  AllToAll<Code> all_to_all_;
  Queues queues_;
  std::uint64_t num_next_ = 0;
  std::vector<std::uint8_t> is_full_;  // by owner, as far as this worker has been told
  VertexId targets_left_;              // own vertices that an edge leads to and that are not marked

  std::atomic<bool> is_claimed_{false};
  std::atomic<std::int32_t> done_level_{0};
  std::int32_t level_ = 0;
  State state_ = State::kDispatching;
  std::size_t num_done_ = 0;
  bool has_more_ = false;    // after this period's messages
  bool is_planned_ = false;  // lists are being loaded
  std::uint64_t ahead_ = 0;  // bytes to load per code
  std::uint64_t period_ = 0, iteration_ = 0, next_iteration_ = 0, stored_iteration_ = 0, gathering_period_ = 0;
  double gathering_ = 0, sending_ = 0, storing_ = -1;
  std::uint64_t num_edges_ = 0, num_marked_ = 0;
  WorkerProfile profile_;
};

}  // namespace local_store
}  // namespace gaspipe
