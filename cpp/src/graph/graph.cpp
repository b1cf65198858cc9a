// SPDX-License-Identifier: Apache-2.0
// Views, partitions and converted weights are made on first use and kept; one lock per graph, held while making, so
// that two threads that want the same thing make it once.
#include "gaspipe/graph.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "gaspipe/convert.h"
#include "gaspipe/find_first.h"
#include "gaspipe/largest_finite.h"
#include "gaspipe/prepared.h"
#include "prepare_often.h"
#include "symmetry.h"
#include "transitions.h"

namespace gaspipe {

struct Graph::Cache {
  struct Weighted {
    View view;
    abi::Scalar type;
    Array<std::uint8_t> weights;
  };
  struct Partitioned {
    View view;
    abi::Scalar type;
    PartitionConfig config;
    std::shared_ptr<const Partitioning> partitioning;
    std::shared_ptr<const DeviceEdges> device_edges[2][2];  // by layout, and whether lines are balanced
  };
  std::recursive_mutex guard;
  std::shared_ptr<const Csr> reverse, undirected;
  std::vector<Weighted> weights;
  std::vector<Partitioned> partitionings;
  std::vector<std::pair<abi::Scalar, Graph>> transitions;
  std::optional<WeightFacts> facts;
  std::optional<double> largest_weight;
  std::optional<bool> symmetric;
  bool reverse_was_missed = false, symmetry_was_missed = false;
  std::shared_ptr<const PreparedGraph> prepared;
  std::optional<bool> relabeling_pays;
  bool prepares_itself = true;
  double seconds_of_runs = 0;  // that a relabeled form would have made faster

