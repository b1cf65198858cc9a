// SPDX-License-Identifier: Apache-2.0
// The search level by level: threads run the workers, each its own and, when these wait, the others', until all lists
// of the level have arrived; then they meet, and stop where all queues are empty, or all vertices are marked.
#include "gaspipe/local_store/search.h"

#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

#include "bell.h"
#include "cpp/src/team.h"
#include "gaspipe/error.h"
#include "worker.h"

namespace gaspipe {
namespace local_store {
namespace {

template <class Place>
class Search {
 public:
  using Lists = typename Place::Lists;
  using Code = typename Place::Code;

  Search(const Lists& lists, VertexId root, const Settings& settings, const Layout& layout, Workers& workers)
      : lists_(lists),
        root_(root),
        settings_(settings),
        layout_(layout),
        threads_(workers),
        num_workers_(lists.num_workers()),
        place_(lists, settings, [this] { return is_stopped_.load(std::memory_order_relaxed) || threads_.cancelled(); }),
        bells_(static_cast<std::size_t>(workers.size())),
        cores_(workers.size()),
        team_(static_cast<std::size_t>(num_workers_)),
        stalls_(static_cast<std::size_t>(num_workers_), 0.0),
        depth_(lists.num_vertices()) {}

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
      worker->report(answer.profile);
      answer.profile.workers.back().stall_seconds = stalls_[answer.profile.workers.size() - 1];
      const std::vector<Event>& events = worker->events();
      answer.profile.trace.insert(answer.profile.trace.end(), events.begin(), events.end());
    }
    return answer;
  }

 private:
  bool is_stopped(int thread) { return is_stopped_.load(std::memory_order_relaxed) || threads_.poll(thread); }

  void work(int thread, int num_threads) {
    const int first = num_workers_ * thread / num_threads, last = num_workers_ * (thread + 1) / num_threads;
    // The thread that runs a worker is the first to touch its store, unless one thread makes them all.
    const int first_made = Place::kThreadsMakeStores ? first : 0;
    const int last_made = Place::kThreadsMakeStores ? last : thread == 0 ? num_workers_ : 0;
    for (int id = first_made; id < last_made; ++id) {
      team_[id] = std::make_unique<Worker<Place>>(lists_, place_, id, layout_, settings_, depth_.data(), start_);
    }
    if (!threads_.barrier(thread)) return;
    std::vector<std::vector<Mailbox<Code>>> mailboxes;
    for (const auto& worker : team_) mailboxes.push_back(worker->mailboxes());
    for (int id = first; id < last; ++id) team_[id]->prepare(mailboxes);
    const int root_owner = lists_.owners().of(root_);
    if (first <= root_owner && root_owner < last) team_[root_owner]->start_at(root_);

    if (!threads_.barrier(thread)) return;
    bool is_alone = false;  // whether other threads were held up when this one last ran their workers
    for (std::int32_t level = 1;; ++level) {
      const Clock::time_point begin = Clock::now();
      if (!search_level(thread, num_threads, first, last, level, is_alone)) return;
      // No worker changes before all threads have met.
      std::uint64_t vertices = 0, edges = 0;
      bool are_full = true;
      for (const auto& worker : team_) {
        vertices += worker->num_next();
        edges += worker->num_edges();
        are_full = are_full && worker->is_full();
      }
      if (thread == 0) {
        place_.end_level();
        levels_.push_back({num_searched_, edges - num_edges_, seconds_since(begin)});
        num_searched_ = vertices;
        num_edges_ = edges;
        if (settings_.after_level) settings_.after_level(levels_.back());
      }
      if (!threads_.barrier(thread) || vertices == 0 || are_full) return;
    }
  }

