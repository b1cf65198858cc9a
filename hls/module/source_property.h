// SPDX-License-Identifier: Apache-2.0
// srcPropertyProcess: what the sources of a sub-partition's edges hold, in four tasks.
//
//   sources --> markLines --> lineCommands --> lineRead -- lines --+
//                     \------------ places ---------------> fetchSources --> sets of `lanes` properties
//
// Sources ascend, so a property word (a line) is needed by edges that follow each other only: each line is read once,
// lines that no edge needs are not, and the FIFO of lines is the on-chip buffer that is filled ahead. Its depth hides
// the memory's latency. Edges per line is what the buffer saves: hit rate = 1 - lines / edges (Prediction.hit_rate).
//
// Which lanes of a word are the first to need a line depends on the word and the source before it alone, so markLines
// finds that in a pipeline that nothing feeds back into. What one cycle of lineCommands and fetchSources hands to the
// next is a few bits and small counters: with 32-bit comparisons there instead, their loops close at a third of the
// clock. fetchSources gets a source's place in its line, 4 bits, and not the source.
//
// srcPropertyProcess is the call for a custom kernel. Ours (hls/kernel) name the four tasks in their own region:
// one level of dataflow is what tools accept best, and every task and stream has its figures.
//
// The FIFO of places to fetchSources has to hold what lineCommands looks ahead, or the region deadlocks: declare it
// with GASPIPE_STREAM(..., kSourcesAhead). All others work from a depth of 1.
// Method: X. Chen et al., "ThunderGP", FPGA 2021; there a direct-mapped cache with a fixed prefetch.
#pragma once

#include "hls/module/tokens.h"
#include "hls/platform.h"
#include "hls/stream.h"

namespace gaspipe {

constexpr std::uint32_t kRunLines = 64;    // most lines of a run: a burst of 4 KB
constexpr std::uint32_t kRunSources = 64;  // words of sources after which a run is sent though it might grow
// Least depth of the FIFO of sources: those of a run, and as many for what the hardware's pipelines hold back.
constexpr std::uint32_t kSourcesAhead = 2 * kRunSources;
// Depth of the FIFO of lines: as deep as a memory's latency is long.
constexpr int kLinesAhead = 128;

constexpr std::uint32_t kNoLine = 0xffffffffu;  // before the first source

template <class Property>
constexpr std::uint32_t line_of(VertexId v) {
  return v / Word<Property>::kSize;
}

// A word of sources, for lineCommands. A lane needs a line if it is the first to do so.
struct MarkedSources {
  VertexId source[16];
  std::uint64_t lane;     // those that need a line, in order, 4 bits each from the lowest on
  std::uint16_t follows;  // likewise, a bit each: the line is the one after the line before
  std::uint8_t num;       // how many need a line
  bool end;
};
// The same word, for fetchSources.
struct SourcePlaces {
  std::uint64_t place;  // of each lane's source in its line, 4 bits each
  std::uint16_t first;  // bit per lane: needs a line
  std::uint8_t num[2];  // how many of lanes 0 to 7, and 8 to 15, need a line
  bool end;
};

// Marks a word of sources; `last` is the line of the source before, and then of the word's last.
template <class Property>
void mark_lines(const VertexId (&sources)[16], std::uint32_t& last, MarkedSources& marked, SourcePlaces& places) {
  GASPIPE_PRAGMA(HLS INLINE);
  constexpr int kIds = Word<VertexId>::kSize;
  std::uint64_t lane = 0, place = 0;
  std::uint32_t first = 0, follows = 0, num = 0, num_low = 0;
  for (int i = 0; i < kIds; ++i) {
    GASPIPE_PRAGMA(HLS UNROLL);
    const VertexId source = sources[i];
    const std::uint32_t line = line_of<Property>(source);
    const bool is_first = line != last;
    if (i == kIds / 2) num_low = num;
    marked.source[i] = source;
    place |= static_cast<std::uint64_t>(source % Word<Property>::kSize) << (4 * i);
    first |= static_cast<std::uint32_t>(is_first) << i;
    if (is_first) lane |= static_cast<std::uint64_t>(i) << (4 * num);
    follows |= static_cast<std::uint32_t>(line == last + 1) << num;
    num += is_first;
    last = line;
  }
  marked.lane = lane;
  marked.follows = static_cast<std::uint16_t>(follows);
  marked.num = static_cast<std::uint8_t>(num);
  places.place = place;
  places.first = static_cast<std::uint16_t>(first);
  places.num[0] = static_cast<std::uint8_t>(num_low);
  places.num[1] = static_cast<std::uint8_t>(num - num_low);
}

template <class Property>
void markLines(stream<WordToken<VertexId>>& in, stream<MarkedSources>& commands, stream<SourcePlaces>& edges) {
  WordToken<VertexId> sources;
  MarkedSources marked;
  SourcePlaces places;
  std::uint32_t last = kNoLine;
  sources.end = false;
  while (!sources.end) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 1048576);
    read_from_stream(in, sources);
    mark_lines<Property>(sources.word.lane, last, marked, places);
    marked.end = places.end = sources.end;
    write_to_stream(commands, marked);  // first: a task that waits for commands must not delay them
    write_to_stream(edges, places);
  }
}