  bool pays(const Csr& csr, Workers& workers) {
    if (!relabeling_pays) relabeling_pays = gaspipe::relabeling_pays(csr, workers);
    return *relabeling_pays;
  }
};

Graph::Graph(Csr csr) {
  if (csr.num_rows != csr.num_columns) {
    throw InputError(message("matrix has ", csr.num_rows, " rows and ", csr.num_columns,
                             " columns; a graph needs a square one, with a row and a column per vertex"));
  }
  if (csr.num_rows == 0) throw InputError("graph has no vertices; at least 1 is needed");
  num_rows_ = num_columns_ = csr.num_rows;
  forward_ = std::make_shared<const Csr>(std::move(csr));
  cache_ = std::make_shared<Cache>();
}

Graph::Graph(Csr skeleton, VertexId num_rows, VertexId num_columns, std::shared_ptr<const StoredEdges> stored)
    : Graph(std::move(skeleton)) {
  num_rows_ = num_rows;
  num_columns_ = num_columns;
  stored_ = std::move(stored);
}

Graph Graph::of_domain(Csr csr, bool is_symmetric) {
  Graph graph;
  graph.num_rows_ = csr.num_rows;
  graph.num_columns_ = csr.num_columns;
  graph.forward_ = std::make_shared<const Csr>(std::move(csr));
  graph.cache_ = std::make_shared<Cache>();
  graph.cache_->reverse_was_missed = is_symmetric;
  graph.is_domain_ = true;
  return graph;
}

Graph Graph::of_ranks(Csr skeleton, int num_ranks) {
  Graph graph(std::move(skeleton));
  graph.num_ranks_ = num_ranks;
  return graph;
}

const std::shared_ptr<const Csr>& Graph::csr() const {
  if (num_ranks_ > 0) {
    throw InputError(message("the edges of this graph are spread over ", num_ranks_,
                             num_ranks_ == 1 ? " rank" : " ranks",
                             "; algorithms of hooks run there; for all else make a gaspipe.Graph, which has its "
                             "edges in one process"));
  }
  if (stored_) {
    throw InputError(
        message("the edges of this graph stay in ", stored_->file()->name(),
                ", for it was loaded with memory=; algorithms of hooks run so, with device=\"cpu\"; for all "
                "else load it without memory="));
  }
  return forward_;
}

Graph Graph::as_matrix(std::uint64_t num_rows, std::uint64_t num_columns, Workers& workers) const {
  const VertexId n = num_vertices();
  const std::uint64_t needed = std::max<std::uint64_t>({num_rows, num_columns, 1});
  if (needed != n) {
    throw InputError(
        message("a matrix of ", num_rows, " x ", num_columns, " needs ", needed, " vertices; the graph has ", n));
  }
  const Csr& csr = *this->csr();
  if (csr.offsets[num_rows] != csr.num_edges()) {
    throw InputError(message("there are entries beyond row ", num_rows, ", the last of the matrix"));
  }
  if (num_columns < n) {
    const auto bad =
        find_first(csr.num_edges(), workers, [&](std::uint64_t e) { return csr.targets[e] >= num_columns; });
    if (bad < csr.num_edges()) {
      throw InputError(
          message("entry ", bad, " has column ", csr.targets[bad], "; the matrix has ", num_columns, " columns"));
    }
  }
  Graph matrix(*this);
  matrix.num_rows_ = static_cast<VertexId>(num_rows);
  matrix.num_columns_ = static_cast<VertexId>(num_columns);
  return matrix;
}

Graph Graph::transpose(Workers& workers) const {
  Graph transposed(*view(View::kReverse, workers));
  transposed.num_rows_ = num_columns_;
  transposed.num_columns_ = num_rows_;
  return transposed;
}

std::shared_ptr<const Csr> Graph::view(View view, Workers& workers) const {
  const std::shared_ptr<const Csr>& forward = csr();
  if (view == View::kForward) return forward;
  const std::lock_guard<std::recursive_mutex> lock(cache_->guard);
  if (view == View::kReverse) {
    if (!cache_->reverse) {
      Csr square = *forward_;
      square.num_columns = square.num_rows;  // of a domain, ghosts get rows too
      cache_->reverse = std::make_shared<const Csr>(gaspipe::transpose(square, workers));
    }
    return cache_->reverse;
  }
  if (!cache_->undirected) {
    cache_->undirected = detail::is_undirected(*forward_, workers)
                             ? forward_
                             : std::make_shared<const Csr>(simplify(*forward_, {/*add_reverse=*/true}, workers));
  }
  return cache_->undirected;
}

std::shared_ptr<const Partitioning> Graph::partition(View which, const PartitionConfig& config, abi::Scalar edge_type,
                                                     Workers& workers) const {
  const std::lock_guard<std::recursive_mutex> lock(cache_->guard);
  for (const Cache::Partitioned& known : cache_->partitionings) {
    if (known.view == which && known.type == edge_type && known.config == config) return known.partitioning;
  }
  const Array<std::uint8_t> weights =
      edge_type == abi::kNone ? Array<std::uint8_t>() : weights_as(which, edge_type, workers);
  auto made = Partitioning::make(view(which, workers), config, edge_type, weights, workers);
  cache_->partitionings.push_back({which, edge_type, config, made, {}});
  return made;
}

std::shared_ptr<const DeviceEdges> Graph::device_edges(View which, const PartitionConfig& config, abi::Scalar edge_type,
                                                       EdgeLayout layout, Workers& workers, bool is_balanced) const {
  const std::lock_guard<std::recursive_mutex> lock(cache_->guard);
  const std::shared_ptr<const Partitioning> partitioning = partition(which, config, edge_type, workers);
  for (Cache::Partitioned& known : cache_->partitionings) {
    if (known.partitioning != partitioning) continue;
    auto& made = known.device_edges[static_cast<int>(layout)][is_balanced ? 1 : 0];
    if (!made) made = DeviceEdges::make(partitioning, edge_type, layout, is_balanced, workers);
    return made;
  }
  return DeviceEdges::make(partitioning, edge_type, layout, is_balanced, workers);
}

Array<std::uint8_t> Graph::weights_as(View which, abi::Scalar type, Workers& workers) const {
  const std::lock_guard<std::recursive_mutex> lock(cache_->guard);
  for (const Cache::Weighted& known : cache_->weights) {
    if (known.view == which && known.type == type) return known.weights;
  }
  Array<std::uint8_t> made = convert_weights(*view(which, workers), type, workers);
  cache_->weights.push_back({which, type, made});
  return made;
}

WeightFacts Graph::weight_facts(Workers& workers) const {
  if (stored_) return {stored_->facts().has_negative_or_nan, 0};
  const std::lock_guard<std::recursive_mutex> lock(cache_->guard);
  if (cache_->facts) return *cache_->facts;
  const Csr& csr = *this->csr();
  WeightFacts facts;
  std::visit(
      [&](const auto& weights) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(weights)>, std::monostate>) {
          facts.first_bad = find_first(weights.size(), workers, [&](std::uint64_t e) { return !(weights[e] >= 0); });
          facts.negative_or_nan = facts.first_bad < weights.size();
        }
      },
      csr.weights);
  cache_->facts = facts;
  return facts;
}

double Graph::largest_weight(Workers& workers) const {
  if (stored_) return stored_->facts().largest_weight;
  const std::lock_guard<std::recursive_mutex> lock(cache_->guard);
  if (!cache_->largest_weight) {
    const Csr& csr = *this->csr();
    cache_->largest_weight = std::visit(
        [&](const auto& weights) -> double {
          if constexpr (std::is_same_v<std::decay_t<decltype(weights)>, std::monostate>) {
            return 1;
          } else {
            return largest_finite(weights.data(), weights.size(), workers);
          }
        },
        csr.weights);
  }
  return *cache_->largest_weight;
}

Graph Graph::transitions(abi::Scalar type, Workers& workers) const {
  const std::lock_guard<std::recursive_mutex> lock(cache_->guard);
  for (const auto& [known, graph] : cache_->transitions) {
    if (known == type) return graph;
  }
  return cache_->transitions.emplace_back(type, Graph(detail::transitions(*csr(), type, workers))).second;
}

bool Graph::is_symmetric(Workers& workers) const {
  if (stored_) return stored_->facts().is_symmetric;
  if (is_domain_) return false;
  const std::lock_guard<std::recursive_mutex> lock(cache_->guard);
  if (!cache_->symmetric) cache_->symmetric = detail::is_symmetric(*csr(), workers);
  return *cache_->symmetric;
}

