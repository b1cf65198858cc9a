// SPDX-License-Identifier: Apache-2.0
// How the published design reads memory (X. Chen et al., "ThunderGP", FPGA 2021, and its public sources, libfpga/), in
// place of hls/module/burst_read.h and source_property.h. What costs cycles there is kept; its polls are not, as every
// stream here ends with a token.
//
//   burstRead          a buffer of 128 words is filled, then emptied: 256 cycles and the memory's latency for 2048 ids
//   duplicateSources   the words of sources, to the next task and to the one behind the cache
//   stream2Command     from the first and the last source of every word: which blocks of 2^B lines to fetch, ascending,
//                      up to the block after the one that has the last source + 64
//   updateVertexCache  a block is read whole, then sent: 2 * 2^B cycles and the latency
//   readEdgesStage     two cycles for a word of 16 sources, in which a line may be taken too
#pragma once

#include "hls/module/source_property.h"
#include "hls/module/tokens.h"
#include "hls/module/uram_word.h"
#include "hls/platform.h"
#include "hls/stream.h"

namespace gaspipe {
namespace thundergp {

constexpr std::uint32_t kReadBuffer = 128;   // words
constexpr std::uint32_t kLogBlockLines = 6;  // 2^6 lines, or 2^7, by application
constexpr std::uint32_t kMostBlockLines = 128;
constexpr std::uint32_t kSourcesAhead = 64;  // vertices after the last source that a command covers

template <class T>
void burstRead(std::uint32_t first, std::uint32_t last, const Word<T>* memory, stream<WordToken<T>>& out) {
  GASPIPE_PORT(Read, port, memory);
  GASPIPE_ON_CHIP(Word<T>, buffer, kReadBuffer, BRAM);
  WordToken<T> token;
  token.end = false;
  for (std::uint32_t from = first; from < last; from += kReadBuffer) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 0 max = 8192);
    const std::uint32_t num = last - from < kReadBuffer ? last - from : kReadBuffer;
    for (std::uint32_t i = 0; i < num; ++i) {
      GASPIPE_PIPELINE(1);
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 128);
      GASPIPE_WORD(port, from + i, from + num);
      buffer[i] = memory[from + i];
    }
    for (std::uint32_t i = 0; i < num; ++i) {
      GASPIPE_PIPELINE(1);
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 128);
      token.word = buffer[i];
      write_to_stream(out, token);
    }
  }
  token.end = true;
  write_to_stream(out, token);
}

// For consumers that know how many words come: no end token.
template <class T>
void burstReadLite(std::uint32_t first, std::uint32_t last, const Word<T>* memory, stream<Word<T>>& out) {
  GASPIPE_PORT(Read, port, memory);
  GASPIPE_ON_CHIP(Word<T>, buffer, kReadBuffer, BRAM);
  for (std::uint32_t from = first; from < last; from += kReadBuffer) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 0 max = 8192);
    const std::uint32_t num = last - from < kReadBuffer ? last - from : kReadBuffer;
    for (std::uint32_t i = 0; i < num; ++i) {
      GASPIPE_PIPELINE(1);
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 128);
      GASPIPE_WORD(port, from + i, from + num);
      buffer[i] = memory[from + i];
    }
    for (std::uint32_t i = 0; i < num; ++i) {
      GASPIPE_PIPELINE(1);
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 128);
      write_to_stream(out, buffer[i]);
    }
  }
}

// A line of source properties, and its number.
template <class Property>
struct Line {
  Lanes<Property> word;
  std::uint32_t number;
  bool end;
};

// Lines that hold kSourcesAhead vertices.
template <class Property>
constexpr std::uint32_t lines_ahead() {
  return kSourcesAhead / Word<Property>::kSize;
}

inline void duplicateSources(stream<WordToken<VertexId>>& in, stream<WordToken<VertexId>>& a,
                             stream<WordToken<VertexId>>& b) {
  WordToken<VertexId> sources;
  sources.end = false;
  while (!sources.end) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 1048576);
    read_from_stream(in, sources);
    write_to_stream(a, sources);  // first: a task that waits for commands must not delay them
    write_to_stream(b, sources);
  }
}

// Runs of blocks; of `num_lines` lines there are no blocks past the last.
template <class Property>
void stream2Command(std::uint32_t num_lines, std::uint32_t log_block_lines, stream<WordToken<VertexId>>& in,
                    stream<LineRun>& out) {
  constexpr int kLastLane = Word<VertexId>::kSize - 1;
  const std::uint32_t num_blocks = (num_lines + (1u << log_block_lines) - 1) >> log_block_lines;
  WordToken<VertexId> sources;
  LineRun run;
  run.end = false;
  std::uint32_t next = 0;  // blocks before this one are requested or not needed
  while (true) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 1048576);
    read_from_stream(in, sources);
    if (sources.end) break;
    const std::uint32_t low = line_of<Property>(sources.word.lane[0]) >> log_block_lines;
    const std::uint32_t high =
        (line_of<Property>(sources.word.lane[kLastLane]) + lines_ahead<Property>()) >> log_block_lines;
    if (high >= next) {
      const std::uint32_t end = high + 2 < num_blocks ? high + 2 : num_blocks;
      run.first = low < next ? next : low;
      if (run.first < end) {
        run.count = end - run.first;
        write_to_stream(out, run);
      }
      next = high + 2;
    }
  }
  run.end = true;
  write_to_stream(out, run);
}

