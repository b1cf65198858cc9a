// SPDX-License-Identifier: Apache-2.0
// The search level by level: every thread runs its workers' periods until all their lists of the level have arrived;
// then the threads meet, exchange the sizes of the queues, and stop where all are empty, or all vertices are marked.
#include "gaspipe/local_store/search.h"

#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

#include "bell.h"
#include "gaspipe/error.h"
#include "worker.h"

namespace gaspipe {
namespace local_store {
namespace {

template <class Code>
class Search {
 public:
  Search(const SplitLists& lists, VertexId root, const Settings& settings, const Layout& layout, Workers& workers)
      : lists_(lists),
        root_(root),
        settings_(settings),
        layout_(layout),
        threads_(workers),
        num_workers_(lists.num_workers()),
        bells_(static_cast<std::size_t>(workers.size())),
        team_(static_cast<std::size_t>(num_workers_)),
        depth_(lists.num_vertices()) {
    for (auto& counts : counts_) counts.resize(static_cast<std::size_t>(num_workers_));
  }

  Answer run() {
    start_ = Clock::now();
    threads_.together([this](int thread, int num_threads) {
      try {
        work(thread, num_threads);
      } catch (...) {
        is_stopped_.store(true);
        for (Bell& bell : bells_) bell.ring();
        throw;
      }
    });
    Answer answer;
    answer.layout = layout_;
    answer.depth = depth_.freeze();
    answer.profile.seconds = seconds_since(start_);
    answer.profile.levels = std::move(levels_);
    for (const auto& worker : team_) {
      answer.profile.workers.push_back(worker->profile());
      const std::vector<Event>& events = worker->events();
      answer.profile.trace.insert(answer.profile.trace.end(), events.begin(), events.end());
    }
    return answer;
  }

 private:
  // What a worker says at the end of a level.
  struct alignas(kLine) Counts {
    std::uint64_t vertices = 0, edges = 0;
    bool is_full = false;
  };

  bool is_stopped(int thread) { return is_stopped_.load(std::memory_order_relaxed) || threads_.poll(thread); }

  void work(int thread, int num_threads) {
    const int first = num_workers_ * thread / num_threads, last = num_workers_ * (thread + 1) / num_threads;
    for (int id = first; id < last; ++id) {
      team_[id] = std::make_unique<Worker<Code>>(lists_, id, layout_, settings_, depth_.data(), start_);
    }
    if (!threads_.barrier(thread)) return;
    std::vector<std::vector<Mailbox<Code>>> mailboxes;
    for (const auto& worker : team_) mailboxes.push_back(worker->mailboxes());
    for (int id = first; id < last; ++id) team_[id]->prepare(mailboxes);
    const int root_owner = lists_.owners().of(root_);
    if (first <= root_owner && root_owner < last) team_[root_owner]->start_at(root_);

    for (std::int32_t depth = 1;; ++depth) {
      const Clock::time_point begin = Clock::now();
      if (!search_level(thread, num_threads, first, last, depth)) return;
      std::vector<Counts>& counts = counts_[depth % 2];  // the others may still read those of the level before
      for (int id = first; id < last; ++id) {
        counts[id] = {team_[id]->num_next(), team_[id]->num_edges(), team_[id]->is_full()};
      }
      if (!threads_.barrier(thread)) return;
      std::uint64_t vertices = 0, edges = 0;
      bool are_full = true;
      for (const Counts& count : counts) {
        vertices += count.vertices;
        edges += count.edges;
        are_full = are_full && count.is_full;
      }
      if (thread == 0) {
        levels_.push_back({num_searched_, edges - num_edges_, seconds_since(begin)});
        num_searched_ = vertices;
        num_edges_ = edges;
        if (settings_.after_level) settings_.after_level(levels_.back());
      }
      if (vertices == 0 || are_full) return;
    }
  }

  // False where the search has been stopped.
  bool search_level(int thread, int num_threads, int first, int last, std::int32_t depth) {
    Bell& bell = bells_[thread];
    const auto wait = [&](const auto& done) {
      return bell.wait(num_threads <= num_cores_, done, [&] { return is_stopped(thread); });
    };
    const auto ring = [&] {
      for (int other = 0; other < num_threads; ++other) {
        if (other != thread) bells_[other].ring();
      }
    };
    for (int id = first; id < last; ++id) team_[id]->begin_level(depth);
    for (bool is_open = first < last; is_open;) {
      if (is_stopped(thread)) return false;
      for (int id = first; id < last; ++id) {
        if (!team_[id]->is_sending()) continue;
        if (!team_[id]->send_lists(wait)) return false;
        ring();
      }
      is_open = false;
      for (int id = first; id < last; ++id) {
        if (!team_[id]->receive_lists(wait)) return false;
        ring();
        is_open = is_open || team_[id]->is_open();
      }
    }
    for (int id = first; id < last; ++id) team_[id]->end_level();
    return true;
  }

  const SplitLists& lists_;
  VertexId root_;
  const Settings& settings_;
  Layout layout_;
  Workers& threads_;
  int num_workers_;
  const int num_cores_ = static_cast<int>(std::thread::hardware_concurrency());
  std::vector<Bell> bells_;
  std::vector<std::unique_ptr<Worker<Code>>> team_;
  Writable<std::int32_t> depth_;
  std::vector<Counts> counts_[2];
  std::atomic<bool> is_stopped_{false};
  Clock::time_point start_;
  // Of the calling thread.
  std::vector<Level> levels_;
  std::uint64_t num_searched_ = 1, num_edges_ = 0;
};

}  // namespace

Answer search(const SplitLists& lists, VertexId root, const Settings& settings, Workers& workers) {
  if (root >= lists.num_vertices()) {
    throw InputError(message("root is ", root, "; the graph's ", lists.num_vertices(), " vertices allow 0 to ",
                             std::int64_t(lists.num_vertices()) - 1));
  }
  const Layout layout = divide_store(lists.owners(), settings.local_store_bytes, settings.limits);
  workers.assemble();
  if (lists.code_bits() == 32) return Search<std::uint32_t>(lists, root, settings, layout, workers).run();
  return Search<std::uint64_t>(lists, root, settings, layout, workers).run();
}

}  // namespace local_store
}  // namespace gaspipe
