// SPDX-License-Identifier: Apache-2.0
// Vertices are counted and placed by class in chunks that depend on the graph's size alone; then every new row takes
// the edges of its old one. A row that was sorted becomes sorted by one stable distribution over the classes, for
// inside a class new ids ascend as old ones do.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "cpp/src/clock.h"
#include "each_row.h"
#include "gaspipe/engine/rows.h"
#include "gaspipe/prepared.h"
#include "gaspipe/rows.h"
#include "weights.h"

namespace gaspipe {
namespace {

constexpr int kClasses = 10;          // the last one has the vertices without edges
constexpr double kLargestClass = 64;  // times the average degree
constexpr double kHubDegrees = 4, kHubShare = 0.25;
constexpr std::uint64_t kCountedRows = 1 << 14;

using detail::ElementOf;
using detail::is_weighted_v;

// The least degree of every class but the last.
std::array<EdgeCount, kClasses - 1> least_degrees(const Csr& csr) {
  std::array<EdgeCount, kClasses - 1> least{};
  double degree = kLargestClass * static_cast<double>(csr.num_edges()) / csr.num_rows;
  for (EdgeCount& each : least) {
    each = std::max<EdgeCount>(1, static_cast<EdgeCount>(degree));
    degree /= 2;
  }
  least.back() = 1;
  return least;
}

struct Order {
  Array<VertexId> places, ids;
  std::array<VertexId, kClasses> first;  // vertex of every class
};

Order order_of(const Csr& csr, Workers& workers) {
  const auto least = least_degrees(csr);
  const auto class_of = [&](std::uint64_t v) {
    const EdgeCount degree = csr.degree(static_cast<VertexId>(v));
    int which = 0;
    for (const EdgeCount each : least) which += degree < each;
    return which;
  };
  const std::uint64_t n = csr.num_rows, num_chunks = (n + kCountedRows - 1) / kCountedRows;
  std::vector<std::array<VertexId, kClasses>> next(num_chunks);
  workers.step("placing", n);
  workers.each(num_chunks, 1, [&](std::uint64_t chunk, std::uint64_t, int) {
    next[chunk] = {};
    for (std::uint64_t v = chunk * kCountedRows; v < std::min(n, (chunk + 1) * kCountedRows); ++v)
      ++next[chunk][class_of(v)];
  });
  Order order;
  VertexId sum = 0;
  for (int which = 0; which < kClasses; ++which) {
    order.first[which] = sum;
    for (auto& chunk : next) sum += std::exchange(chunk[which], sum);
  }
  const Writable<VertexId> places(n), ids(n);
  workers.each(num_chunks, 1, [&](std::uint64_t chunk, std::uint64_t, int) {
    for (std::uint64_t v = chunk * kCountedRows; v < std::min(n, (chunk + 1) * kCountedRows); ++v) {
      const VertexId place = next[chunk][class_of(v)]++;
      places[v] = place;
      ids[place] = static_cast<VertexId>(v);
    }
  });
  order.places = places.freeze();
  order.ids = ids.freeze();
  return order;
}

// The offsets of the rows in their new order.
template <class Offset>
Offsets offsets_of(const Csr& csr, const Array<VertexId>& ids, Workers& workers) {
  const std::uint64_t n = csr.num_rows;
  const Writable<Offset> made(n + 1);
  std::vector<EdgeCount> chunks((n + kCountedRows - 1) / kCountedRows);
  workers.each(n, kCountedRows, [&](std::uint64_t first, std::uint64_t last, int) {
    EdgeCount sum = 0;
    for (std::uint64_t v = first; v < last; ++v) {
      made[v] = static_cast<Offset>(sum);
      sum += csr.degree(ids[v]);
    }
    chunks[first / kCountedRows] = sum;
  });
  EdgeCount sum = 0;
  for (EdgeCount& chunk : chunks) sum += std::exchange(chunk, sum);
  made[n] = static_cast<Offset>(sum);
  workers.each(n, kCountedRows, [&](std::uint64_t first, std::uint64_t last, int) {
    const auto before = static_cast<Offset>(chunks[first / kCountedRows]);
    for (std::uint64_t v = first; v < last; ++v) made[v] += before;
  });
  return Offsets(made.freeze());
}

// Finds the class of every vertex, and how many of them are of lower classes than each. Plain loops, which compilers
// turn into vector instructions.
std::array<EdgeCount, kClasses> classify(const VertexId* vertices, EdgeCount size,
                                         const std::array<VertexId, kClasses>& first, std::uint8_t* classes) {
  std::array<EdgeCount, kClasses> before{};
  constexpr EdgeCount kBlock = 256;
  for (EdgeCount begin = 0; begin < size; begin += kBlock) {
    const auto num = static_cast<std::uint32_t>(std::min(kBlock, size - begin));
    const VertexId* const vertex = vertices + begin;
    std::uint32_t which[kBlock];
    std::fill_n(which, num, 0);
    for (int k = 1; k < kClasses; ++k) {
      const VertexId least = first[k];
      std::uint32_t num_from = 0;
      for (std::uint32_t i = 0; i < num; ++i) {
        const std::uint32_t is_from = vertex[i] >= least;
        which[i] += is_from;
        num_from += is_from;
      }
      before[k] += num - num_from;
    }
    for (std::uint32_t i = 0; i < num; ++i) classes[begin + i] = static_cast<std::uint8_t>(which[i]);
  }
  return before;
}

template <class Weight>
Csr relabeled(const Csr& csr, const Order& order, Offsets offsets, const Weight& weights, Workers& workers) {
  constexpr bool weighted = is_weighted_v<Weight>;
  using Value = typename ElementOf<Weight>::Type;
  const Writable<VertexId> targets(csr.num_edges());
  const Writable<Value> new_weights(weighted ? csr.num_edges() : 0);
  const VertexId *const ids = order.ids.data(), *const places = order.places.data();
  const std::uint64_t n = csr.num_rows;
  const void* old_weights = nullptr;
  if constexpr (weighted) old_weights = weights.data();
  const engine::Rows<Value> rows(table_of(csr, old_weights));
  workers.step("relabeling", csr.num_edges());
  detail::each_row(offsets, workers, [&](std::uint64_t first, std::uint64_t last) {
    std::vector<VertexId> row;
    std::vector<std::uint8_t> classes;
    for (std::uint64_t v = first; v < last; ++v) {
      if (v + 2 * engine::kRowsAhead < n) rows.prefetch_degree(ids[v + 2 * engine::kRowsAhead]);
      if (v + engine::kRowsAhead < n) rows.template prefetch_edges<weighted>(ids[v + engine::kRowsAhead]);
      const EdgeCount from = rows.begin(ids[v]), size = rows.end(ids[v]) - from;
      if (row.size() < size) {
        row.resize(2 * size);
        classes.resize(2 * size);
      }
      for (EdgeCount e = 0; e < size; ++e) row[e] = places[csr.targets[from + e]];
      std::array<EdgeCount, kClasses> next = classify(row.data(), size, order.first, classes.data());
      for (EdgeCount& each : next) each += offsets[v];
      for (EdgeCount e = 0; e < size; ++e) {
        const EdgeCount at = next[classes[e]]++;
        targets[at] = row[e];
        if constexpr (weighted) new_weights[at] = weights[from + e];
      }
    }
  });
  Csr made;
  made.num_rows = made.num_columns = csr.num_rows;
  made.offsets = std::move(offsets);
  made.targets = targets.freeze();
  if constexpr (weighted) made.weights = new_weights.freeze();
  return made;
}

Array<VertexId> first_targets(const Csr& csr, Workers& workers) {
  const Writable<VertexId> first_targets(csr.num_rows);
  workers.each(csr.num_rows, kCountedRows, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t v = first; v < last; ++v) {
      first_targets[v] = csr.offsets[v] < csr.offsets[v + 1] ? csr.targets[csr.offsets[v]] : kNoVertex;
    }
  });
  return first_targets.freeze();
}

}  // namespace

