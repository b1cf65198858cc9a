// SPDX-License-Identifier: Apache-2.0
// srcPropertyProcess: what the sources of a sub-partition's edges hold, in four tasks.
//
//   sources -> duplicateSources -> lineCommands -> lineRead -> lines
//                            \------ sources -------------------+--> fetchSources -> sets of `lanes` properties
//
// Sources ascend, so a property word (a line) is needed by edges that follow each other only: each line is read once,
// lines that no edge needs are not, and the FIFO of lines is the on-chip buffer that is filled ahead. Its depth hides
// the memory's latency. Edges per line is what the buffer saves: hit rate = 1 - lines / edges (Prediction.hit_rate).
//
// srcPropertyProcess is the call for a custom kernel. Ours (hls/kernel) name the four tasks in their own region:
// one level of dataflow is what tools accept best, and every task and stream has its figures.
//
// The FIFO of sources to fetchSources has to hold what lineCommands looks ahead, or the region deadlocks: declare it
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

template <class Property>
constexpr std::uint32_t line_of(VertexId v) {
  return v / Word<Property>::kSize;
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

// Which lines the sources need, as runs of consecutive ones. A line or a word of sources a cycle, whichever is more;
// the cycle is the search for the next line, from `next` over 16 comparisons to `next`.
template <class Property>
void lineCommands(stream<WordToken<VertexId>>& in, stream<LineRun>& out) {
  constexpr int kLastLane = Word<VertexId>::kSize - 1;
  WordToken<VertexId> sources;
  LineRun run = {0, 0, false};
  std::uint32_t next = 0;  // lines before this one were requested, or are not needed
  std::uint32_t age = 0;   // words of sources since the run began
  bool take = true;
  while (true) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 1048576);
    if (take) {
      read_from_stream(in, sources);
      if (sources.end) break;
      ++age;
    }
    std::uint32_t line = line_of<Property>(sources.word.lane[kLastLane]);
    const bool needed = line >= next;
    if (needed) {
      for (int i = kLastLane - 1; i >= 0; --i) {
        GASPIPE_PRAGMA(HLS UNROLL);
        const std::uint32_t other = line_of<Property>(sources.word.lane[i]);
        if (other >= next) line = other;
      }
    }
    const bool grows = run.count < kRunLines && (!needed || line == next) && age < kRunSources;
    if (run.count != 0 && !grows) {
      write_to_stream(out, run);
      run.count = 0;
    }
    if (needed) {
      if (run.count == 0) {
        run.first = line;
        age = 1;
      }
      ++run.count;
      next = line + 1;
    }
    take = line_of<Property>(sources.word.lane[kLastLane]) < next;
  }
  if (run.count != 0) write_to_stream(out, run);
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
    const std::uint32_t last = run.first + run.count;
    for (std::uint32_t i = run.first; i < last; ++i) {
      GASPIPE_PIPELINE(1);
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 64);
      GASPIPE_WORD(port, i, last);
      write_to_stream(out, properties[i]);
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

// The lanes of a set, from `first` in `sources`, whose source is in line number `at`.
template <class Hooks, int lanes>
void fill_lanes(const Word<VertexId>& sources, int first, std::uint32_t at, const Word<typename Hooks::Property>& line,
                SourceToken<typename Hooks::Property, lanes>& set) {
  GASPIPE_PRAGMA(HLS INLINE);
  using Property = typename Hooks::Property;
  for (int i = 0; i < lanes; ++i) {
    GASPIPE_PRAGMA(HLS UNROLL);
    const VertexId source = sources.lane[first + i];
    if (line_of<Property>(source) == at) {
      set.property[i] = source_property<Hooks>(line.lane[source % Word<Property>::kSize]);
    }
  }
}

// Sets of `lanes` edges with their sources' properties. A set takes a cycle, or one per line that it is the first to
// need if those are more; the cycle is the same as in lineCommands.
template <class Hooks, int lanes>
void fetchSources(stream<WordToken<VertexId>>& sources, stream<Word<typename Hooks::Property>>& lines,
                  stream<SourceToken<typename Hooks::Property, lanes>>& out) {
  using Property = typename Hooks::Property;
  constexpr int kIds = Word<VertexId>::kSize;
  static_assert(kIds % lanes == 0, "sets fill a word");
  WordToken<VertexId> ids;
  Word<Property> line;
  SourceToken<Property, lanes> set;
  set.end = false;
  std::uint32_t next = 0;  // the line at hand is the one before
  int at = kIds;           // the set's first lane in `ids`
  while (true) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 2097152);
    if (at == kIds) {
      read_from_stream(sources, ids);
      if (ids.end) break;
      at = 0;
    }
    const std::uint32_t last = line_of<Property>(ids.word.lane[at + lanes - 1]);
    if (next != 0) fill_lanes<Hooks, lanes>(ids.word, at, next - 1, line, set);
    if (last >= next) {
      std::uint32_t wanted = last;
      for (int i = lanes - 2; i >= 0; --i) {
        GASPIPE_PRAGMA(HLS UNROLL);
        const std::uint32_t other = line_of<Property>(ids.word.lane[at + i]);
        if (other >= next) wanted = other;
      }
      read_from_stream(lines, line);
      next = wanted + 1;
      fill_lanes<Hooks, lanes>(ids.word, at, wanted, line, set);
    }
    if (last < next) {
      write_to_stream(out, set);
      at += lanes;
    }
  }
  set.end = true;
  write_to_stream(out, set);
}

// All of it, from the ids of sources as burstRead sends them. The published call also takes the destinations and sends
// both; here propProcess joins them.
template <class Hooks, int lanes>
void srcPropertyProcess(const Word<typename Hooks::Property>* properties, stream<WordToken<VertexId>>& sources,
                        stream<SourceToken<typename Hooks::Property, lanes>>& out) {
  using Property = typename Hooks::Property;
  using Ids = WordToken<VertexId>;
  using Line = Word<Property>;

  GASPIPE_DATAFLOW;
  GASPIPE_STREAM(Ids, command_sources, 16);
  GASPIPE_STREAM(Ids, edge_sources, 2 * kSourcesAhead, kSourcesAhead);
  GASPIPE_STREAM(LineRun, runs, 16);
  GASPIPE_STREAM(Line, lines, kLinesAhead);
  GASPIPE_TASK(duplicateSources(sources, command_sources, edge_sources));
  GASPIPE_TASK(lineCommands<Property>(command_sources, runs));
  GASPIPE_TASK(lineRead<Property>(properties, runs, lines));
  GASPIPE_TASK(fetchSources<Hooks, lanes>(edge_sources, lines, out));
  GASPIPE_RUN;
}

}  // namespace gaspipe
