// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/edge_sorter.h"

#include <algorithm>
#include <array>
#include <utility>
#include <variant>
#include <vector>

#ifdef __GLIBC__  // known after a header of the library
#include <malloc.h>
#endif

#include "edge_runs.h"
#include "gaspipe/error.h"

namespace gaspipe {

using detail::BareEdge;
using detail::EdgeRuns;
using detail::WeightedEdge;
using sorted_edges::word_of;

struct EdgeSorter::State {
  static constexpr std::size_t kBatch = 4096;

  std::string folder;
  std::uint64_t memory;
  Workers& workers;
  const EdgeOrder order;
  std::variant<std::monostate, EdgeRuns<BareEdge>, EdgeRuns<WeightedEdge>> runs;
  std::uint64_t num_edges = 0, num_vertices = 0;
  std::uint64_t bytes_added = 0;  // since memory was given back
  WeightType type = WeightType::kNone;
  bool is_sorted = false;
  std::array<WeightedEdge, kBatch> weighted;  // of a batch
  std::array<std::uint64_t, kBatch> keys, weights;

  State(std::string where, std::uint64_t budget, Workers& threads, EdgeOrder wanted)
      : folder(std::move(where)), memory(budget), workers(threads), order(wanted) {}

  std::uint64_t key_of(VertexId source, VertexId destination) const {
    return order == EdgeOrder::kRows ? sorted_edges::row_key_of(source, destination)
                                     : sorted_edges::key_of(source, destination);
  }

  void check(std::uint64_t count, const VertexId* sources, const VertexId* destinations) {
    std::vector<VertexId> largest(static_cast<std::size_t>(workers.size()), 0);
    workers.each(count, 1 << 16, [&](std::uint64_t first, std::uint64_t last, int worker) {
      VertexId found = largest[static_cast<std::size_t>(worker)];
      for (std::uint64_t i = first; i < last; ++i) found = std::max({found, sources[i], destinations[i]});
      largest[static_cast<std::size_t>(worker)] = found;
    });
    const VertexId found = *std::max_element(largest.begin(), largest.end());
    if (found >= kMostVertices) {
      throw InputError(message("found vertex id ", found, "; allowed are 0 to ", kMostVertices - 1));
    }
    num_vertices = std::max(num_vertices, std::uint64_t(found) + 1);
  }

