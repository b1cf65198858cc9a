// SPDX-License-Identifier: Apache-2.0
// Domains: a graph cut into parts. A domain owns vertices and all edges into them. The source of such an edge may be
// another domain's vertex; it is then a ghost: a copy of a value, which its owner sends when it changes. So a domain
// has everything that a super-step of its own vertices reads, and the steps of the CPU and the kernels of boards run
// over its local graph unchanged.
//
// Local numbers: own vertices are 0 to num_own - 1, in the order of their ids. Ghosts follow, by owner, then by id.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "gaspipe/csr.h"
#include "gaspipe/graph.h"
#include "hls/program.h"

namespace gaspipe {

// Every domain has two tables with an entry per domain: all together take 200 MB at this number.
constexpr int kMostDomains = 1 << 12;

// Own vertices as ghosts elsewhere, by own vertex: those of v are copies[first[v]] to copies[first[v + 1] - 1]. Made
// when a run first asks for them, and kept.
class Mirrored {
 public:
  struct Copy {
    std::uint32_t rank, place;  // of those that the rank has from here
  };
  std::vector<std::uint64_t> first;
  std::vector<Copy> copies;

  template <class Make>
  const Mirrored& made(const Make& make) {
    std::call_once(once_, [&] { make(*this); });
    return *this;
  }

 private:
  std::once_flag once_;
};

struct Domain {
  int rank = 0, size = 1;
  // Of the whole graph, in the view that is walked.
  VertexId num_vertices = 0;
  EdgeCount num_edges = 0;
  Offsets offsets;
  VertexId num_own = 0, num_ghosts = 0;
  VertexId first_id = 0;
  Array<VertexId> ids;        // of own vertices, ascending; empty: first_id, first_id + 1, ...
  Array<VertexId> ghost_ids;  // of ghosts, in their order
  // Ghosts of rank r: num_own + ghost_first[r] to num_own + ghost_first[r + 1] - 1.
  std::vector<VertexId> ghost_first;
  // Own vertices that are ghosts of rank r, in the order of that rank's ghosts: mirrors[mirror_first[r]] and on.
  std::vector<std::uint64_t> mirror_first;
  Array<VertexId> mirrors;
  std::shared_ptr<Mirrored> mirrored = std::make_shared<Mirrored>();
  // Rows of own vertices and ghosts, columns of own vertices.
  std::optional<Graph> graph;

  VertexId id(VertexId own) const { return ids.size() > 0 ? ids[own] : first_id + own; }
  // Of an own vertex or a ghost.
  VertexId global(VertexId local) const { return local < num_own ? id(local) : ghost_ids[local - num_own]; }
  // The local number of a vertex that `owner` owns; kNoVertex where it is neither an own vertex nor a ghost. Of several
  // ghosts of one vertex, the first.
  VertexId local(VertexId vertex, int owner) const;
};

// The owner of every vertex. `owners` has a rank for each; empty: rank r owns the ids from first[r] to
// first[r + 1] - 1.
struct Ownership {
  int size = 1;
  std::vector<VertexId> first;  // size + 1 numbers, of contiguous parts
  Array<std::uint16_t> owners;  // of others

  bool is_contiguous() const { return !first.empty(); }
  int owner(VertexId v) const;
};

// InputError where owners are not one per vertex, or one is out of range.
void check_owners(const Array<std::uint16_t>& owners, VertexId num_vertices, int size);

// How vertices are given to domains: a file of cpp/src/domain/strategy. `rows` are the edges of the walked view.
struct DomainStrategy {
  const char* name;
  Ownership (*assign)(const Csr& rows, int size, Workers& workers);
};
const std::vector<DomainStrategy>& domain_strategies();
const DomainStrategy& find_domain_strategy(const std::string& name);  // InputError lists the known ones

// Where the domains of a run come from: a whole graph (Domains), or this process's part of a graph that no process
// holds as a whole.
class DomainSource {
 public:
  virtual ~DomainSource() = default;
  virtual int size() const = 0;
  // The part of a rank. `transitions`: the edges of Graph::transitions for this type; kNone: those of the graph. Of a
  // graph that no process holds as a whole, all ranks call this together, each for its own part.
  virtual std::shared_ptr<const Domain> domain(View view, abi::Scalar transitions, int rank,
                                               Workers& workers) const = 0;
};

struct DomainOptions {
  std::string strategy = "balanced";
  bool combine = true;  // one ghost for all edges from a vertex; else one per edge, as without combined messages
};

// A whole graph in domains. All domains of a view are built at the first request for one of them and kept; safe to use
// from several threads.
class Domains : public DomainSource {
 public:
  // InputError for unknown strategies, sizes out of range, and graphs whose edges stay in a file.
  Domains(Graph graph, std::int64_t size, DomainOptions options);
  // With a rank for every vertex; `options.strategy` only names where they come from. InputError where they are not
  // one per vertex, or one is out of range.
  Domains(Graph graph, std::int64_t size, Array<std::uint16_t> owners, DomainOptions options);

  int size() const override { return size_; }
  const Graph& graph() const { return graph_; }
  const DomainOptions& options() const { return options_; }
  std::shared_ptr<const Domain> domain(View view, abi::Scalar transitions, int rank, Workers& workers) const override;
  // Strategies that look at edges may give other owners in another view.
  std::shared_ptr<const Ownership> ownership(View view, Workers& workers) const;

 private:
  struct Cache;
  std::shared_ptr<const Ownership> find_ownership(View view, Workers& workers) const;

  const Graph graph_;
  const int size_;
  const DomainOptions options_;
  const Array<std::uint16_t> owners_;  // as handed in; empty: by the strategy
  std::shared_ptr<Cache> cache_;
};

}  // namespace gaspipe
