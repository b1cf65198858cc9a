// SPDX-License-Identifier: Apache-2.0
// Two passes over the rows, in the order of their sources' owners and ids, which is the order that own vertices and
// ghosts have in every domain. Chunks of sources count what they add to each domain; prefix sums give each chunk its
// places; then each chunk writes there. No edge is compared with another, and chunks do not change the result.
#include "cpp/src/domain/cut.h"

#include <algorithm>
#include <utility>

#include "cpp/src/domain/numbering.h"
#include "cpp/src/graph/weights.h"

namespace gaspipe {
namespace detail {
namespace {

constexpr std::uint64_t kMostChunks = 64;

// Of one chunk in one domain: what the chunk adds, then where it goes on.
struct Place {
  EdgeCount own_edge = 0, ghost_edge = 0;  // by the owner of the source
  std::uint64_t ghost = 0;
};

template <class Weight, class Offset>
class Cut {
  static constexpr bool kWeighted = is_weighted_v<Weight>;
  using Value = typename ElementOf<Weight>::Type;

 public:
  Cut(const Csr& rows, const Weight& weights, const Numbering& numbering, bool combine, Workers& workers)
      : rows_(rows),
        weights_(weights),
        numbering_(numbering),
        combine_(combine),
        workers_(workers),
        num_ranks_(static_cast<std::uint64_t>(numbering.size)) {
    const std::uint64_t n = rows.num_rows;
    num_chunks_ = std::clamp<std::uint64_t>((rows.num_edges() + n) / (8 * num_ranks_ + 4096), 1, kMostChunks);
    chunk_first_.resize(num_chunks_ + 1, n);
    for (std::uint64_t chunk = 0; chunk < num_chunks_; ++chunk) {
      // Ranges of ids may differ much in edges, parts by a hash hardly do.
      chunk_first_[chunk] =
          numbering.is_contiguous() ? first_row_at(rows.num_edges() / num_chunks_ * chunk) : n * chunk / num_chunks_;
    }
    chunk_first_[0] = 0;
  }

  std::vector<std::shared_ptr<Domain>> operator()(bool is_symmetric) {
    count();
    allocate();
    fill();
    std::vector<std::shared_ptr<Domain>> domains(num_ranks_);
    workers_.each(num_ranks_, 1, [&](std::uint64_t rank, std::uint64_t, int) {
      Part& part = parts_[rank];
      domains[rank] = std::make_shared<Domain>(describe(static_cast<int>(rank)));
      Csr csr;
      csr.num_rows = static_cast<VertexId>(part.offsets.size() - 1);
      csr.num_columns = domains[rank]->num_own;
      csr.offsets = Offsets(part.offsets.freeze());
      csr.targets = part.targets.freeze();
      if constexpr (kWeighted) csr.weights = part.weights.freeze();
      domains[rank]->graph = Graph::of_domain(std::move(csr), is_symmetric);
    });
    return domains;
  }

 private:
  struct Part {
    Writable<Offset> offsets;
    Writable<VertexId> targets, ghost_ids;
    Writable<Value> weights;
  };