std::uint64_t PreparedGraph::num_bytes() const {
  const Csr& csr = *graph.csr();
  const std::uint64_t weight_bytes = std::visit(
      [](const auto& weights) -> std::uint64_t {
        if constexpr (is_weighted_v<decltype(weights)>) {
          return weights.size() * sizeof(weights[0]);
        } else {
          return 0;
        }
      },
      csr.weights);
  return csr.offsets.size() * (csr.offsets.is_wide() ? 8 : 4) + csr.num_edges() * sizeof(VertexId) + weight_bytes +
         (ids.size() + first_targets.size()) * sizeof(VertexId);
}

Array<VertexId> PreparedGraph::places(Workers& workers) const {
  const Writable<VertexId> places(ids.size());
  workers.each(ids.size(), kCountedRows, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t v = first; v < last; ++v) places[ids[v]] = static_cast<VertexId>(v);
  });
  return places.freeze();
}

bool relabeling_pays(const Csr& csr, Workers& workers) {
  const std::uint64_t n = csr.num_rows;
  const double least = kHubDegrees * static_cast<double>(csr.num_edges()) / static_cast<double>(n);
  std::vector<EdgeCount> of_hubs((n + kCountedRows - 1) / kCountedRows);
  workers.step("degrees", n);
  workers.each(n, kCountedRows, [&](std::uint64_t first, std::uint64_t last, int) {
    EdgeCount sum = 0;
    for (std::uint64_t v = first; v < last; ++v) {
      const EdgeCount degree = csr.degree(static_cast<VertexId>(v));
      sum += static_cast<double>(degree) >= least ? degree : 0;
    }
    of_hubs[first / kCountedRows] = sum;
  });
  EdgeCount sum = 0;
  for (const EdgeCount each : of_hubs) sum += each;
  if (static_cast<double>(sum) < kHubShare * static_cast<double>(csr.num_edges()) || sum == 0) return false;
  constexpr std::uint64_t kSampledRows = 1 << 12, kEdgesPerRow = 64, kNearby = 16;  // n / kNearby
  std::uint64_t num_near = 0, num_seen = 0;
  for (std::uint64_t v = 0; v < n; v += n / kSampledRows + 1) {
    const EdgeCount end = std::min(csr.offsets[v + 1], csr.offsets[v] + kEdgesPerRow);
    for (EdgeCount e = csr.offsets[v]; e < end; ++e, ++num_seen) {
      const std::uint64_t target = csr.targets[e];
      num_near += (target < v ? v - target : target - v) <= n / kNearby;
    }
  }
  return num_near <= num_seen / 2;
}