  // False where the search has been stopped.
  bool search_level(int thread, int num_threads, int first, int last, std::int32_t level, bool& is_alone) {
    Bell& bell = bells_[thread];
    for (Clock::time_point idle_since{};;) {
      if (is_stopped(thread)) return false;
      const std::uint32_t rings = bell.rings();
      const bool is_idle = idle_since != Clock::time_point();
      const auto idle = is_idle ? Clock::now() - idle_since : Clock::duration::zero();
      bool are_done = true, has_done = run(first, last, level, are_done, is_alone);
      // Others' workers are in their threads' caches, unless these are held up.
      if (!has_done && (are_done || is_alone || idle > kAlone)) {
        has_done = run(0, first, level, are_done, is_alone) || run(last, num_workers_, level, are_done, is_alone);
        is_alone = is_alone || has_done;
      }
      if (has_done) {
        for (int id = first; is_idle && id < last; ++id) {
          stalls_[id] += std::chrono::duration<double>(idle).count() / (last - first);
        }
        for (int other = 0; other < num_threads; ++other) {
          if (other != thread) bells_[other].ring();
        }
        idle_since = {};
        continue;
      }
      if (are_done && is_done(level)) return true;
      if (!is_idle) {
        idle_since = Clock::now();
      } else if (idle > kAwake || cores_.share(thread)) {
        bell.sleep(rings);
      } else if (idle > kSpin) {
        std::this_thread::yield();  // to a thread that was held up within a step
      } else {
        relax();
      }
    }
  }
  bool is_done(std::int32_t level) const {
    return std::all_of(team_.begin(), team_.end(), [&](const auto& worker) { return worker->is_done(level); });
  }
  // Goes on with the workers of a range that no other thread runs. True where some could do something.
  bool run(int first, int last, std::int32_t level, bool& are_done, bool& is_alone) {
    bool has_done = false;
    for (int id = first; id < last; ++id) {
      Worker<Place>& worker = *team_[id];
      if (worker.is_done(level)) continue;
      are_done = false;
      if (!worker.claim()) {
        is_alone = false;
        continue;
      }
      has_done = (!worker.is_done(level) && worker.progress(level)) || has_done;
      worker.release();
    }
    return has_done;
  }

  // How long a thread that finds nothing to do leaves other threads' workers alone, spins, and stays awake.
  static constexpr std::chrono::microseconds kAlone{20}, kSpin{100}, kAwake{1000};

  const Lists& lists_;
  VertexId root_;
  const Settings& settings_;
  Layout layout_;
  Workers& threads_;
  int num_workers_;
  std::atomic<bool> is_stopped_{false};
  Place place_;  // outlives the workers
  std::vector<Bell> bells_;
  Cores cores_;
  std::vector<std::unique_ptr<Worker<Place>>> team_;
  std::vector<double> stalls_;  // by worker, of the thread that it belongs to
  Writable<std::int32_t> depth_;
  Clock::time_point start_;
  // Of the calling thread.
  std::vector<Level> levels_;
  std::uint64_t num_searched_ = 1, num_edges_ = 0;
};

template <template <class> class Place, class Lists>
Answer search_in(const Lists& lists, VertexId root, const Settings& settings, Workers& workers) {
  if (root >= lists.num_vertices()) {
    throw InputError(message("root is ", root, "; the graph's ", lists.num_vertices(), " vertices allow 0 to ",
                             std::int64_t(lists.num_vertices()) - 1));
  }
  const Layout layout = divide_store(lists.owners(), settings.local_store_bytes, settings.limits);
  workers.assemble();
  if (workers.size() > 1 && is_contended()) {  // a level lasts as long as its slowest thread
    Workers alone(1, [&] { return workers.poll(0); });
    return search_in<Place>(lists, root, settings, alone);
  }
  if (lists.code_bits() == 32) return Search<Place<std::uint32_t>>(lists, root, settings, layout, workers).run();
  return Search<Place<std::uint64_t>>(lists, root, settings, layout, workers).run();
}

}  // namespace

IoSizes IoSizes::least(const TransferLimits& limits) {
  return {FromFile::least_buffer(limits.most_entry_bytes), 4 * ReadFile::kPage};
}
std::uint64_t IoSizes::total() const {
  return 2 * lists + ReadFile::kPage + FileQueues<std::uint64_t>::num_bytes(queue);
}

Answer search(const SplitLists& lists, VertexId root, const Settings& settings, Workers& workers) {
  return search_in<InMemory>(lists, root, settings, workers);
}
Answer search(const StoredLists& lists, VertexId root, const Settings& settings, Workers& workers) {
  return search_in<InFiles>(lists, root, settings, workers);
}

}  // namespace local_store
}  // namespace gaspipe
