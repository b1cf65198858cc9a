// SPDX-License-Identifier: Apache-2.0
// What is made is kept. The first thread that asks builds, for all ranks; others wait, and still react to interrupts.
// If the build fails, the next of them tries again: the failure may have been an interrupt of the first alone.
#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

#include "cpp/src/domain/cut.h"
#include "gaspipe/domain.h"
#include "gaspipe/find_first.h"

namespace gaspipe {
namespace {

Graph in_memory(Graph graph) {
  if (graph.stored()) {
    throw InputError(message("the edges of this graph stay in ", graph.stored()->file()->name(),
                             ", for it was loaded with memory=; domains need them in memory: load it without memory="));
  }
  return graph;
}

int checked_size(std::int64_t size) {
  if (size < 1 || size > kMostDomains) {
    throw InputError(message(size, " domains; 1 to ", kMostDomains, " are allowed"));
  }
  return static_cast<int>(size);
}

}  // namespace

void check_owners(const Array<std::uint16_t>& owners, VertexId num_vertices, int size) {
  if (owners.size() != num_vertices) {
    throw InputError(message("there are ", owners.size(), " owners; ", num_vertices, " vertices need one each"));
  }
  Workers workers(1);
  const std::uint64_t bad = find_first(num_vertices, workers, [&](std::uint64_t v) { return owners[v] >= size; });
  if (bad < num_vertices) {
    throw InputError(
        message("the owner of vertex ", bad, " is domain ", owners[bad], "; ", size, " domains allow 0 to ", size - 1));
  }
}

struct Domains::Cache {
  struct Made {
    View view;
    abi::Scalar transitions;
    std::vector<std::shared_ptr<const Domain>> domains;
  };
  std::mutex guard;
  std::condition_variable changed;
  bool is_building = false;  // one thread at a time; only that thread changes the rest
  std::vector<Made> made;
  std::array<std::shared_ptr<const Ownership>, 3> ownerships;  // by view

  std::shared_ptr<const Domain> find(View view, abi::Scalar transitions, int rank) const {
    for (const Made& known : made) {
      if (known.view == view && known.transitions == transitions) return known.domains[static_cast<std::size_t>(rank)];
    }
    return nullptr;
  }

  // find(), or else build(), which changes nothing; then keep(what it returned), under the lock.
  template <class Find, class Build, class Keep>
  auto get(Workers& workers, const Find& find, const Build& build, const Keep& keep) -> decltype(find()) {
    std::unique_lock<std::mutex> lock(guard);
    while (true) {
      if (auto found = find()) return found;
      if (!is_building) break;
      changed.wait_for(lock, std::chrono::milliseconds(20));
      workers.check();
    }
    is_building = true;
    lock.unlock();
    struct Done {
      Cache& cache;
      std::unique_lock<std::mutex>& lock;
      ~Done() {
        if (!lock.owns_lock()) lock.lock();
        cache.is_building = false;
        cache.changed.notify_all();
      }
    } done{*this, lock};
    auto built = build();
    lock.lock();
    keep(std::move(built));
    return find();
  }
};

Domains::Domains(Graph graph, std::int64_t size, DomainOptions options)
    : graph_(in_memory(std::move(graph))),
      size_(checked_size(size)),
      options_(std::move(options)),
      cache_(std::make_shared<Cache>()) {
  find_domain_strategy(options_.strategy);
}

Domains::Domains(Graph graph, std::int64_t size, Array<std::uint16_t> owners, DomainOptions options)
    : graph_(in_memory(std::move(graph))),
      size_(checked_size(size)),
      options_(std::move(options)),
      owners_(std::move(owners)),
      cache_(std::make_shared<Cache>()) {
  check_owners(owners_, graph_.num_vertices(), size_);
}

std::shared_ptr<const Ownership> Domains::find_ownership(View view, Workers& workers) const {
  if (owners_.size() == 0) {
    return std::make_shared<Ownership>(
        find_domain_strategy(options_.strategy).assign(*graph_.view(view, workers), size_, workers));
  }
  auto given = std::make_shared<Ownership>();
  given->size = size_;
  given->owners = owners_;
  return given;
}

std::shared_ptr<const Ownership> Domains::ownership(View view, Workers& workers) const {
  auto& kept = cache_->ownerships[static_cast<std::size_t>(view)];
  return cache_->get(
      workers, [&] { return kept; }, [&] { return find_ownership(view, workers); },
      [&](std::shared_ptr<const Ownership> found) { kept = std::move(found); });
}

std::shared_ptr<const Domain> Domains::domain(View view, abi::Scalar transitions, int rank, Workers& workers) const {
  if (rank < 0 || rank >= size_) {
    throw InputError(message("there is no domain ", rank, "; ", size_, " domains are 0 to ", size_ - 1));
  }
  const auto owners = ownership(view, workers);
  return cache_->get(
      workers, [&] { return cache_->find(view, transitions, rank); },
      [&] {
        const Graph walked = transitions == abi::kNone ? graph_ : graph_.transitions(transitions, workers);
        // Programs with transitions always read weights, which make in-edges differ from rows.
        const bool is_symmetric =
            transitions == abi::kNone && (view == View::kUndirected || graph_.is_symmetric(workers));
        return detail::cut(*walked.view(view, workers), *owners, {options_.combine, is_symmetric}, workers);
      },
      [&](auto&& built) { cache_->made.push_back({view, transitions, std::move(built)}); });
}

}  // namespace gaspipe