PreparedGraph prepare(const Csr& csr, Workers& workers) {
  const auto start = Clock::now();
  const Order order = order_of(csr, workers);
  Offsets made = csr.offsets.is_wide() ? offsets_of<std::uint64_t>(csr, order.ids, workers)
                                       : offsets_of<std::uint32_t>(csr, order.ids, workers);
  workers.check();
  Csr rows = std::visit([&](const auto& weights) { return relabeled(csr, order, std::move(made), weights, workers); },
                        csr.weights);
  Array<VertexId> first = first_targets(rows, workers);
  return {Graph(std::move(rows)), order.ids, std::move(first), seconds_since(start), false};
}

PreparedGraph prepared_from(const Csr& csr, Csr rows, Array<VertexId> ids, Workers& workers) {
  const std::uint64_t n = csr.num_rows;
  if (ids.size() != n || rows.num_rows != n || rows.num_edges() != csr.num_edges() ||
      rows.weights.index() != csr.weights.index()) {
    throw InputError(message("the prepared form has ", rows.num_rows, " vertices and ", rows.num_edges(),
                             " edges; the graph has ", n, " and ", csr.num_edges()));
  }
  validate(rows, workers);
  std::vector<std::uint8_t> is_there(n, 0);
  for (std::uint64_t v = 0; v < n; ++v) {
    const VertexId id = ids[v];
    if (id >= n || std::exchange(is_there[id], std::uint8_t(1)) != 0 ||
        rows.degree(static_cast<VertexId>(v)) != csr.degree(id)) {
      throw InputError(message("the prepared form is of another graph: its vertex ", v, " is said to be ", id));
    }
  }
  Array<VertexId> first = first_targets(rows, workers);
  return {Graph(std::move(rows)), std::move(ids), std::move(first), 0, true};
}

}  // namespace gaspipe