  // edge(i) is the record of edge i in one direction, turned round if asked.
  template <class Record, class Edge>
  void take(std::uint64_t count, const VertexId* sources, const VertexId* destinations, EdgeDirection direction,
            const Edge& edge) {
    auto& into = std::get<EdgeRuns<Record>>(runs);
    if (direction != EdgeDirection::kReverse) {
      into.add(count, [&](std::uint64_t i) { return edge(sources[i], destinations[i], i); });
      num_edges += count;
    }
    if (direction == EdgeDirection::kForward) return;
    if (direction == EdgeDirection::kReverse) {
      into.add(count, [&](std::uint64_t i) { return edge(destinations[i], sources[i], i); });
      num_edges += count;
      return;
    }
    std::vector<std::uint64_t> turned;  // self-loops are there already
    constexpr std::uint64_t kPiece = 1 << 16;
    for (std::uint64_t first = 0; first < count; first += kPiece) {
      turned.clear();
      for (std::uint64_t i = first; i < std::min(count, first + kPiece); ++i) {
        if (sources[i] != destinations[i]) turned.push_back(i);
      }
      into.add(turned.size(),
               [&](std::uint64_t i) { return edge(destinations[turned[i]], sources[turned[i]], turned[i]); });
      num_edges += turned.size();
    }
  }
};

// What parsing has freed between blocks that are in use stays with the process, and which threads have parsed decides
// how much that is: on a busy machine enough to break a small budget.
static void give_back_freed() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

EdgeSorter::EdgeSorter(std::string folder, std::uint64_t memory, Workers& workers, EdgeOrder order)
    : state_(std::make_unique<State>(std::move(folder), memory, workers, order)) {
  if (memory < kLeastMemory) {
    throw InputError(
        message("memory of ", memory, " bytes to sort edges with; at least ", kLeastMemory, " are needed"));
  }
}
EdgeSorter::~EdgeSorter() = default;

void EdgeSorter::add(std::uint64_t num_edges, const VertexId* sources, const VertexId* destinations,
                     const Weights& weights, EdgeDirection direction) {
  State& state = *state_;
  if (state.is_sorted) throw InputError("edges were added after they had been sorted");
  const auto type = static_cast<WeightType>(weights.index());
  const bool is_weighted = type != WeightType::kNone;
  if (num_edges == 0 && !is_weighted) return;
  if (state.runs.index() != 0 && is_weighted != (state.type != WeightType::kNone)) {
    throw InputError(message("edges ", is_weighted ? "with" : "without", " weights follow those ",
                             is_weighted ? "without" : "with", "; all or none have weights"));
  }
  state.bytes_added += num_edges * sizeof(WeightedEdge);
  if (state.bytes_added >= state.memory / 8) {  // of small batches, after many
    state.bytes_added = 0;
    give_back_freed();
  }
  if (num_edges > 0) state.check(num_edges, sources, destinations);
  if (!is_weighted) {
    if (state.runs.index() == 0) {
      state.runs.emplace<EdgeRuns<BareEdge>>(state.folder, state.memory, state.workers);
    }
    return state.take<BareEdge>(num_edges, sources, destinations, direction,
                                [&](VertexId source, VertexId destination, std::uint64_t) {
                                  return BareEdge{state.key_of(source, destination)};
                                });
  }
  if (state.runs.index() == 0) {
    state.runs.emplace<EdgeRuns<WeightedEdge>>(state.folder, state.memory, state.workers);
    state.type = type;
    if (is_real(type)) std::get<EdgeRuns<WeightedEdge>>(state.runs).become_real();
  }
  const WeightType common = common_type(state.type, type);
  if (is_real(common) && !is_real(state.type)) std::get<EdgeRuns<WeightedEdge>>(state.runs).become_real();
  state.type = common;
  std::visit(
      [&](const auto& values) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(values)>, std::monostate>) {
          const auto take = [&](const auto& word) {
            state.take<WeightedEdge>(num_edges, sources, destinations, direction,
                                     [&](VertexId source, VertexId destination, std::uint64_t i) {
                                       return WeightedEdge{state.key_of(source, destination), word(values[i])};
                                     });
          };
          if (is_real(common)) {
            take([](auto weight) { return word_of(static_cast<double>(weight)); });
          } else {
            take([](auto weight) { return word_of(weight); });
          }
        }
      },
      weights);
}

std::uint64_t EdgeSorter::num_edges() const { return state_->num_edges; }
std::uint64_t EdgeSorter::num_vertices() const { return state_->num_vertices; }
WeightType EdgeSorter::weight_type() const { return state_->type; }
EdgeOrder EdgeSorter::order() const { return state_->order; }

std::uint64_t EdgeSorter::num_spilled() const {
  if (const auto* bare = std::get_if<EdgeRuns<BareEdge>>(&state_->runs)) return bare->num_spilled();
  if (const auto* weighted = std::get_if<EdgeRuns<WeightedEdge>>(&state_->runs)) return weighted->num_spilled();
  return 0;
}

void EdgeSorter::sort(std::uint64_t memory) {
  state_->is_sorted = true;
  give_back_freed();
  if (auto* bare = std::get_if<EdgeRuns<BareEdge>>(&state_->runs)) bare->sort(memory);
  if (auto* weighted = std::get_if<EdgeRuns<WeightedEdge>>(&state_->runs)) weighted->sort(memory);
}

void EdgeSorter::clear() {
  state_->is_sorted = true;
  state_->runs.emplace<std::monostate>();
}

EdgeSorter::Batch EdgeSorter::next() {
  State& state = *state_;
  Batch batch;
  if (auto* bare = std::get_if<EdgeRuns<BareEdge>>(&state.runs)) {
    static_assert(sizeof(BareEdge) == sizeof(std::uint64_t), "a batch of keys");
    batch.num_edges = bare->next(reinterpret_cast<BareEdge*>(state.keys.data()), State::kBatch);
    batch.keys = state.keys.data();
  } else if (auto* weighted = std::get_if<EdgeRuns<WeightedEdge>>(&state.runs)) {
    batch.num_edges = weighted->next(state.weighted.data(), State::kBatch);
    for (std::size_t i = 0; i < batch.num_edges; ++i) {
      state.keys[i] = state.weighted[i].key;
      state.weights[i] = state.weighted[i].weight;
    }
    batch.keys = state.keys.data();
    batch.weights = state.weights.data();
  }
  return batch;
}

}  // namespace gaspipe
