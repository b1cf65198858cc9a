// SPDX-License-Identifier: Apache-2.0
// A program's kernels behind abi::Kernels.
#pragma once

#include "gaspipe/engine/kernel/apply.h"
#include "gaspipe/engine/kernel/apply_parts.h"
#include "gaspipe/engine/kernel/gather_scatter.h"
#include "gaspipe/engine/kernel/packed_gather_scatter.h"
#include "gaspipe/engine/kernel/two_kinds.h"

namespace gaspipe {
namespace engine {

template <class Hooks>
std::uint64_t sent_updates(const abi::PlainEdges* edges, std::uint32_t* destinations) {
  using Traits = gaspipe::Traits<Hooks>;
  using Weight = typename Traits::EdgeProperty;
  const auto* weights = Traits::kReadsEdgeProperty ? static_cast<const Weight*>(edges->weights) : nullptr;
  const auto* properties = static_cast<const typename Traits::Property*>(edges->properties);
  std::uint64_t num_sent = 0;
  Update<typename Traits::Update> update;
  for (std::uint64_t i = 0; i < edges->num_edges; ++i) {
    const bool sent = form_update<Hooks>(source_property<Hooks>(properties[edges->sources[i]]), edges->destinations[i],
                                         weights != nullptr ? weights[i] : Weight(1), update);
    destinations[i] = sent ? edges->destinations[i] : PlainEdgeCodec::kPadding;
    num_sent += sent;
  }
  return num_sent;
}

template <class Hooks>
void mark_sources(const void* properties, std::uint64_t num_vertices, std::uint64_t* bits) {
  const auto* const property = static_cast<const typename Hooks::Property*>(properties);
  for (std::uint64_t v = 0; v < num_vertices; ++v) {
    bits[v / 64] |= std::uint64_t(Traits<Hooks>::is_source(property[v])) << v % 64;
  }
}

// Every kernel that runs hooks; a new one has its line here. `More`: those of one algorithm.
template <class Hooks, bool is_whole, template <class> class... More>
struct EmulatedKernels {
  static constexpr abi::Kernel all[] = {
      emulated_kernel<GatherScatterKernel<Hooks>>(),
      emulated_kernel<PackedGatherScatterKernel<Hooks>>(),
      emulated_kernel<ApplyKernel<Hooks>>(),
      emulated_kernel<DenseGatherScatterKernel<Hooks>>(),
      emulated_kernel<SparseGatherScatterKernel<Hooks>>(),
      emulated_kernel<ApplyPartsKernel<Hooks>>(),
      emulated_kernel<More<Hooks>>()...,
  };
};
// Where a value fills a word of memory: packed rows hold values of 4 and 8 bytes.
template <class Hooks, template <class> class... More>
struct EmulatedKernels<Hooks, true, More...> {
  static constexpr abi::Kernel all[] = {
      emulated_kernel<GatherScatterKernel<Hooks>>(),
      emulated_kernel<ApplyKernel<Hooks>>(),
  };
};

template <class Hooks, template <class> class... More>
constexpr abi::Kernels emulated_kernels() {
  using Table = EmulatedKernels<Hooks, fills_word<typename Traits<Hooks>::Property>(), More...>;
  return {sizeof Table::all / sizeof Table::all[0], Table::all,
          Traits<Hooks>::kFilters ? sent_updates<Hooks> : nullptr,
          contract::Source<Hooks>::declared ? mark_sources<Hooks> : nullptr};
}

}  // namespace engine
}  // namespace gaspipe
