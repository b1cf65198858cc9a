// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/fabric.h"

#include <cstdint>

#include "gaspipe/error.h"
#include "hls/kernel/apply_parts.h"
#include "hls/kernel/dense_gather_scatter.h"
#include "hls/kernel/gather_scatter.h"
#include "hls/kernel/packed_gather_scatter.h"
#include "hls/kernel/sparse_gather_scatter.h"
#include "hls/thundergp/kernel.h"
#include "leaf_luts.h"
#include "resources.h"

namespace gaspipe {
namespace predict {
namespace {

// Sums what a region declares.
class RegionSum {
 public:
  template <class Token>
  void fifo(std::uint32_t depth, int num = 1) {
    if (depth > kShiftRegister) {
      bram_ += num * blocks(depth, sizeof(Token), kBramRows, kBramBits);
    } else {
      const int bits = static_cast<int>(8 * sizeof(Token));
      luts_ += num * (depth > kPairedShiftRegister ? bits : bits / 2);
    }
  }
  template <class Word>
  void memory(std::uint32_t num_words, int num = 1) {
    bram_ += num * blocks(num_words, sizeof(Word), kBramRows, kBramBits);
  }
  void task(const std::string& leaf, int num = 1) {
    const int luts = luts_of_leaf(leaf);
    has_all_ = has_all_ && luts > 0;
    luts_ += num * luts;
  }
  void not_measured() { has_all_ = false; }

  Fabric fabric() const { return {has_all_ ? luts_ : 0, bram_}; }

