// SPDX-License-Identifier: Apache-2.0
// Two counting sorts make the rows: by target, then by source. Every row so ascends, however the edges came, and
// parallel edges keep the order in which they came.
#include "cpp/src/domain/local_part.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>

#include "gaspipe/fingerprint.h"

namespace gaspipe {
namespace detail {
namespace {

constexpr std::uint64_t kPartGrain = 1 << 16;

template <class T>
Array<T> array_of(const Writable<std::uint8_t>& bytes) {
  const Array<std::uint8_t> frozen = bytes.freeze();
  return {frozen.owner(), reinterpret_cast<const T*>(frozen.data()), frozen.size() / sizeof(T)};
}

// Rows by source, ascending; `edges` end with this.
Csr sorted_rows(Arrived edges, WeightType type, std::uint64_t num_rows, std::uint64_t num_columns, Workers& workers) {
  EdgeList by_target;
  by_target.num_vertices = num_columns;
  by_target.sources = edges.targets.freeze();
  by_target.targets = edges.sources.freeze();
  by_target.weights = weights_of(edges.weights, type);
  edges = Arrived();
  const Csr columns = build_csr(std::exchange(by_target, {}), num_rows, workers);
  return transpose(columns, workers);
}

}  // namespace

Weights weights_of(const Writable<std::uint8_t>& bytes, WeightType type) {
  switch (type) {
    case WeightType::kInt32:
      return array_of<std::int32_t>(bytes);
    case WeightType::kInt64:
      return array_of<std::int64_t>(bytes);
    case WeightType::kFloat32:
      return array_of<float>(bytes);
    case WeightType::kFloat64:
      return array_of<double>(bytes);
    default:
      return {};
  }
}

LocalPart::LocalPart(std::shared_ptr<Communicator> communicator, Ownership ownership, VertexId num_vertices,
                     std::uint64_t most_in_flight, Workers& workers)
    : communicator_(std::move(communicator)),
      ownership_(std::move(ownership)),
      num_vertices_(num_vertices),
      most_in_flight_(most_in_flight) {
  const int rank = communicator_->rank();
  if (ownership_.is_contiguous()) {
    first_id_ = ownership_.first[static_cast<std::size_t>(rank)];
    num_own_ = ownership_.first[static_cast<std::size_t>(rank) + 1] - first_id_;
    return;
  }
  own_.emplace(num_vertices);
  workers.each(num_vertices, kPartGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t v = first; v < last; ++v) {
      if (ownership_.owners[v] == rank) own_->insert(static_cast<VertexId>(v));
    }
  });
  num_own_ = static_cast<VertexId>(own_->count());
  const Writable<VertexId> ids(num_own_);
  VertexId at = 0;
  own_->each([&](VertexId id) { ids[at++] = id; });
  ids_ = ids.freeze();
  if (num_own_ > 0) first_id_ = ids_[0];
}

// Numbers for both ends of every edge, and the ghosts.
void LocalPart::find_ghosts(Domain& domain, Arrived& edges, Workers& workers) const {
  const auto size = static_cast<std::size_t>(communicator_->size());
  const std::uint64_t num_edges = edges.sources.size();
  IdSet ghosts(num_vertices_);
  workers.step("ghosts", num_edges);
  workers.each(num_edges, kPartGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t e = first; e < last; ++e) {
      if (!is_own(edges.sources[e])) ghosts.insert(edges.sources[e]);
    }
  });
  const std::uint64_t num_ghosts = ghosts.count();
  if (num_own_ + num_ghosts > kMostVertices) {
    throw CapacityError(message("rank ", domain.rank, " of ", size, " has ", num_own_, " vertices and ", num_ghosts,
                                " ghosts; at most ", kMostVertices, " together fit 32-bit ids; use more ranks"));
  }
  domain.num_ghosts = static_cast<VertexId>(num_ghosts);
  domain.ghost_first.assign(size + 1, 0);
  ghosts.each([&](VertexId id) { ++domain.ghost_first[static_cast<std::size_t>(ownership_.owner(id)) + 1]; });
  for (std::size_t r = 0; r < size; ++r) domain.ghost_first[r + 1] += domain.ghost_first[r];

  const Writable<VertexId> ids(num_ghosts);
  Writable<VertexId> places(ownership_.is_contiguous() ? 0 : num_ghosts);  // by id; else ids have this order already
  std::vector<VertexId> next(domain.ghost_first.begin(), domain.ghost_first.end() - 1);
  VertexId in_order = 0;
  ghosts.each([&](VertexId id) {
    const VertexId place = next[static_cast<std::size_t>(ownership_.owner(id))]++;
    ids[place] = id;
    if (places.size() > 0) places[in_order++] = place;
  });
  domain.ghost_ids = ids.freeze();

  workers.step("numbering", num_edges);
  workers.each(num_edges, kPartGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t e = first; e < last; ++e) {
      edges.targets[e] = number(edges.targets[e]);
      VertexId& source = edges.sources[e];
      if (is_own(source)) {
        source = number(source);
      } else {
        const VertexId place = ghosts.place(source);
        source = num_own_ + (places.size() > 0 ? places[place] : place);
      }
    }
  });
}

