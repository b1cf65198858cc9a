// SPDX-License-Identifier: Apache-2.0
// The sources of a sub-partition's edges, slice by slice, and the part of the edges that a super-step has to stream: a
// window, from the first slice with a source that may send to the last one. Sources ascend, so a slice's lie between
// the last ones of the slice before and its own.
#pragma once

#include <vector>

#include "gaspipe/active_sources.h"
#include "hls/types.h"

namespace gaspipe {

// Words of 16 edges each, one after the other.
struct EdgeWindow {
  std::uint32_t first_word = 0, num_words = 0;
  VertexId base_source = 0;                   // the source before the first word's (PackedEdgeCodec)
  EdgeCount edges_before = 0, num_edges = 0;  // without padding

  // With all that comes before it.
  EdgeWindow from_first() const {
    if (num_words == 0) return {};
    return {0, first_word + num_words, base_source, 0, edges_before + num_edges};
  }
};

class EdgeSlices {
 public:
  static constexpr std::uint32_t kWords = 64;  // of a slice

  EdgeSlices() = default;
  // No source is below `base`.
  explicit EdgeSlices(VertexId base) : base_(base) {}
  // The next word: its last source, that of padding too, and its edges.
  void add(VertexId last_source, int num_edges) {
    if (num_words_++ % kWords == 0) ends_.push_back(ends_.empty() ? End{base_, 0} : ends_.back());
    ends_.back().source = last_source;
    ends_.back().edges += static_cast<unsigned>(num_edges);
  }
  std::uint32_t num_words() const { return num_words_; }

  EdgeWindow whole() const { return window(0, ends_.size()); }
  // Without words where no source may send.
  EdgeWindow window(const ActiveSources& active) const {
    std::size_t first = 0, last = ends_.size();
    while (first < last && !active.any(before(first).source, ends_[first].source)) ++first;
    while (last > first && !active.any(before(last - 1).source, ends_[last - 1].source)) --last;
    return window(first, last);
  }

 private:
  struct End {
    VertexId source;
    EdgeCount edges;  // up to here
  };

  End before(std::size_t slice) const { return slice == 0 ? End{base_, 0} : ends_[slice - 1]; }
  EdgeWindow window(std::size_t first, std::size_t last) const {
    if (first == last) return {};
    const std::uint32_t from = static_cast<std::uint32_t>(first) * kWords;
    const std::uint32_t to = last == ends_.size() ? num_words_ : static_cast<std::uint32_t>(last) * kWords;
    const End start = before(first);
    return {from, to - from, start.source, start.edges, ends_[last - 1].edges - start.edges};
  }

  VertexId base_ = 0;
  std::uint32_t num_words_ = 0;
  std::vector<End> ends_;
};

// What kernels can leave out of a sub-partition's edges: none, those behind the window, or all outside of it.
enum class Skips { kNothing, kEnd, kBothEnds };

// Which edges are idle is known once the host has read what apply wrote. A super-step that streams all need not wait
// for that (cpp/src/backend/card/device.h), and ends sooner if the idle ones are streamed in less time than the host
// takes. How many there will be is guessed by the super-step before, where a wrong guess costs no more than a right one
// gains.
struct Haste {
  double edges_per_second;  // of all units
  double host_seconds;

  // `num_idle` of `num_edges` were passed over last, or could have been.
  bool pays(EdgeCount num_idle, EdgeCount num_edges) const {
    const double in_time = edges_per_second * host_seconds;
    return static_cast<double>(num_idle) < in_time && static_cast<double>(num_edges) <= 2 * in_time;
  }
};

// With edges, without any (what is gathered becomes identity), or not at all.
enum class GatherLaunch { kStream, kClear, kNone };

// What a super-step launches.
struct StepLaunches {
  std::vector<EdgeWindow> windows;    // per partition and compute unit
  std::vector<GatherLaunch> gathers;  // likewise
  std::vector<char> applies;          // per partition: whether apply is launched
  bool streams_all = true;
};

}  // namespace gaspipe