  std::uint64_t first_row_at(EdgeCount edge) const {
    std::uint64_t low = 0, high = rows_.num_rows;
    while (low < high) {
      const std::uint64_t middle = (low + high) / 2;
      if (rows_.offsets[middle] < edge) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  // Calls on_vertex(v, owner, place), then on_own(target, place, e) or on_ghost(v, is_new, target, rank, place, e) for
  // every edge. A place is that in `places` of the domain that gets the edge.
  template <class OnVertex, class OnOwn, class OnGhost>
  void visit(std::uint64_t chunk, Place* places, const OnVertex& on_vertex, const OnOwn& on_own,
             const OnGhost& on_ghost) const {
    std::vector<VertexId> last_ghost(num_ranks_, kNoVertex);
    const std::uint16_t* const owners = numbering_.owners.data();
    for (std::uint64_t i = chunk_first_[chunk]; i < chunk_first_[chunk + 1]; ++i) {
      const VertexId v = numbering_.vertex(i);
      const std::uint16_t home = owners[v];
      on_vertex(v, home, places[home]);
      const EdgeCount end = rows_.offsets[std::uint64_t(v) + 1];
      for (EdgeCount e = rows_.offsets[v]; e < end; ++e) {
        const VertexId target = rows_.targets[e];
        const std::uint16_t rank = owners[target];
        if (rank == home) {
          on_own(target, rank, places[rank], e);
        } else {
          on_ghost(v, !combine_ || std::exchange(last_ghost[rank], v) != v, target, rank, places[rank], e);
        }
      }
    }
  }

  void count() {
    places_.resize(num_chunks_ * num_ranks_);
    workers_.each(num_chunks_, 1, [&](std::uint64_t chunk, std::uint64_t, int) {
      visit(
          chunk, places_.data() + chunk * num_ranks_, [](VertexId, std::uint16_t, Place&) {},
          [](VertexId, std::uint16_t, Place& place, EdgeCount) { ++place.own_edge; },
          [](VertexId, bool is_new, VertexId, std::uint16_t, Place& place, EdgeCount) {
            ++place.ghost_edge;
            place.ghost += is_new;
          });
    });
  }

  void allocate() {
    parts_.resize(num_ranks_);
    for (std::uint64_t rank = 0; rank < num_ranks_; ++rank) {
      Place sum;
      for (std::uint64_t chunk = 0; chunk < num_chunks_; ++chunk) {
        Place& place = places_[chunk * num_ranks_ + rank];
        sum.own_edge += std::exchange(place.own_edge, sum.own_edge);
        sum.ghost_edge += std::exchange(place.ghost_edge, sum.ghost_edge);
        sum.ghost += std::exchange(place.ghost, sum.ghost);
      }
      for (std::uint64_t chunk = 0; chunk < num_chunks_; ++chunk) {
        places_[chunk * num_ranks_ + rank].ghost_edge += sum.own_edge;
      }
      const std::uint64_t num_own = numbering_.num_own(static_cast<int>(rank)), num_rows = num_own + sum.ghost;
      if (num_rows > kMostVertices) {
        throw CapacityError(message("domain ", rank, " of ", num_ranks_, " has ", num_own, " vertices and ", sum.ghost,
                                    " ghosts; at most ", kMostVertices, " together fit 32-bit ids; ",
                                    combine_ ? "use more domains" : "use combine=True"));
      }
      const EdgeCount num_edges = sum.own_edge + sum.ghost_edge;
      parts_[rank] = {Writable<Offset>(num_rows + 1), Writable<VertexId>(num_edges), Writable<VertexId>(sum.ghost),
                      Writable<Value>(kWeighted ? num_edges : 0)};
      parts_[rank].offsets[num_rows] = static_cast<Offset>(num_edges);
    }
  }

  void fill() {
    workers_.each(num_chunks_, 1, [&](std::uint64_t chunk, std::uint64_t, int) {
      const auto put = [&](VertexId target, std::uint16_t rank, EdgeCount to, [[maybe_unused]] EdgeCount e) {
        parts_[rank].targets[to] = numbering_.number(target, rank);
        if constexpr (kWeighted) parts_[rank].weights[to] = weights_[e];
      };
      visit(
          chunk, places_.data() + chunk * num_ranks_,
          [&](VertexId v, std::uint16_t owner, const Place& place) {
            parts_[owner].offsets[numbering_.number(v, owner)] = static_cast<Offset>(place.own_edge);
          },
          [&](VertexId target, std::uint16_t rank, Place& place, EdgeCount e) {
            put(target, rank, place.own_edge++, e);
          },
          [&](VertexId v, bool is_new, VertexId target, std::uint16_t rank, Place& place, EdgeCount e) {
            if (is_new) {
              const std::uint64_t ghost = place.ghost++;
              parts_[rank].ghost_ids[ghost] = v;
              parts_[rank].offsets[numbering_.num_own(rank) + ghost] = static_cast<Offset>(place.ghost_edge);
            }
            put(target, rank, place.ghost_edge++, e);
          });
    });
  }

  // Everything but the mirrors and the graph.
  Domain describe(int rank) const {
    Domain domain;
    domain.rank = rank;
    domain.size = numbering_.size;
    domain.num_vertices = rows_.num_rows;
    domain.num_edges = rows_.num_edges();
    domain.offsets = rows_.offsets;
    domain.num_own = static_cast<VertexId>(numbering_.num_own(rank));
    if (numbering_.is_contiguous()) {
      domain.first_id = static_cast<VertexId>(numbering_.first[rank]);
    } else if (domain.num_own > 0) {
      domain.ids =
          Array<VertexId>(numbering_.order.owner(), numbering_.order.data() + numbering_.first[rank], domain.num_own);
      domain.first_id = domain.ids[0];
    }
    domain.ghost_ids = parts_[rank].ghost_ids.freeze();
    domain.num_ghosts = static_cast<VertexId>(domain.ghost_ids.size());
    domain.ghost_first.resize(num_ranks_ + 1);
    for (const VertexId ghost : domain.ghost_ids) ++domain.ghost_first[std::size_t(numbering_.owners[ghost]) + 1];
    for (std::uint64_t r = 0; r < num_ranks_; ++r) domain.ghost_first[r + 1] += domain.ghost_first[r];
    return domain;
  }

  const Csr& rows_;
  const Weight& weights_;
  const Numbering& numbering_;
  const bool combine_;
  Workers& workers_;
  const std::uint64_t num_ranks_;
  std::uint64_t num_chunks_ = 1;
  std::vector<std::uint64_t> chunk_first_;  // places in the order of the sources
  std::vector<Place> places_;               // by chunk and rank
  std::vector<Part> parts_;                 // by rank
};

void add_mirrors(const std::vector<std::shared_ptr<Domain>>& domains, const Numbering& numbering, Workers& workers) {
  workers.each(domains.size(), 1, [&](std::uint64_t rank, std::uint64_t, int) {
    Domain& owner = *domains[rank];
    owner.mirror_first.resize(domains.size() + 1);
    for (std::size_t r = 0; r < domains.size(); ++r) {
      owner.mirror_first[r + 1] =
          owner.mirror_first[r] + domains[r]->ghost_first[rank + 1] - domains[r]->ghost_first[rank];
    }
    const Writable<VertexId> mirrors(owner.mirror_first.back());
    std::uint64_t to = 0;
    for (const std::shared_ptr<Domain>& other : domains) {
      for (VertexId ghost = other->ghost_first[rank]; ghost < other->ghost_first[rank + 1]; ++ghost) {
        mirrors[to++] = numbering.number(other->ghost_ids[ghost], static_cast<std::uint16_t>(rank));
      }
    }
    owner.mirrors = mirrors.freeze();
  });
}

// Shares the rows: all vertices are its own, by their ids.
std::shared_ptr<Domain> only_domain(const Csr& rows, bool is_symmetric) {
  auto domain = std::make_shared<Domain>();
  domain->num_vertices = domain->num_own = rows.num_rows;
  domain->num_edges = rows.num_edges();
  domain->offsets = rows.offsets;
  domain->ghost_first = {0, 0};
  domain->mirror_first = {0, 0};
  domain->graph = Graph::of_domain(rows, is_symmetric);
  return domain;
}

}  // namespace

std::vector<std::shared_ptr<const Domain>> cut(const Csr& rows, const Ownership& ownership, const CutOptions& options,
                                               Workers& workers) {
  if (ownership.size == 1) return {only_domain(rows, options.is_symmetric)};
  const Numbering numbering = Numbering::make(ownership, rows.num_rows, workers);
  // Offsets as wide as those of the whole graph: all domains have them alike.
  const auto domains = std::visit(
      [&](const auto& weights) {
        using Weight = std::decay_t<decltype(weights)>;
        const bool combine = options.combine;
        return rows.offsets.is_wide()
                   ? Cut<Weight, std::uint64_t>(rows, weights, numbering, combine, workers)(options.is_symmetric)
                   : Cut<Weight, std::uint32_t>(rows, weights, numbering, combine, workers)(options.is_symmetric);
      },
      rows.weights);
  add_mirrors(domains, numbering, workers);
  return {domains.begin(), domains.end()};
}

}  // namespace detail
}  // namespace gaspipe