void LocalPart::exchange_mirrors(Domain& domain) const {
  const auto size = static_cast<std::size_t>(domain.size), rank = static_cast<std::size_t>(domain.rank);
  std::vector<std::uint64_t> num_ghosts(size), num_mirrors(size);
  for (std::size_t r = 0; r < size; ++r) num_ghosts[r] = domain.ghost_first[r + 1] - domain.ghost_first[r];
  communicator_->all_to_all(reinterpret_cast<const std::uint8_t*>(num_ghosts.data()),
                            reinterpret_cast<std::uint8_t*>(num_mirrors.data()), 8);
  std::vector<Box> sent(size);
  std::vector<std::uint64_t> expected(size);
  domain.mirror_first.assign(size + 1, 0);
  for (std::size_t r = 0; r < size; ++r) {
    domain.mirror_first[r + 1] = domain.mirror_first[r] + num_mirrors[r];
    if (r == rank) continue;
    sent[r] = {reinterpret_cast<const std::uint8_t*>(domain.ghost_ids.data() + domain.ghost_first[r]),
               num_ghosts[r] * sizeof(VertexId)};
    expected[r] = num_mirrors[r] * sizeof(VertexId);
  }
  communicator_->begin_boxes(sent, expected);
  const std::vector<const std::uint8_t*>& received = communicator_->end_boxes();
  const Writable<VertexId> mirrors(domain.mirror_first.back());
  for (std::size_t r = 0; r < size; ++r) {
    for (std::uint64_t i = 0; i < num_mirrors[r]; ++i) {
      VertexId id;
      std::memcpy(&id, received[r] + i * sizeof(id), sizeof(id));
      mirrors[domain.mirror_first[r] + i] = number(id);
    }
  }
  domain.mirrors = mirrors.freeze();
}

Offsets LocalPart::whole_offsets(const Domain& domain, const Csr& rows, Workers& workers) const {
  const Writable<std::uint32_t> counts(num_vertices_);
  workers.each(num_vertices_, kPartGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    std::fill(counts.data() + first, counts.data() + last, 0);
  });
  for (VertexId row = 0; row < rows.num_rows; ++row) {
    const EdgeCount degree = rows.degree(row);
    if (degree > std::numeric_limits<std::uint32_t>::max()) {
      throw CapacityError(message("vertex ", row < num_own_ ? id(row) : domain.ghost_ids[row - num_own_], " has ",
                                  degree, " edges; at most ", std::numeric_limits<std::uint32_t>::max(),
                                  " can leave one"));
    }
    counts[row < num_own_ ? id(row) : domain.ghost_ids[row - num_own_]] = static_cast<std::uint32_t>(degree);
  }
  add_over_ranks(*communicator_, counts.data(), num_vertices_, most_in_flight_);
  return domain.num_edges <= std::numeric_limits<std::uint32_t>::max()
             ? Offsets(offsets_from_counts<std::uint32_t>(counts.data(), num_vertices_))
             : Offsets(offsets_from_counts<std::uint64_t>(counts.data(), num_vertices_));
}

std::shared_ptr<Domain> LocalPart::domain(Arrived edges, WeightType type, bool simplified, Workers& workers) const {
  auto made = std::make_shared<Domain>();
  Domain& domain = *made;
  domain.rank = communicator_->rank();
  domain.size = communicator_->size();
  domain.num_vertices = num_vertices_;
  domain.num_own = num_own_;
  domain.first_id = first_id_;
  domain.ids = ids_;
  find_ghosts(domain, edges, workers);
  exchange_mirrors(domain);
  Csr rows = sorted_rows(std::move(edges), type, std::uint64_t(num_own_) + domain.num_ghosts, num_own_, workers);
  if (simplified) rows = simplify(rows, {}, workers);
  domain.num_edges = sum_over_ranks(*communicator_, rows.num_edges());
  domain.offsets = whole_offsets(domain, rows, workers);
  domain.graph = Graph::of_domain(std::move(rows), simplified);
  return made;
}

Csr LocalPart::out_rows(Arrived edges, WeightType type, Workers& workers) const {
  for (std::uint64_t e = 0; e < edges.targets.size(); ++e) edges.targets[e] = number(edges.targets[e]);
  std::swap(edges.sources, edges.targets);
  return sorted_rows(std::move(edges), type, num_own_, num_vertices_, workers);
}

bool LocalPart::is_symmetric(const Domain& forward, Workers& workers) const {
  const std::uint64_t key = words_of_all(*communicator_, Fingerprint::random_key())[0];
  const Csr& rows = *forward.graph->csr();
  std::atomic<std::uint64_t> sum{0};
  workers.step("comparing", rows.num_edges());
  workers.each(rows.num_rows, 1 << 12, [&](std::uint64_t first, std::uint64_t last, int) {
    Fingerprint own(key);
    for (std::uint64_t row = first; row < last; ++row) {
      for (EdgeCount e = rows.offsets[row]; e < rows.offsets[row + 1]; ++e) own.add_destination(id(rows.targets[e]));
      own.end_row(row < num_own_ ? id(static_cast<VertexId>(row)) : forward.ghost_ids[row - num_own_]);
    }
    sum.fetch_add(own.sum(), std::memory_order_relaxed);
  });
  return sum_over_ranks(*communicator_, sum) == 0;
}

}  // namespace detail
}  // namespace gaspipe
