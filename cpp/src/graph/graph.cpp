// SPDX-License-Identifier: Apache-2.0
// Views, partitions and converted weights are made on first use and kept; one lock per graph, held while making, so
// that two threads that want the same thing make it once.
#include "gaspipe/graph.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "gaspipe/find_first.h"

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
  };
  std::recursive_mutex guard;
  std::shared_ptr<const Csr> reverse, undirected;
  std::vector<Weighted> weights;
  std::vector<Partitioned> partitionings;
  std::optional<WeightFacts> facts;
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

Graph Graph::as_matrix(std::uint64_t num_rows, std::uint64_t num_columns, Workers& workers) const {
  const VertexId n = num_vertices();
  if (std::max(num_rows, num_columns) != n) {
    throw InputError(message("a matrix of ", num_rows, " x ", num_columns, " needs ", std::max(num_rows, num_columns),
                             " vertices; the graph has ", n));
  }
  const Csr& csr = *forward_;
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
  if (view == View::kForward) return forward_;
  const std::lock_guard<std::recursive_mutex> lock(cache_->guard);
  if (view == View::kReverse) {
    if (!cache_->reverse) cache_->reverse = std::make_shared<const Csr>(gaspipe::transpose(*forward_, workers));
    return cache_->reverse;
  }
  if (!cache_->undirected) {
    cache_->undirected =
        std::make_shared<const Csr>(simplify(*forward_, {/*add_reverse=*/true, /*drop_self_loops=*/false}, workers));
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
  cache_->partitionings.push_back({which, edge_type, config, made});
  return made;
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
  const std::lock_guard<std::recursive_mutex> lock(cache_->guard);
  if (cache_->facts) return *cache_->facts;
  WeightFacts facts;
  std::visit(
      [&](const auto& weights) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(weights)>, std::monostate>) {
          facts.first_bad = find_first(weights.size(), workers, [&](std::uint64_t e) { return !(weights[e] >= 0); });
          facts.negative_or_nan = facts.first_bad < weights.size();
        }
      },
      forward_->weights);
  cache_->facts = facts;
  return facts;
}

void Graph::clear_cache() const {
  const std::lock_guard<std::recursive_mutex> lock(cache_->guard);
  cache_->reverse.reset();
  cache_->undirected.reset();
  cache_->weights.clear();
  cache_->partitionings.clear();
}

namespace {

template <class T>
Array<std::uint8_t> as_bytes(const Array<T>& array) {
  return Array<std::uint8_t>(array.owner(), reinterpret_cast<const std::uint8_t*>(array.data()),
                             array.size() * sizeof(T));
}

template <class From, class To>
bool fits(From value) {
  if constexpr (std::is_floating_point_v<To>) {
    return true;
  } else if constexpr (std::is_floating_point_v<From>) {
    // Powers of two are exact, so these bounds are too.
    return value == std::trunc(value) &&
           value >= (std::is_signed_v<To> ? -std::ldexp(1.0, std::numeric_limits<To>::digits) : 0.0) &&
           value < std::ldexp(1.0, std::numeric_limits<To>::digits);
  } else {
    return (std::is_signed_v<To> || value >= 0) && static_cast<From>(static_cast<To>(value)) == value;
  }
}

template <class To, class From>
Array<std::uint8_t> convert(const Array<From>& weights, const char* type, Workers& workers) {
  // Signed and unsigned words of one width hold the same bits for every value that fits both.
  constexpr bool same_bits =
      std::is_same_v<From, To> || (std::is_integral_v<From> && std::is_integral_v<To> && sizeof(From) == sizeof(To));
  const std::uint64_t bad =
      find_first(weights.size(), workers, [&](std::uint64_t e) { return !fits<From, To>(weights[e]); });
  if (bad < weights.size()) {
    throw InputError(message("weight ", weights[bad], " (edge ", bad, ") does not fit ", type,
                             "; choose another number= or change the weights' dtype"));
  }
  if constexpr (same_bits) {
    return as_bytes(weights);
  } else {
    Writable<To> converted(weights.size());
    workers.each(weights.size(), 1 << 16, [&](std::uint64_t first, std::uint64_t last, int) {
      for (std::uint64_t e = first; e < last; ++e) converted[e] = static_cast<To>(weights[e]);
    });
    return as_bytes(converted.freeze());
  }
}

}  // namespace

Array<std::uint8_t> convert_weights(const Csr& csr, abi::Scalar type, Workers& workers) {
  return std::visit(
      [&](const auto& weights) -> Array<std::uint8_t> {
        if constexpr (std::is_same_v<std::decay_t<decltype(weights)>, std::monostate>) {
          return {};
        } else {
          switch (type) {
            case abi::kInt32:
              return convert<std::int32_t>(weights, "int32", workers);
            case abi::kUint32:
              return convert<std::uint32_t>(weights, "uint32", workers);
            case abi::kInt64:
              return convert<std::int64_t>(weights, "int64", workers);
            case abi::kUint64:
              return convert<std::uint64_t>(weights, "uint64", workers);
            case abi::kFloat32:
              return convert<float>(weights, "float32", workers);
            case abi::kFloat64:
              return convert<double>(weights, "float64", workers);
            default:
              return {};
          }
        }
      },
      csr.weights);
}

}  // namespace gaspipe
