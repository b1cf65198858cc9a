// SPDX-License-Identifier: Apache-2.0
// hls/kernel/packed_gather_scatter.h for the emulator.
#pragma once

#include <vector>

#include "gaspipe/engine/emulation.h"
#include "hls/kernel/packed_gather_scatter.h"
#include "hls/kernel/packed_gather_scatter.ports.h"
#include "hls/kernel/pipelines.h"

namespace gaspipe {
namespace engine {

template <class Hooks>
struct PackedGatherScatterKernel {
  using Weight = typename Traits<Hooks>::EdgeProperty;
  using Property = typename Hooks::Property;
  using Value = typename Traits<Hooks>::Update;
  using Width = PipelineConfig<kPackedPipeline>;

  static constexpr const char* kName = "packed_gather_scatter";
  static constexpr auto& kPorts = kernel::packed_gather_scatter::kPorts;
  static constexpr Each kInstances = kernel::packed_gather_scatter::kInstances;
  static constexpr int kAux = Traits<Hooks>::kAux;

  static void run(const Arguments& arguments) {
    if constexpr (Traits<Hooks>::kReadsEdgeProperty) {
      if (arguments.is_weighted()) {
        return call(arguments, [](auto... a) { packed_gather_scatter<Hooks, Width, true>(a...); });
      }
    }
    call(arguments, [](auto... a) { packed_gather_scatter<Hooks, Width, false>(a...); });
  }
  static void fast(const Arguments& arguments) {
    call(arguments, [](auto... a) { gather_all(a...); });
  }

 private:
  template <class F>
  static void call(const Arguments& arguments, const F& f) {
    f(arguments.buffer<const Word<std::uint32_t>>("edges"), arguments.buffer<const Word<Weight>>("weights"),
      arguments.buffer<const Word<Property>>("properties"),
      arguments.buffer<const Word<std::uint32_t>>("sub_partitions"), arguments.buffer<Word<Value>>("gathered"),
      arguments.scalar("num_sub_partitions"), arguments.scalar("num_cleared"));
  }

  // Every PE takes the same updates in the same order as in the region, through the same window of rows.
  static void gather_all(const Word<std::uint32_t>* edges, const Word<Weight>* weights,
                         const Word<Property>* properties, const Word<std::uint32_t>* sub_partitions,
                         Word<Value>* gathered, std::uint32_t num_sub_partitions, std::uint32_t /*num_cleared*/) {
    for (std::uint32_t s = 0; s < num_sub_partitions; ++s) {
      const std::uint32_t(&descriptor)[16] = sub_partitions[s].lane;
      const Weight* const weight_of = Traits<Hooks>::kReadsEdgeProperty && weights != nullptr
                                          ? weights[descriptor[SubPartitionLane::kFirstWeightWord]].lane
                                          : nullptr;
      gather_one(edges[descriptor[SubPartitionLane::kFirstEdgeWord]].lane,
                 std::uint64_t(descriptor[SubPartitionLane::kNumEdgeWords]) * PackedEdgeCodec::kEdgesPerWord, weight_of,
                 properties->lane, descriptor[SubPartitionLane::kBaseSource],
                 descriptor[SubPartitionLane::kLastVertex] - descriptor[SubPartitionLane::kFirstVertex],
                 gathered + descriptor[SubPartitionLane::kFirstGatheredWord]);
    }
  }
  static void gather_one(const std::uint32_t* edges, std::uint64_t num_edges, const Weight* weights,
                         const Property* properties, VertexId source, VertexId num_vertices, Word<Value>* gathered) {
    constexpr int kPes = Width::kPes;
    using Row = UramWord<Value>;
    const std::uint32_t num_rows = rows_per_pe<Value, kPes>(0, num_vertices);
    std::vector<Row> rows(std::size_t(num_rows) * kPes, identity_row<Hooks>());  // a row of all PEs after the other
    RowSolver<Hooks> windows[kPes];
    for (auto& window : windows) window.start();
    RowUpdate<Value> row, solved;
    row.end = false;
    const auto gather = [&](int pe) {
      Row& to = rows[std::size_t(solved.row) * kPes + std::size_t(pe)];
      to = gather_row<Hooks>(to, solved);
    };
    Update<Value> update;
    for (std::uint64_t i = 0; i < num_edges; ++i) {
      source += PackedEdgeCodec::gap(edges[i]);
      const std::uint32_t to = PackedEdgeCodec::destination(edges[i]);
      if (!form_update<Hooks>(source_property<Hooks>(properties[source]),
                              to == PackedEdgeCodec::kPadding ? kNoVertex : to,
                              weights != nullptr ? weights[i] : Weight(1), update)) {
        continue;
      }
      const int pe = static_cast<int>(update.destination % kPes);
      row_update(update.destination / kPes, update.value, row);
      if (windows[pe].step(row, solved)) gather(pe);
    }
    for (int pe = 0; pe < kPes; ++pe) {
      for (int i = 0; i < kRawWindow; ++i) {
        if (windows[pe].flush(solved)) gather(pe);
      }
    }
    constexpr std::uint32_t kSize = Word<Value>::kSize, kRowWords = words_per_row<kPes>();
    for (std::uint32_t w = 0; w < (num_vertices + kSize - 1) / kSize; ++w) {
      const Row(&of_pes)[kPes] = *reinterpret_cast<const Row(*)[kPes]>(&rows[std::size_t(w / kRowWords) * kPes]);
      gathered[w] = word_of_row(of_pes, static_cast<int>(w % kRowWords));
    }
  }
};

}  // namespace engine
}  // namespace gaspipe