 private:
  int luts_ = 0, bram_ = 0;
  bool has_all_ = true;
};

template <class Value>
struct Names {
  static constexpr bool kIsWide = sizeof(Value) == 8;
  static std::string bytes(const char* task) { return message(task, "_", sizeof(Value)); }
  static std::string bytes(const char* task, int width) { return message(task, "_", sizeof(Value), "_", width); }
  static std::string program(const char* task) { return message(task, kIsWide ? "_sssp64" : "_bfs"); }
  static std::string program(const char* task, int width) { return message(program(task), "_", width); }
  // propProcess without weights is measured for 4 bytes; of 8 it is taken as with weights, which is more.
  static std::string updates(const char* plain, const char* weighted, bool is_weighted, int lanes) {
    if (!is_weighted && !kIsWide) return message(plain, "_bfs_", lanes);
    return message(weighted, kIsWide ? "_sssp64_" : "_sssp_", lanes);
  }
};

using Ids = WordToken<VertexId>;

template <class Value, int lanes>
void add_plain(RegionSum& sum, int pes, bool is_weighted) {
  using Name = Names<Value>;
  using Tokens = TokensOf<Value, lanes>;
  sum.fifo<Ids>(kLinkDepth);            // read_sources
  sum.fifo<MarkedSources>(kLinkDepth);  // command_sources
  sum.fifo<SourcePlaces>(2 * kSourcesAhead);
  sum.fifo<LineRun>(kLinkDepth);
  sum.fifo<Word<Value>>(kMemoryDepth);  // lines
  sum.fifo<typename Tokens::Sources>(kLinkDepth);
  sum.fifo<Ids>(kMemoryDepth);  // edge_destinations
  if (is_weighted) sum.fifo<WordToken<Value>>(kMemoryDepth);
  sum.fifo<typename Tokens::Updates>(kLinkDepth, 1 + pes);
  sum.fifo<typename Tokens::Listed>(kLinkDepth, pes);
  sum.fifo<UpdateToken<Value>>(kLinkDepth, 2 * pes);  // filtered, solved
  sum.fifo<Value>(kLinkDepth, pes);
  sum.fifo<WordToken<Value>>(kMemoryDepth);  // words
  sum.memory<Word<Value>>(kWriteBurst);

  sum.task("burstRead", is_weighted ? 3 : 2);
  for (const char* task : {"markLines", "lineCommands", "lineRead", "writeBack"}) sum.task(Name::bytes(task));
  sum.task(Name::program("fetchSources", lanes));
  sum.task(Name::updates("propProcess", "propProcessWeighted", is_weighted, lanes));
  sum.task(Name::bytes("broadcast", lanes));
  for (const char* task : {"shuffleDecoder", "tupleFilter"}) sum.task(Name::bytes(task, lanes), pes);
  for (const char* task : {"rawSolver", "dstPropertyProcess"}) sum.task(Name::program(task), pes);
  sum.task(Name::bytes("collect", pes));
  if (pes != lanes) sum.not_measured();
}

// Which lines are read.
template <class Value>
void add_line_commands(RegionSum& sum) {
  sum.fifo<LineRun>(kLinkDepth);
  sum.task(Names<Value>::bytes("lineCommandsParts"));
}
// What the kernels for packed edges have in common; sub-partitions' tokens apart.
template <class Value, int lanes>
void add_packed_front(RegionSum& sum, bool is_weighted) {
  using Name = Names<Value>;
  sum.fifo<Ids>(kMemoryDepth);  // packed_edges
  sum.fifo<MarkedSources>(kLinkDepth);
  sum.fifo<SourcePlaces>(2 * kSourcesAhead);
  sum.fifo<Ids>(2 * kSourcesAhead);     // edge_destinations
  sum.fifo<Word<Value>>(kMemoryDepth);  // lines
  sum.fifo<SourceToken<Value, lanes>>(kLinkDepth);
  sum.fifo<UpdateSet<Value, lanes>>(kLinkDepth);

  sum.task(Name::bytes("decodeEdges"));
  sum.task(Name::program("fetchSourcesParts", lanes));
  sum.task(Name::updates("propProcessParts", "propProcessParts", is_weighted, lanes));
}
template <class Value, int lanes>
void add_shuffle(RegionSum& sum, int pes) {
  using Name = Names<Value>;
  sum.fifo<UpdateSet<Value, lanes>>(kLinkDepth, pes);  // pe_updates
  sum.fifo<MarkedSet<Value, lanes>>(kLinkDepth, pes);
  sum.fifo<MarkedUpdate<Value>>(kLinkDepth, pes);
  sum.fifo<MarkedRow<Value>>(kLinkDepth, pes);
  sum.fifo<UramWord<Value>>(kLinkDepth, pes);

  sum.task(Name::bytes("broadcastRows", lanes));
  for (const char* task : {"shuffleDecoderParts", "tupleFilterParts"}) sum.task(Name::bytes(task, lanes), pes);
  sum.task(Name::program("rawSolverRows", pes), pes);
  sum.task(Name::bytes("writeRows", pes));
  if (pes != lanes) sum.not_measured();
}
template <class Value, int lanes>
void add_packed(RegionSum& sum, int pes, bool is_weighted) {
  using Name = Names<Value>;
  sum.fifo<SubPartitionToken>(kSubPartitionDepth, is_weighted ? 5 : 4);
  if (is_weighted) sum.fifo<WordToken<Value>>(kMemoryDepth);
  sum.task(is_weighted ? "readSubPartitions_weighted" : "readSubPartitions_plain");
  sum.task("readEdges");
  if (is_weighted) sum.task(Name::bytes("readWeights"));
  sum.task(Name::bytes("lineReadParts"));
  add_line_commands<Value>(sum);
  add_packed_front<Value, lanes>(sum, is_weighted);
  add_shuffle<Value, lanes>(sum, pes);
  sum.task(Name::program("gatherRows", pes), pes);
}
template <class Value, int lanes>
void add_edge_list(RegionSum& sum, int num_readers, bool is_weighted) {
  using Name = Names<Value>;
  sum.fifo<SubPartitionToken>(kSubPartitionDepth, num_readers + is_weighted);
  if (is_weighted) {
    sum.fifo<WordToken<Value>>(2 * kWeightsAhead);  // near_weights
    sum.fifo<WordToken<Value>>(kMemoryDepth);       // far_weights
    sum.fifo<WordToken<Value>>(kLinkDepth);         // edge_weights
    sum.fifo<GroupRun>(kLinkDepth);
    for (const char* task : {"readEdgeList_weighted", "groupCommands", "lineFetchWeights", "joinWeights"}) {
      sum.task(Name::bytes(task));
    }
  } else {
    sum.task("readEdgeList_plain");
    add_line_commands<Value>(sum);
    sum.task(Name::bytes("lineFetch"));
  }
  add_packed_front<Value, lanes>(sum, is_weighted);
}
// exchange_parts
template <class Value>
void add_exchange(RegionSum& sum) {
  using Name = Names<Value>;
  sum.fifo<PartToken>(kApplyLinkDepth);
  sum.task(Name::bytes("readParts"));
  sum.task(Name::program("sendParts"));
  sum.task(Name::bytes("writeBackLite"));
}
template <class Value, int lanes>
void add_sparse(RegionSum& sum, int pes, bool is_weighted) {
  add_edge_list<Value, lanes>(sum, 3, is_weighted);
  add_exchange<Value>(sum);
  add_shuffle<Value, lanes>(sum, pes);
  sum.task(Names<Value>::program("gatherBank"), pes);
  if (pes != 16) sum.not_measured();
}
// A lane's rawSolver has no destinations to divide by PEs; it is taken as one that has.
template <class Value, int lanes>
void add_dense(RegionSum& sum, bool is_weighted) {
  using Name = Names<Value>;
  add_edge_list<Value, lanes>(sum, 4, is_weighted);
  add_exchange<Value>(sum);
  sum.fifo<MarkedUpdate<Value>>(kLinkDepth, lanes);
  sum.fifo<MarkedRow<Value>>(kLinkDepth, lanes);
  sum.fifo<RowGroup<Value>>(kLinkDepth, lanes);
  sum.fifo<Word<Value>>(kMemoryDepth);  // words
  sum.task(Name::bytes("splitLanes"));
  sum.task(Name::program("rawSolverRows", 16), lanes);
  sum.task(Name::program("gatherCopy"), lanes);
  sum.task(Name::program("mergeCopies"));
  sum.task(Name::bytes("writeWords"));
  if (lanes != 16) sum.not_measured();
}

// hls/thundergp: its tasks are not circuits here.
template <class Value>
void add_thundergp(RegionSum& sum, bool is_weighted) {
  constexpr std::uint32_t kDeep = thundergp::kMemoryDepth;
  const int num_reads = is_weighted ? 3 : 2;
  sum.fifo<Ids>(kDeep, 3);  // read_sources, edge_sources, edge_destinations
  sum.fifo<LineRun>(kDeep);
  sum.fifo<thundergp::Line<Value>>(kDeep);
  if (is_weighted) sum.fifo<WordToken<Value>>(kDeep);
  sum.memory<Word<Value>>(thundergp::kReadBuffer, num_reads);
  sum.memory<Word<Value>>(thundergp::kMostBlockLines);
  sum.memory<Word<Value>>(thundergp::kWriteBurst / 2, 2);  // even and odd rows
  sum.not_measured();
}

template <class Value, int lanes>
Fabric of_lanes(const FabricQuestion& question) {
  const int pes = question.pes;
  const bool is_weighted = question.is_weighted;
  RegionSum sum;
  if (question.kernel == "gather_scatter") {
    add_plain<Value, lanes>(sum, pes, is_weighted);
  } else if (question.kernel == "packed_gather_scatter") {
    add_packed<Value, lanes>(sum, pes, is_weighted);
  } else if (question.kernel == "sparse_gather_scatter") {
    add_sparse<Value, lanes>(sum, pes, is_weighted);
  } else if (question.kernel == "dense_gather_scatter") {
    add_dense<Value, lanes>(sum, is_weighted);
  } else if (question.kernel == "thundergp") {
    add_thundergp<Value>(sum, is_weighted);
  } else {
    throw InputError(message("there is no count of LUTs and BRAM for a kernel \"", question.kernel, "\""));
  }
  if (question.is_floating) sum.not_measured();
  return sum.fabric();
}
template <class Value>
Fabric of_value(const FabricQuestion& question) {
  return question.lanes == 16 ? of_lanes<Value, 16>(question) : of_lanes<Value, 8>(question);
}

template <class Value>
Fabric apply_of_value(const std::string& kernel, int num_units, bool is_floating, int num_aux) {
  using Name = Names<Value>;
  using Line = Word<Value>;
  const int num_read = 1 + num_aux;
  RegionSum sum;
  sum.fifo<Line>(kApplyMemoryDepth, num_read);  // sources, inputs
  sum.fifo<Line>(kApplyLinkDepth);              // applied
  sum.fifo<ResultWord>(kApplyLinkDepth);
  if (kernel == "apply_parts") {
    sum.fifo<Line>(kApplyMemoryDepth, 2 * num_units);    // gathered, updated: between the kernels
    sum.fifo<Line>(kApplyLinkDepth, 2 * num_units + 1);  // merged, copies
    sum.task(Name::bytes("burstReadLite"), num_read);
    sum.task(Name::bytes("passRange"), num_units + 1);
    sum.task(Name::bytes("writeBackLite"));
  } else {
    sum.fifo<Line>(kApplyMemoryDepth, 2 * num_units - 1);  // other_values, copies
    sum.fifo<Line>(kApplyLinkDepth, num_units);            // merged
    sum.task(Name::bytes("burstReadLite"), num_read + num_units);
    sum.task(Name::bytes("writeBackLite"), num_units);
  }
  if (num_units > 1) sum.task(Name::program("cuMerge"), num_units - 1);
  sum.task(Name::program("applyProcess"));
  sum.task(Name::bytes("cuDuplicate"));
  sum.task("writeSums");
  if (kernel == "thundergp") {  // thundergp::BufferedMemory has a buffer for each array
    sum.memory<Line>(thundergp::kReadBuffer, num_units + num_read);
    sum.memory<Line>(thundergp::kWriteBurst, num_units);
    sum.not_measured();
  }
  if (is_floating) sum.not_measured();
  return sum.fabric();
}

}  // namespace
}  // namespace predict

// A value that fills a word of memory (64 bytes) has other tokens; FIFOs that are BRAM have words, whatever the value.
Fabric fabric_of(const FabricQuestion& question) {
  if (question.word_bytes == 8) return predict::of_value<std::uint64_t>(question);
  Fabric fabric = predict::of_value<std::uint32_t>(question);
  if (question.word_bytes != 4) fabric.luts = 0;
  return fabric;
}

Fabric fabric_of_apply(const std::string& kernel, int num_units, int word_bytes, bool is_floating, int num_aux) {
  if (word_bytes == 8) return predict::apply_of_value<std::uint64_t>(kernel, num_units, is_floating, num_aux);
  Fabric fabric = predict::apply_of_value<std::uint32_t>(kernel, num_units, is_floating, num_aux);
  if (word_bytes != 4) fabric.luts = 0;
  return fabric;
}

}  // namespace gaspipe