template <class Property>
void updateVertexCache(const Word<Property>* properties, std::uint32_t num_lines, std::uint32_t log_block_lines,
                       stream<LineRun>& in, stream<Line<Property>>& out) {
  GASPIPE_PORT(Read, port, properties);
  GASPIPE_ON_CHIP(Word<Property>, buffer, kMostBlockLines, BRAM);
  LineRun run;
  Line<Property> line;
  line.end = false;
  read_from_stream(in, run);
  while (!run.end) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 0 max = 65536);
    for (std::uint32_t block = run.first; block < run.first + run.count; ++block) {
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 65536);
      const std::uint32_t first = block << log_block_lines, whole = first + (1u << log_block_lines);
      const std::uint32_t last = whole < num_lines ? whole : num_lines;
      for (std::uint32_t i = first; i < last; ++i) {
        GASPIPE_PIPELINE(1);
        GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 128);
        GASPIPE_WORD(port, i, last);
        buffer[i - first] = properties[i];
      }
      for (std::uint32_t i = first; i < last; ++i) {
        GASPIPE_PIPELINE(1);
        GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 128);
        line.word = buffer[i - first];
        line.number = i;
        write_to_stream(out, line);
      }
    }
    read_from_stream(in, run);
  }
  line.end = true;
  write_to_stream(out, line);
}

// The cache: a copy for each of the 8 lanes that read in a cycle, each of 4 banks of 4096 words of UltraRAM, direct
// mapped; word w of a line lies in bank w % 4. A line is written in two cycles, four words in each.
template <class Property>
struct VertexCache {
  static constexpr std::uint32_t kCopies = 8, kBanks = 4, kDepth = 4096;
  static constexpr std::uint32_t kWords = kCopies * kBanks * kDepth;

  // Where the word of vertex v lies in a copy.
  static std::uint32_t at(std::uint32_t copy, VertexId v) {
    GASPIPE_PRAGMA(HLS INLINE);
    const std::uint32_t word = v / UramWord<Property>::kSize;
    return (copy * kBanks + word % kBanks) * kDepth + word / kBanks % kDepth;
  }
  static void store_half(UramWord<Property>* cache, const Line<Property>& line, int half) {
    GASPIPE_PRAGMA(HLS INLINE);
    constexpr int kSize = UramWord<Property>::kSize;
    for (int bank = 0; bank < int(kBanks); ++bank) {
      GASPIPE_PRAGMA(HLS UNROLL);
      const int from = (half * int(kBanks) + bank) * kSize;
      UramWord<Property> word;
      for (int i = 0; i < kSize; ++i) {
        GASPIPE_PRAGMA(HLS UNROLL);
        word.lane[i] = line.word.lane[from + i];
      }
      const VertexId v = line.number * Word<Property>::kSize + static_cast<VertexId>(from);
      for (std::uint32_t copy = 0; copy < kCopies; ++copy) {
        GASPIPE_PRAGMA(HLS UNROLL);
        cache[at(copy, v)] = word;
      }
    }
  }
};

// Sets of 8 edges with their sources' properties; a word of sources takes two cycles, as does every line that it has to
// wait for. A line is taken beside a word if one is to come that the command of this word covers: so lines are there
// before they are needed, and are read two cycles after they were written at the earliest. A lane is read when its line
// has come, not when the word's last has, so that sources far apart do not need a larger cache.
template <class Hooks>
void readEdgesStage(std::uint32_t num_lines, stream<WordToken<VertexId>>& sources,
                    stream<Line<typename Hooks::Property>>& lines,
                    stream<SourceToken<typename Hooks::Property, 8>>& out) {
  using Property = typename Hooks::Property;
  using Cache = VertexCache<Property>;
  constexpr int kHalf = 8;
  GASPIPE_ON_CHIP(UramWord<Property>, cache, Cache::kWords, URAM);
  GASPIPE_PRAGMA(HLS AGGREGATE variable = cache);
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = cache dim = 1 block factor = 32);
  WordToken<VertexId> ids;
  Line<Property> line;
  SourceToken<Property, kHalf> sets[2];
  std::uint32_t read_lanes[2] = {0, 0};
  bool sent[2] = {true, true};
  sets[0].end = sets[1].end = false;
  line.end = false;
  line.number = 0;
  std::uint32_t stored = 0, taken = 0, wanted = 0;  // lines before these are in the cache, were taken, are to be taken
  bool take = false;
  int half = 0;
  while (true) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 2097152);
    // A line is read two iterations after it was written at the earliest
    GASPIPE_PRAGMA(HLS DEPENDENCE variable = cache inter RAW true distance = 2);
    if (half == 0) {
      if (sent[1]) {
        read_from_stream(sources, ids);
        if (ids.end) break;
        read_lanes[0] = read_lanes[1] = 0;
        sent[0] = sent[1] = false;
        wanted = line_of<Property>(ids.word.lane[2 * kHalf - 1]) + lines_ahead<Property>() + 1;
        if (wanted > num_lines) wanted = num_lines;
      }
      stored = taken;
      take = taken < wanted;
      if (take) {
        read_from_stream(lines, line);
        taken = line.number + 1;
      }
    }
    for (int i = 0; i < kHalf; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      const VertexId v = ids.word.lane[half * kHalf + i];
      if ((read_lanes[half] >> i & 1u) == 0 && line_of<Property>(v) < stored) {
        const UramWord<Property> word = cache[Cache::at(static_cast<std::uint32_t>(i), v)];
        sets[half].property[i] = source_property<Hooks>(word.lane[v % UramWord<Property>::kSize]);
        read_lanes[half] |= 1u << i;
      }
    }
    if (!sent[half] && read_lanes[half] == 0xff) {
      write_to_stream(out, sets[half]);
      sent[half] = true;
    }
    if (take) Cache::store_half(cache, line, half);
    half ^= 1;
  }
  sets[0].end = true;
  write_to_stream(out, sets[0]);
  while (!line.end) {  // what was fetched for edges that never came
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 384);
    read_from_stream(lines, line);
  }
}

}  // namespace thundergp
}  // namespace gaspipe