// Which lines the sources need, as runs of consecutive ones. A line or a word of sources a cycle, whichever is more.
// A run ends where the next line does not follow it, at kRunLines, and in the cycle that takes the last of kRunSources
// words since it began.
template <class Property>
void lineCommands(stream<MarkedSources>& in, stream<LineRun>& out) {
  MarkedSources sources;
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = sources.source complete);
  LineRun run;
  run.end = false;
  std::uint8_t count = 0, age = 0;  // of the open run: its lines, and the words of sources since it began
  bool take = true, open = false, is_full = false;  // a run is open; it has kRunLines
  while (true) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 1048576);
    if (take) {
      read_from_stream(in, sources);
      if (sources.end) break;
    }
    const bool needs = sources.num != 0, follows = (sources.follows & 1u) != 0;
    const bool sends = open && (is_full || (take && age == kRunSources - 1) || (needs && !follows));
    if (sends) {
      run.count = count;
      write_to_stream(out, run);
    }
    const bool begins = needs && (sends || !open);
    if (begins) run.first = line_of<Property>(sources.source[sources.lane % Word<VertexId>::kSize]);
    is_full = !begins && needs && count == kRunLines - 1;
    count = static_cast<std::uint8_t>(begins ? 1 : count + needs);
    age = static_cast<std::uint8_t>(begins ? 1 : age + take);
    open = needs || (open && !sends);
    take = sources.num <= 1;
    sources.lane >>= 4;
    sources.follows >>= 1;
    --sources.num;
  }
  if (open) {
    run.count = count;
    write_to_stream(out, run);
  }
  run.end = true;
  write_to_stream(out, run);
}

// The lines of the runs. A run's pipeline drains before the next run is read: its last line must not wait for a run
// that comes only after that line was used.
template <class Property>
void lineRead(const Word<Property>* properties, stream<LineRun>& in, stream<Word<Property>>& out) {
  GASPIPE_PORT(Read, port, properties);
  LineRun run;
  read_from_stream(in, run);
  while (!run.end) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 0 max = 65536);
    const std::uint8_t count = static_cast<std::uint8_t>(run.count);  // at most kRunLines: a short comparison
    for (std::uint8_t i = 0; i < count; ++i) {
      GASPIPE_PIPELINE(1);
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 64);
      GASPIPE_WORD(port, run.first + i, run.first + count);
      write_to_stream(out, properties[run.first + i]);
    }
    read_from_stream(in, run);
  }
}

// What the pipeline carries for an edge's source.
template <class Hooks>
typename Hooks::Property source_property(typename Hooks::Property property) {
  GASPIPE_PRAGMA(HLS INLINE);
  return Hooks::preprocessProperty(property);
}

// Sets of `lanes` edges with their sources' properties. A set takes a cycle, or one per line that it is the first to
// need if those are more. A cycle's lanes before the first that needs a line have the line at hand, those from it on
// the one that is read; of these, a later line replaces what they got.
template <class Hooks, int lanes>
void fetchSources(stream<SourcePlaces>& places, stream<Word<typename Hooks::Property>>& lines,
                  stream<SourceToken<typename Hooks::Property, lanes>>& out) {
  using Property = typename Hooks::Property;
  static_assert(lanes == 8 || lanes == 16, "a word is two sets or one");
  constexpr std::uint32_t kAll = (1u << lanes) - 1;
  SourcePlaces word = {};  // the set's lanes are its lowest
  Word<Property> line, next;
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = line.lane complete);
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = next.lane complete);
  Property found[lanes] = {};
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = found complete);
  std::uint32_t pending = 0;         // lanes that wait for a line
  std::uint8_t left = 0;             // how many
  bool take = true, second = false;  // the cycle begins a set; it is the word's second
  while (true) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 2097152);
    const bool begins = take;
    if (begins) {
      if (!second) {
        read_from_stream(places, word);
        if (word.end) break;
        left = static_cast<std::uint8_t>(lanes == 8 ? word.num[0] : word.num[0] + word.num[1]);
      } else {
        word.place >>= 32;
        word.first >>= 8;
        left = word.num[1];
      }
      pending = word.first & kAll;
    }
    if (left != 0) read_from_stream(lines, next);
    const std::uint32_t from_next = 0u - (pending & (0u - pending));  // from the lowest bit on
    for (int i = 0; i < lanes; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      const std::uint32_t place = static_cast<std::uint32_t>(word.place >> (4 * i)) % Word<Property>::kSize;
      if (begins) found[i] = line.lane[place];
      if ((from_next >> i & 1u) != 0) found[i] = next.lane[place];
    }
    line = next;
    pending &= pending - 1;
    take = left <= 1;
    --left;
    if (take) {
      SourceToken<Property, lanes> set;
      for (int i = 0; i < lanes; ++i) {
        GASPIPE_PRAGMA(HLS UNROLL);
        set.property[i] = source_property<Hooks>(found[i]);
      }
      set.end = false;
      write_to_stream(out, set);
      second = lanes == 8 && !second;
    }
  }
  SourceToken<Property, lanes> end = {};
  end.end = true;
  write_to_stream(out, end);
}

// All of it, from the ids of sources as burstRead sends them. The published call also takes the destinations and sends
// both; here propProcess joins them.
template <class Hooks, int lanes>
void srcPropertyProcess(const Word<typename Hooks::Property>* properties, stream<WordToken<VertexId>>& sources,
                        stream<SourceToken<typename Hooks::Property, lanes>>& out) {
  using Property = typename Hooks::Property;
  using Line = Word<Property>;

  GASPIPE_DATAFLOW;
  GASPIPE_STREAM(MarkedSources, command_sources, 16);
  GASPIPE_STREAM(SourcePlaces, edge_sources, 2 * kSourcesAhead, kSourcesAhead);
  GASPIPE_STREAM(LineRun, runs, 16);
  GASPIPE_STREAM(Line, lines, kLinesAhead);
  GASPIPE_TASK(markLines<Property>(sources, command_sources, edge_sources));
  GASPIPE_TASK(lineCommands<Property>(command_sources, runs));
  GASPIPE_TASK(lineRead<Property>(properties, runs, lines));
  GASPIPE_TASK(fetchSources<Hooks, lanes>(edge_sources, lines, out));
  GASPIPE_RUN;
}

}  // namespace gaspipe
