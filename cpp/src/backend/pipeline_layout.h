// SPDX-License-Identifier: Apache-2.0
// A graph as a design with two kinds of pipelines has it in memory (hls/module/edge_list.h, parts.h): vertices by
// falling in-degree, of every pipeline its descriptors and edges, with some of the weights, in one array and the other
// weights in a second one, behind the properties.
#pragma once

#include <vector>

#include "cpp/src/predict/pipeline_plan.h"
#include "gaspipe/abi.h"
#include "gaspipe/active_sources.h"
#include "gaspipe/boards.h"
#include "gaspipe/csr.h"
#include "gaspipe/edge_slices.h"
#include "gaspipe/workers.h"
#include "hls/word.h"

namespace gaspipe {

class PipelineLayout {
 public:
  using Words = std::vector<Word<std::uint32_t>>;

  struct Sizes {
    std::uint64_t property_bytes, update_bytes, weight_bytes;  // of a vertex, of an edge; 0: no weights
    std::uint64_t property_words;  // room for properties in every pipeline's memory; 0: they are elsewhere
  };
  // Words of edges that lie together, of the weights behind them, and of their weights elsewhere.
  struct Group {
    std::uint32_t edges, near, far;
  };
  struct Pipeline {
    Words edges;        // room for descriptors, those of what a super-step streams, then edges and near weights
    Words memory;       // properties, then far weights
    Words descriptors;  // of all sub-partitions, in full
    std::uint32_t num_sub_partitions = 0;
    std::uint64_t gathered_words = 0;
    EdgeCount num_edges = 0;         // without padding
    std::vector<EdgeSlices> slices;  // by sub-partition
  };

  // `weights` are those of the edges of `csr`, of `sizes.weight_bytes` each. CapacityError where a pipeline's arrays
  // exceed one of its two pseudo-channels.
  PipelineLayout(const predict::PipelinePlan& plan, int num_pipelines, const Csr& csr, const Sizes& sizes,
                 const Array<std::uint8_t>& weights, const Board& board, const char* config, Workers& workers);

  // What a super-step streams of a pipeline: descriptors, in their order.
  struct Streamed {
    Words descriptors;
    EdgeCount num_edges = 0;  // without padding
  };
  // Without what no vertex sends along; `active` null: all.
  void select(std::size_t pipeline, const ActiveSources* active, Streamed& streamed) const;
  EdgeCount num_edges() const;                            // of all pipelines
  EdgeCount num_idle(const ActiveSources& active) const;  // that no vertex sends along, of all pipelines

  std::uint64_t property_words() const { return property_words_; }  // room in every pipeline's memory
  const std::vector<Pipeline>& pipelines() const { return pipelines_; }
  std::vector<Pipeline>& pipelines() { return pipelines_; }
  // Arrays by vertex into the order of the design, and back. `to` and `from` are whole 64-byte words.
  void order(const void* from, void* to, std::uint64_t value_bytes, Workers& workers) const;
  void restore(const void* from, void* to, std::uint64_t value_bytes, Workers& workers) const;

 private:
  struct Edges;

  void count(const predict::PipelinePlan& plan, std::uint64_t update_bytes);
  void lay_out(const predict::PipelinePlan& plan, std::size_t pipeline, const Edges& edges, const Sizes& sizes,
               const Array<std::uint8_t>& weights);

  Group group_;
  std::uint64_t property_words_;
  std::vector<VertexId> vertices_;  // by the design's order
  std::vector<Pipeline> pipelines_;
};

}  // namespace gaspipe