bool Graph::is_known_symmetric(Workers& workers) const {
  if (stored_ || is_domain_) return is_symmetric(workers);
  const std::lock_guard<std::recursive_mutex> lock(cache_->guard);
  if (!cache_->symmetric && !std::exchange(cache_->symmetry_was_missed, true)) return false;
  return is_symmetric(workers);
}

std::shared_ptr<const Csr> Graph::in_edges(View which, bool with_weights, bool are_needed, Workers& workers) const {
  const std::lock_guard<std::recursive_mutex> lock(cache_->guard);
  if (which != View::kForward) return which == View::kReverse ? csr() : view(which, workers);
  if (!with_weights && is_symmetric(workers)) return csr();
  if (!are_needed && !cache_->reverse && !std::exchange(cache_->reverse_was_missed, true)) return nullptr;
  return view(View::kReverse, workers);
}

std::shared_ptr<const PreparedGraph> Graph::prepare(Workers& workers) const {
  if (num_rows_ != num_columns_) {
    throw InputError(message("a matrix of ", num_rows_, " x ", num_columns_,
                             " cannot be prepared; that is for square ones, whose rows and columns are vertices"));
  }
  const Csr& csr = *this->csr();
  const std::lock_guard<std::recursive_mutex> lock(cache_->guard);
  if (cache_->prepared && cache_->prepared->is_asked_for) return cache_->prepared;
  if (!cache_->prepared && !cache_->pays(csr, workers)) return nullptr;
  PreparedGraph made = cache_->prepared ? *cache_->prepared : make_prepared(workers);
  made.is_asked_for = true;
  cache_->prepared = std::make_shared<const PreparedGraph>(std::move(made));
  return cache_->prepared;
}

// What is known of the graph holds for the relabeled one.
PreparedGraph Graph::make_prepared(Workers& workers) const {
  PreparedGraph made = gaspipe::prepare(*forward_, workers);
  Cache& cache = *made.graph.cache_;
  cache.symmetric = cache_->symmetric;
  cache.facts = cache_->facts;
  cache.largest_weight = cache_->largest_weight;
  if (cache_->undirected == forward_) cache.undirected = made.graph.forward_;
  return made;
}

void Graph::keep_prepared(PreparedGraph prepared) const {
  const std::lock_guard<std::recursive_mutex> lock(cache_->guard);
  cache_->prepared = std::make_shared<const PreparedGraph>(std::move(prepared));
}

std::shared_ptr<const PreparedGraph> Graph::prepared() const {
  const std::lock_guard<std::recursive_mutex> lock(cache_->guard);
  return cache_->prepared;
}

std::shared_ptr<const PreparedGraph> Graph::prepared_for(bool in_any_order, bool at_once, Workers& workers) const {
  if (stored_ || is_domain_ || num_ranks_ > 0 || num_rows_ != num_columns_) return nullptr;
  const std::lock_guard<std::recursive_mutex> lock(cache_->guard);
  if (cache_->prepared) return in_any_order || cache_->prepared->is_asked_for ? cache_->prepared : nullptr;
  if (!in_any_order || !cache_->prepares_itself) return nullptr;
  const bool is_wanted =
      at_once ? detail::is_worth_a_form(*forward_) : detail::is_asked_often(*forward_, cache_->seconds_of_runs);
  if (!is_wanted || !cache_->pays(*forward_, workers)) return nullptr;
  if (!detail::has_memory_for_another(*forward_)) return nullptr;
  try {
    cache_->prepared = std::make_shared<const PreparedGraph>(make_prepared(workers));
  } catch (const std::bad_alloc&) {
    cache_->prepares_itself = false;
  }
  return cache_->prepared;
}

void Graph::count_run(double seconds) const {
  const std::lock_guard<std::recursive_mutex> lock(cache_->guard);
  cache_->seconds_of_runs += seconds;
}

void Graph::prepares_itself(bool does) const {
  const std::lock_guard<std::recursive_mutex> lock(cache_->guard);
  cache_->prepares_itself = does;
}

void Graph::clear_cache() const {
  const std::lock_guard<std::recursive_mutex> lock(cache_->guard);
  cache_->reverse.reset();
  cache_->undirected.reset();
  cache_->weights.clear();
  cache_->partitionings.clear();
  cache_->transitions.clear();
  cache_->symmetric.reset();
  cache_->reverse_was_missed = cache_->symmetry_was_missed = false;
  cache_->prepared.reset();
  cache_->relabeling_pays.reset();
  cache_->seconds_of_runs = 0;
}

Array<std::uint8_t> convert_weights(const Csr& csr, abi::Scalar type, Workers& workers) {
  return std::visit(
      [&](const auto& weights) -> Array<std::uint8_t> {
        if constexpr (std::is_same_v<std::decay_t<decltype(weights)>, std::monostate>) {
          return {};
        } else {
          return converted(weights, type, workers, [&](std::uint64_t bad, const char* name) {
            return message("weight ", weights[bad], " (edge ", bad, ") does not fit ", name,
                           "; convert the weights, or compute in a format that holds them (number=, or edge_prop= of a "
                           "custom algorithm)");
          });
        }
      },
      csr.weights);
}

}  // namespace gaspipe
