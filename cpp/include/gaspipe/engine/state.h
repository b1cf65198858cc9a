// SPDX-License-Identifier: Apache-2.0
// What the steps of a run share: the program, its graph, the properties and the frontier.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gaspipe/engine/optional.h"
#include "gaspipe/engine/pages.h"
#include "gaspipe/engine/workers.h"
#include "hls/types.h"

namespace gaspipe {
namespace engine {

constexpr std::uint64_t kVertexGrain = 1 << 13;  // vertices in a chunk of a plain loop over all vertices

struct FreeBlock {
  bool is_lent = false;  // memory that somebody else frees
  void operator()(void* memory) const {
    if (!is_lent) FreePages()(memory);
  }
};
template <class T>
using Block = std::unique_ptr<T[], FreeBlock>;
template <class T>
Block<T> make_block(std::size_t n) {
  return Block<T>(allocate_pages<T>(n).release());
}

// Sums of the extras of a super-step. Chunks add up on their own and are summed in the order of their first vertex, so
// that a floating-point sum does not depend on which thread took which chunk.
template <class Hooks>
class ExtraSums {
  using Traits = gaspipe::Traits<Hooks>;

 public:
  using Sum = typename Traits::Sum;
  static constexpr int kSlots = Traits::kExtraSlots;

  void start(std::size_t num_chunks) {
    chunks_.resize(num_chunks * kSlots);
    std::fill(chunks_.begin(), chunks_.end(), Sum{});
  }
  // By value: an array whose address leaves a loop is kept in memory there, not in registers.
  void set(std::size_t chunk, int k, typename Traits::Extra extra) {
    chunks_[chunk * kSlots + k] = static_cast<Sum>(extra);
  }
  const Sum* finish() {
    for (int k = 0; k < kSlots; ++k) total_[k] = Sum{};
    for (std::size_t i = 0; i < chunks_.size(); ++i) total_[i % kSlots] += chunks_[i];
    return total_;
  }
  const Sum* total() const { return total_; }
  void clear() { std::fill(total_, total_ + kSlots, Sum{}); }

 private:
  std::vector<Sum> chunks_;
  Sum total_[kSlots] = {};
};

// Vertices whose property changed in the last super-step, for programs that declare kIdempotent. Lists that would be
// too long to push are dropped (`listed` false): the next step streams everything anyway.
struct Frontier {
  std::vector<VertexId> vertices;
  EdgeCount edges = 0;  // out-edges of `vertices`
  EdgeCount size = 0;   // their number, also when not listed
  bool listed = false;
};

// One worker's share of the next frontier.
struct alignas(64) FrontierPart {
  std::vector<VertexId> vertices;
  EdgeCount edges = 0;
  EdgeCount size = 0;
  bool full = false;

  void clear() {
    vertices.clear();
    edges = size = 0;
    full = false;
  }
  void add(VertexId v, EdgeCount degree, EdgeCount most_edges) {
    ++size;
    edges += degree + 1;
    if (full) return;
    if (edges > most_edges) {
      full = true;
      vertices.clear();
    } else {
      vertices.push_back(v);
    }
  }
};

template <class Program>
struct State {
  using Hooks = typename Program::Hooks;
  using Traits = gaspipe::Traits<Hooks>;
  using Property = typename Traits::Property;
  using Update = typename Traits::Update;

  State(const Program& the_program, const abi::Run& the_run, Workers& the_workers)
      : program(the_program), run(the_run), workers(the_workers), parts(the_workers.size()) {}

  const Program& program;
  const abi::Run& run;
  Workers& workers;
  bool values_are_lent = false;
  bool property_is_borrowed = false;  // from an argument, and only to be read
  Block<Property> property;           // of every vertex, as of the last super-step
  ExtraSums<Hooks> extras;
  Frontier frontier;
  EdgeCount most_pushed_edges = 0;  // a larger frontier is not listed; 0: the program is never pushed
  std::vector<FrontierPart> parts;  // one per worker

  const abi::Csr& csr() const { return *run.csr; }
  VertexId num_vertices() const { return run.csr->num_vertices; }
  EdgeCount offset(std::uint64_t i) const {
    return run.csr->offset_bytes == 8 ? static_cast<const std::uint64_t*>(run.csr->offsets)[i]
                                      : static_cast<const std::uint32_t*>(run.csr->offsets)[i];
  }
  // Memory for a property per vertex. Once, where it may, it is that of the answers, which are written last: for those
  // who change properties in place, and for the second block of those who alternate.
  Block<Property> properties() {
    using Value = typename Program::Value;
    constexpr bool is_like =
        std::is_same_v<Property, Value> ||
        (std::is_integral_v<Property> && std::is_integral_v<Value> && sizeof(Property) == sizeof(Value));
    if (!is_like || HasPasses<Program>::value || run.keeps_properties != 0 || values_are_lent)
      return make_block<Property>(num_vertices());
    values_are_lent = true;
    return Block<Property>(static_cast<Property*>(run.values), FreeBlock{true});
  }
  EdgeCount degree(VertexId v) const { return offset(std::uint64_t(v) + 1) - offset(v); }

  // Joins the workers' parts; empties them.
  void collect_frontier() {
    frontier = {std::move(frontier.vertices), 0, 0, most_pushed_edges > 0};
    frontier.vertices.clear();
    for (FrontierPart& part : parts) {
      frontier.size += part.size;
      frontier.edges += part.edges;
      if (part.full) frontier.listed = false;
    }
    if (frontier.edges > most_pushed_edges) frontier.listed = false;
    for (FrontierPart& part : parts) {
      if (frontier.listed)
        frontier.vertices.insert(frontier.vertices.end(), part.vertices.begin(), part.vertices.end());
      part.clear();
    }
  }
};

// Fetches what lies some way ahead of `at` in an array that is streamed. A core's own prefetcher falls behind where
// reads at random keep it busy. The array may end before, or be null.
template <class T>
void fetch_ahead(const T* stream, std::uint64_t at) {
  constexpr std::uint64_t kAhead = 256;
  __builtin_prefetch(
      reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(stream) + (at + kAhead) * sizeof(T)), 0, 1);
}

// Whether a row is often not as long as the one before, as in road networks: a branch on where it ends cannot be
// foreseen then. By a sample of the rows.
template <class OffsetOf>
bool has_uneven_rows(std::uint64_t num_vertices, const OffsetOf& offset) {
  constexpr std::uint64_t kSampledRows = 1 << 10;
  const std::uint64_t stride = num_vertices / kSampledRows + 1;
  std::uint64_t num_uneven = 0, num_seen = 0;
  for (std::uint64_t v = 1; v < num_vertices; v += stride, ++num_seen) {
    num_uneven += offset(v + 1) - offset(v) != offset(v) - offset(v - 1);
  }
  return num_uneven > num_seen / 4;
}

// Weight of edge e: what is stored, or 1 where the graph has no weights.
template <class EdgeProperty>
struct Weights {
  const EdgeProperty* values;
  EdgeProperty operator[](std::uint64_t e) const { return values ? values[e] : EdgeProperty(1); }
};

}  // namespace engine
}  // namespace gaspipe
