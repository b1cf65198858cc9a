// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/distributed.h"

#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "cpp/src/domain/balanced_ranges.h"
#include "cpp/src/domain/local_part.h"
#include "cpp/src/domain/supply.h"
#include "cpp/src/graph/transitions.h"
#include "gaspipe/find_first.h"

namespace gaspipe {
namespace {

using detail::Arrived;
using detail::LocalPart;
using detail::RowSupply;
using detail::Shuffle;

// The type that holds the weights of all ranks' edges. Only where there is no edge do pieces without edges decide: an
// empty array is often of another type than the weights, as NumPy makes it.
WeightType common_weight_type(const std::vector<EdgeList>& lists, Communicator& communicator) {
  const auto join = [](std::uint64_t seen) {
    WeightType type = WeightType::kNone;
    for (int t = 1; t <= static_cast<int>(WeightType::kFloat64); ++t) {
      if ((seen >> t & 1) == 0) continue;
      const auto other = static_cast<WeightType>(t);
      type = type == WeightType::kNone ? other : common_type(type, other);
    }
    return type;
  };
  const auto joined = [](const std::vector<std::uint64_t>& words) {
    return std::accumulate(words.begin(), words.end(), std::uint64_t(0), std::bit_or<>());
  };
  std::uint64_t seen[2] = {};  // a bit for each type: of edges, of pieces without edges
  for (const EdgeList& list : lists) seen[list.sources.size() == 0] |= std::uint64_t(1) << list.weights.index();
  const std::vector<std::uint64_t> others = detail::words_of_all(communicator, seen[0]);
  const std::uint64_t of_all = joined(others);
  if (of_all == 0) return join(joined(detail::words_of_all(communicator, seen[1])));
  if ((of_all & 1) != 0 && of_all != 1) {
    std::size_t with = 0, without = 0;
    while ((others[with] & ~std::uint64_t(1)) == 0) ++with;
    while ((others[without] & 1) == 0) ++without;
    throw InputError(message("there are edges with weights (rank ", with, " has some) and edges without (rank ",
                             without, "); all need weights, or none"));
  }
  return join(of_all);
}

Weights no_memory(WeightType type, EdgeCount num_edges) {
  switch (type) {
    case WeightType::kInt32:
      return Array<std::int32_t>(nullptr, nullptr, num_edges);
    case WeightType::kInt64:
      return Array<std::int64_t>(nullptr, nullptr, num_edges);
    case WeightType::kFloat32:
      return Array<float>(nullptr, nullptr, num_edges);
    case WeightType::kFloat64:
      return Array<double>(nullptr, nullptr, num_edges);
    default:
      return {};
  }
}

WeightType transition_type(abi::Scalar transitions) {
  if (transitions == abi::kFloat64) return WeightType::kFloat64;
  return transitions == abi::kFloat32 ? WeightType::kFloat32 : WeightType::kInt64;
}

// Steps of finish().
constexpr const char* kChecking = "checking";
constexpr const char* kOwners = "owners";

}  // namespace

struct DistributedEdges::State {
  struct Made {
    View view;
    abi::Scalar transitions;
    std::shared_ptr<const Domain> domain;
  };

  State(std::shared_ptr<Communicator> the_communicator, DistributedOptions the_options)
      : communicator(std::move(the_communicator)), options(std::move(the_options)) {}

  void check_size() {
    if (communicator->size() > kMostDomains) {
      throw InputError(message(communicator->size(), " ranks; at most ", kMostDomains, " are allowed"));
    }
    if (options.owners.size() == 0) find_domain_strategy(options.strategy);
    if (!options.num_vertices) return;
    if (*options.num_vertices < 1 || *options.num_vertices > kMostVertices) {
      throw InputError(message("num_vertices is ", *options.num_vertices, "; allowed are 1 to ", kMostVertices));
    }
  }

  std::uint64_t num_edges() const {
    std::uint64_t sum = 0;
    for (const EdgeList& list : lists) sum += list.sources.size();
    return sum;
  }

