// SPDX-License-Identifier: Apache-2.0
// Pipelines of two kinds for the emulator: hls/kernel/dense_gather_scatter.h and sparse_gather_scatter.h.
#pragma once

#include "gaspipe/engine/fast_packed.h"
#include "hls/kernel/dense_gather_scatter.h"
#include "hls/kernel/dense_gather_scatter.ports.h"
#include "hls/kernel/pipelines.h"
#include "hls/kernel/sparse_gather_scatter.h"
#include "hls/kernel/sparse_gather_scatter.ports.h"

namespace gaspipe {
namespace engine {

// Lanes that have a copy of the destinations each: rows of the copies are merged to words of memory.
template <class Hooks, int lanes>
struct CopiedRows {
  using Value = typename Traits<Hooks>::Update;
  static constexpr std::uint32_t kRowSize = UramWord<Value>::kSize, kRows = Word<Value>::kSize / kRowSize;

  explicit CopiedRows(VertexId num_vertices) : rows(std::size_t(kRows) * words_of_vertices<Value>(num_vertices)) {}
  void take(int lane, const Update<Value>& update) { rows.take(lane, update.destination, update.value); }
  Word<Value> word(std::uint32_t number) {
    Word<Value> word;
    for (std::uint32_t r = 0; r < kRows; ++r) {
      UramWord<Value>(&row)[lanes] = rows.of_all(std::size_t(number) * kRows + r);
      merge_copies<Hooks>(row);
      for (std::uint32_t k = 0; k < kRowSize; ++k) word.lane[r * kRowSize + k] = row[0].lane[k];
    }
    return word;
  }
  FastRows<Hooks, lanes> rows;
};

// What both kinds have in common; `Kind` has `region<weighted>` and `Rows`.
template <class Hooks, class Kind>
struct PipelineKernel {
  using Property = typename Hooks::Property;
  using Value = typename Traits<Hooks>::Update;
  using Weight = typename Traits<Hooks>::EdgeProperty;
  using Width = PipelineConfig<kHbmPipeline>;
  static constexpr Each kInstances = Each::kUnit;
  static constexpr int kAux = Traits<Hooks>::kAux;

  static void run(const Arguments& arguments) {
    if constexpr (Traits<Hooks>::kReadsEdgeProperty) {
      if (arguments.is_weighted()) return call(arguments, [](auto... a) { Kind::template region<true>(a...); });
    }
    call(arguments, [](auto... a) { Kind::template region<false>(a...); });
  }
  // All pipelines have one copy of the properties, so these do not lie before the weights.
  static void fast(const Arguments& arguments) {
    const bool weighted = Traits<Hooks>::kReadsEdgeProperty && arguments.is_weighted();
    const auto* const properties = arguments.buffer<const Property>("updated");
    call(arguments, [&](auto... a) { gather_all(weighted, properties, a...); });
  }

 private:
  template <class F>
  static void call(const Arguments& arguments, const F& f) {
    f(arguments.buffer<const Word<std::uint32_t>>("edges"), arguments.buffer<const Word<std::uint32_t>>("memory"),
      arguments.buffer<Word<Value>>("gathered"), arguments.scalar("num_sub_partitions"),
      arguments.scalar("num_cleared"));
  }

  static void gather_all(bool weighted, const Property* properties, const Word<std::uint32_t>* edges,
                         const Word<std::uint32_t>* weights, Word<Value>* gathered, std::uint32_t num_sub_partitions,
                         std::uint32_t /*num_cleared*/) {
    constexpr std::uint32_t kLanes = Word<Weight>::kSize, kNear = near_words<Weight>(), kFar = far_words<Weight>();
    for (std::uint32_t s = 0; s < num_sub_partitions; ++s) {
      const std::uint32_t (&descriptor)[16] = edges[s].lane;
      const Word<std::uint32_t>* const words = edges + descriptor[SubPartitionLane::kFirstEdgeWord];
      const auto* const far =
          reinterpret_cast<const Word<Weight>*>(weights) + descriptor[SubPartitionLane::kFirstWeightWord];
      // Of a group of words of edges, the first, behind which are its near weights.
      const auto group = [words](std::uint32_t w) {
        return words + std::size_t(w / kGroupWords) * (kGroupWords + kNear);
      };
      fast_packed<Hooks, typename Kind::Rows>(
          descriptor,
          [&](std::uint32_t w) -> const Word<std::uint32_t>& {
            return weighted ? group(w)[w % kGroupWords] : words[w];
          },
          properties, weighted,
          [&](std::uint32_t w, int lane) {
            const std::uint32_t at = w % kGroupWords * PackedEdgeCodec::kEdgesPerWord + static_cast<unsigned>(lane);
            const std::uint32_t word = at / kLanes;  // of the group's weights
            if (word >= kNear) return far[std::size_t(w / kGroupWords) * kFar + word - kNear].lane[at % kLanes];
            return values_of<Weight>(group(w)[kGroupWords + word]).lane[at % kLanes];
          },
          gathered);
    }
  }
};

template <class Hooks>
struct DenseGatherScatterKernel : PipelineKernel<Hooks, DenseGatherScatterKernel<Hooks>> {
  using Width = PipelineConfig<kHbmPipeline>;
  using Rows = CopiedRows<Hooks, Width::kLanes>;
  static constexpr const char* kName = "dense_gather_scatter";
  static constexpr auto& kPorts = kernel::dense_gather_scatter::kPorts;
  template <bool weighted, class... Arguments>
  static void region(Arguments... arguments) {
    dense_gather_scatter<Hooks, Width, weighted>(arguments...);
  }
};

template <class Hooks>
struct SparseGatherScatterKernel : PipelineKernel<Hooks, SparseGatherScatterKernel<Hooks>> {
  using Width = PipelineConfig<kHbmPipeline>;
  using Rows = SharedRows<Hooks, Width::kPes>;
  static constexpr const char* kName = "sparse_gather_scatter";
  static constexpr auto& kPorts = kernel::sparse_gather_scatter::kPorts;
  template <bool weighted, class... Arguments>
  static void region(Arguments... arguments) {
    sparse_gather_scatter<Hooks, Width, weighted>(arguments...);
  }
};

}  // namespace engine
}  // namespace gaspipe
