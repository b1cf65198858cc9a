// SPDX-License-Identifier: Apache-2.0
// The lines of runs, as lineRead (source_property.h) sends them, for memory that serves short requests well: a loop
// over lines that starts one every cycle, whatever run it belongs to, and is longer than the memory's latency. lineRead
// waits for a run's last line before it asks for the next run.
//
// Far weights (edge_list.h) lie behind the properties, and the same loop reads them, for an AXI port has one reader in
// a region. What it reads when follows from the edges alone: groupCommands sends the lines of a group of words of
// edges, then that its weights are due. So a weight is behind the lines of its edge, in memory's answers as well, and
// neither can wait for the other, however short the FIFOs of both are.
#pragma once

#include "hls/module/edge_list.h"
#include "hls/module/source_property.h"

namespace gaspipe {

// `count` lines from `first`; then, or with no lines, the weights of a group where they are due.
struct GroupRun {
  std::uint32_t first, count;
  bool due, end;
};

static_assert(kGroupWords * PackedEdgeCodec::kEdgesPerWord <= kRunLines, "a group's lines are one run at most");

// As lineCommands, a line or a word of sources a cycle, but a run ends with its group. Sub-partitions have whole
// groups.
template <class Property>
void groupCommands(std::uint32_t num_sub_partitions, stream<MarkedSources>& in, stream<GroupRun>& out) {
  for (std::uint32_t s = 0; s < num_sub_partitions; ++s) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 256);
    MarkedSources sources;
    GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = sources.source complete);
    GroupRun run;
    run.end = false;
    std::uint8_t count = 0, in_group = 0;  // lines of the open run, words of the group
    bool take = true, open = false;
    while (true) {
      GASPIPE_PIPELINE(1);
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 1048576);
      if (take) {
        read_from_stream(in, sources);
        if (sources.end) break;
      }
      const bool needs = sources.num != 0, follows = (sources.follows & 1u) != 0;
      const bool due = take && in_group == kGroupWords;  // with the word before
      const bool sends = due || (open && needs && !follows);
      if (sends) {
        run.count = open ? count : 0;
        run.due = due;
        write_to_stream(out, run);
      }
      const bool begins = needs && (sends || !open);
      if (begins) run.first = line_of<Property>(sources.source[sources.lane % Word<VertexId>::kSize]);
      count = static_cast<std::uint8_t>(begins ? 1 : count + needs);
      in_group = static_cast<std::uint8_t>(due ? 1 : in_group + take);
      open = needs || (open && !sends);
      take = sources.num <= 1;
      sources.lane >>= 4;
      sources.follows >>= 1;
      --sources.num;
    }
    if (in_group != 0) {
      run.count = open ? count : 0;
      run.due = true;
      write_to_stream(out, run);
    }
    run.end = true;
    write_to_stream(out, run);
  }
}

// `memory` begins with the properties.
template <class Property, class Weight>
void lineFetch(const Word<std::uint32_t>* memory, std::uint32_t num_sub_partitions,
               stream<SubPartitionToken>& sub_partitions, stream<GroupRun>& in, stream<Word<Property>>& lines,
               stream<WordToken<Weight>>& far_weights) {
  GASPIPE_PORT(AheadRead, port, memory);
  SubPartitionToken sub_partition;
  GroupRun run;
  WordToken<Weight> weight;
  for (std::uint32_t s = 0; s < num_sub_partitions; ++s) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 256);
    read_from_stream(sub_partitions, sub_partition);
    std::uint32_t line = 0, weight_word = sub_partition.first_weight_word;
    std::uint8_t lines_left = 0, weights_left = 0;  // of the run
    weight.end = false;
    while (true) {
      GASPIPE_PIPELINE(1);
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 1048576);
      if (lines_left == 0 && weights_left == 0) {
        read_from_stream(in, run);
        if (run.end) break;
        line = run.first;
        lines_left = static_cast<std::uint8_t>(run.count);
        weights_left = static_cast<std::uint8_t>(run.due ? far_words<Weight>() : 0);
      }
      const bool is_line = lines_left != 0;
      const std::uint32_t at = is_line ? line : weight_word;
      GASPIPE_WORD(port, at, at + (is_line ? lines_left : weights_left));
      const Word<std::uint32_t> word = memory[at];
      if (is_line) {
        write_to_stream(lines, values_of<Property>(word));
        ++line;
        --lines_left;
      } else {
        weight.word = values_of<Weight>(word);
        write_to_stream(far_weights, weight);
        ++weight_word;
        --weights_left;
      }
    }
    weight.end = true;
    write_to_stream(far_weights, weight);
  }
}

// Without weights; words of memory may be of another type.
template <class Property, class Stored>
void lineFetch(const Word<Stored>* memory, std::uint32_t num_sub_partitions, stream<LineRun>& in,
               stream<Word<Property>>& out) {
  GASPIPE_PORT(AheadRead, port, memory);
  for (std::uint32_t s = 0; s < num_sub_partitions; ++s) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 256);
    LineRun run;
    std::uint8_t left = 0;  // of the run
    std::uint32_t line = 0;
    while (true) {
      GASPIPE_PIPELINE(1);
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 1048576);
      if (left == 0) {
        read_from_stream(in, run);
        if (run.end) break;
        line = run.first;
        left = static_cast<std::uint8_t>(run.count);
      }
      GASPIPE_WORD(port, line, line + left);
      write_to_stream(out, values_of<Property>(memory[line]));
      ++line;
      --left;
    }
  }
}

}  // namespace gaspipe