  VertexId count_vertices(Workers& workers) {
    const std::uint64_t limit = options.num_vertices.value_or(kMostVertices);
    std::uint64_t end = 1, num_checked = 0;
    for (const EdgeList& list : lists) {
      workers.step_at(kChecking, num_checked, num_edges());
      for (const Array<VertexId>* ids : {&list.sources, &list.targets}) {
        const std::uint64_t bad = find_first(ids->size(), workers, [&](std::uint64_t e) { return (*ids)[e] >= limit; });
        if (bad < ids->size()) {
          throw InputError(message("vertex ", (*ids)[bad], " of edge ", list.sources[bad], " -> ", list.targets[bad],
                                   " is out of range; ", limit, " vertices allow 0 to ", limit - 1));
        }
        for (const VertexId id : *ids) end = std::max<std::uint64_t>(end, std::uint64_t(id) + 1);
        workers.check();
      }
      num_checked += list.sources.size();
    }
    workers.step_at(kChecking, num_checked, num_edges());
    const std::vector<std::uint64_t> given = detail::words_of_all(*communicator, options.num_vertices.value_or(0));
    for (std::size_t r = 1; r < given.size(); ++r) {
      if (given[r] != given[0]) {
        throw InputError(message("num_vertices is ", given[0], " on rank 0 and ", given[r], " on rank ", r,
                                 " (0: not given); it must be the same on all ranks"));
      }
    }
    const std::uint64_t of_all = detail::largest_of_ranks(*communicator, end);
    return static_cast<VertexId>(options.num_vertices.value_or(of_all));
  }

  Ownership assign(VertexId n, Workers& workers) {
    if (options.owners.size() > 0) {
      check_owners(options.owners, n, communicator->size());
      Ownership given;
      given.size = communicator->size();
      given.owners = options.owners;
      return given;
    }
    if (options.strategy != "balanced") {  // functions of the id
      Csr ids_only;
      ids_only.num_rows = ids_only.num_columns = n;
      return find_domain_strategy(options.strategy).assign(ids_only, communicator->size(), workers);
    }
    return detail::balanced_ranges(n, communicator->size(), [&](std::uint64_t num_sums, const auto& add) {
      detail::TargetCounts sums(num_sums);
      std::uint64_t num_added = 0;
      for (const EdgeList& list : lists) {
        workers.step_at(kOwners, num_added, num_edges());
        for (const VertexId target : list.targets) add(target, sums.data());
        num_added += list.targets.size();
        workers.check();
      }
      workers.step_at(kOwners, num_added, num_edges());
      detail::add_over_ranks(*communicator, sums.data(), num_sums, options.most_in_flight);
      return sums;
    });
  }

  template <class Supply>
  Arrived shuffle(Supply& supply, WeightType type, Workers& workers) const {
    return Shuffle(*communicator, part->ownership(), weight_bytes(type), options.most_in_flight)(supply, workers);
  }

  void finish(Workers& workers) {
    const VertexId n = count_vertices(workers);
    weight_type = common_weight_type(lists, *communicator);
    part.emplace(communicator, assign(n, workers), n, options.most_in_flight, workers);
    Arrived arrived;
    {
      detail::ListSupply supply(lists, weight_type);
      arrived = shuffle(supply, weight_type, workers);
    }
    lists.clear();
    forward = part->domain(std::move(arrived), weight_type, options.simplify, workers);
    forward->graph = Graph::of_domain(*forward->graph->csr(), part->is_symmetric(*forward, workers));
    made.push_back({View::kForward, abi::kNone, forward});
    Csr whole;
    whole.num_rows = whole.num_columns = n;
    whole.offsets = forward->offsets;
    whole.targets = Array<VertexId>(nullptr, nullptr, forward->num_edges);
    whole.weights = no_memory(weight_type, forward->num_edges);
    skeleton.emplace(Graph::of_ranks(std::move(whole), communicator->size()));
  }

  // The forward edges of this rank.
  auto own_edges(View view) const {
    const auto source_of = [this](VertexId row) { return forward->global(row); };
    const auto target_of = [this](VertexId own) { return part->id(own); };
    return RowSupply(*forward->graph->csr(), view, source_of, target_of);
  }

