// SPDX-License-Identifier: Apache-2.0
// A graph of the core as engines of frontier programs take it: what is lent, and what is made of it for pulls.
#pragma once

#include <memory>
#include <numeric>
#include <utility>
#include <variant>

#include "gaspipe/frontier/edge_functors.h"
#include "gaspipe/frontier/threads.h"
#include "gaspipe/graph.h"
#include "gaspipe/rows.h"

namespace gaspipe {
namespace frontier {

class Source {
 public:
  Source(const Graph& graph, Threads& threads) : graph_(graph), threads_(threads) {}
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  const Graph& graph() const { return graph_; }

  // As LentGraph::in_edges says. `self` is a Source.
  static const abi::Csr* in_edges(void* self, bool with_places, bool are_needed) {
    return static_cast<Source*>(self)->in_edges(with_places, are_needed);
  }

 private:
  const abi::Csr* in_edges(bool with_places, bool are_needed) {
    Workers& workers = threads_.workers();
    if (with_places) {
      if (!are_needed && !std::exchange(was_missed_, true)) return nullptr;
      const Csr& csr = *graph_.csr();
      const Writable<Place> places(csr.num_edges());
      std::iota(places.data(), places.data() + places.size(), Place(0));
      // Of a domain, ghosts get rows too.
      placed_ = transpose({csr.num_rows, csr.num_rows, csr.offsets, csr.targets, places.freeze()}, workers);
      const auto& placed = std::get<Array<Place>>(placed_.weights);
      placed_table_ = table_of(placed_, placed.data());
      return &placed_table_;
    }
    reverse_ = graph_.in_edges(View::kForward, /*with_weights=*/false, are_needed, workers);
    if (!reverse_) return nullptr;
    reverse_table_ = table_of(*reverse_);
    return &reverse_table_;
  }

  const Graph graph_;
  Threads& threads_;
  std::shared_ptr<const Csr> reverse_;
  abi::Csr reverse_table_{};
  Csr placed_;  // the reverse, its weights the edges' places
  abi::Csr placed_table_{};
  bool was_missed_ = false;
};

}  // namespace frontier
}  // namespace gaspipe