  // Every row is with the owner of its source for as long as it takes to find its sum.
  Csr transition_rows(abi::Scalar type, Workers& workers) const {
    check_weights(workers);
    auto reversed = own_edges(View::kReverse);
    const Csr rows = part->out_rows(shuffle(reversed, weight_type, workers), weight_type, workers);
    return detail::transitions(rows, type, workers);
  }
  void check_weights(Workers& workers) const {
    const Csr& rows = *forward->graph->csr();
    std::visit(
        [&](const auto& weights) {
          if constexpr (detail::is_weighted_v<decltype(weights)>) {
            const std::uint64_t bad = find_first(weights.size(), workers, [&](std::uint64_t e) {
              return !(weights[e] >= 0) || static_cast<double>(weights[e]) > std::numeric_limits<double>::max();
            });
            if (bad == weights.size()) return;
            own_edges(View::kForward).walk(bad, [&](VertexId source, VertexId target, const std::uint8_t*) -> bool {
              throw InputError(message("edge ", source, " -> ", target, " has weight ", weights[bad],
                                       "; probabilities of following edges need finite weights >= 0"));
            });
          }
        },
        rows.weights);
  }

  std::shared_ptr<const Domain> make(View view, abi::Scalar transitions, Workers& workers) const {
    const bool simplified = view == View::kUndirected;
    if (transitions == abi::kNone) {
      auto edges = own_edges(view);
      return part->domain(shuffle(edges, weight_type, workers), weight_type, simplified, workers);
    }
    const Csr rows = transition_rows(transitions, workers);
    const WeightType type = transition_type(transitions);
    RowSupply edges(rows, view, [this](VertexId row) { return part->id(row); }, [](VertexId id) { return id; });
    return part->domain(shuffle(edges, type, workers), type, simplified, workers);
  }

  const std::shared_ptr<Communicator> communicator;
  const DistributedOptions options;
  std::vector<EdgeList> lists;
  WeightType weight_type = WeightType::kNone;
  std::optional<LocalPart> part;
  std::shared_ptr<Domain> forward;
  std::optional<Graph> skeleton;
  std::vector<Made> made;
};

DistributedEdges::DistributedEdges(std::shared_ptr<Communicator> communicator, DistributedOptions options)
    : state_(std::make_unique<State>(std::move(communicator), std::move(options))) {
  state_->check_size();
}
DistributedEdges::~DistributedEdges() = default;

void DistributedEdges::add(EdgeList piece) {
  if (piece.sources.size() != piece.targets.size()) {
    throw InputError(message("there are ", piece.sources.size(), " sources and ", piece.targets.size(),
                             " destinations; the two must be equal"));
  }
  const std::size_t num_weights = std::visit(
      [&](const auto& weights) {
        if constexpr (detail::is_weighted_v<decltype(weights)>) return weights.size();
        return piece.sources.size();
      },
      piece.weights);
  if (num_weights != piece.sources.size()) {
    throw InputError(
        message("there are ", piece.sources.size(), " edges and ", num_weights, " weights; every edge needs one"));
  }
  state_->lists.push_back(std::move(piece));
}
void DistributedEdges::finish(Workers& workers) { state_->finish(workers); }

int DistributedEdges::rank() const { return state_->communicator->rank(); }
int DistributedEdges::size() const { return state_->communicator->size(); }
const Ownership& DistributedEdges::ownership() const { return state_->part->ownership(); }
VertexId DistributedEdges::num_own() const { return state_->part->num_own(); }
std::vector<VertexId> DistributedEdges::own_ids() const {
  std::vector<VertexId> ids(num_own());
  for (VertexId v = 0; v < num_own(); ++v) ids[v] = state_->part->id(v);
  return ids;
}
const Graph& DistributedEdges::skeleton() const { return *state_->skeleton; }

std::shared_ptr<const Domain> DistributedEdges::domain(View view, abi::Scalar transitions, int rank,
                                                       Workers& workers) const {
  if (rank != this->rank()) {
    throw InputError(message("domain ", rank, " is not here; this is rank ", this->rank()));
  }
  for (const State::Made& known : state_->made) {
    if (known.view == view && known.transitions == transitions) return known.domain;
  }
  auto domain = state_->make(view, transitions, workers);
  state_->made.push_back({view, transitions, domain});
  return domain;
}

}  // namespace gaspipe
