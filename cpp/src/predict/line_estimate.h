// SPDX-License-Identifier: Apache-2.0
// Cycles that a pipeline takes over edges sorted by source, one edge after the other.
//
// ReGraph's own estimates (its host program, for 200 MHz), to the cycle:
// - little: for every 64 edges the larger of 8 cycles and a tenth of the sources passed over;
// - big: for every 4096 edges 512 cycles, and for every line of properties that has a source one more, or a sixteenth
//   of the lines since the last where that is more. What comes after the last whole window is not counted.
//
// Ours, 16 edges a cycle, and lines of properties with a source in them, one a cycle, which are asked for ahead of the
// edges, on another channel, from which some of the weights come too:
// - dense: for every word of 16 edges the larger of both, and what lanes hold updates back (lane_stalls.h);
// - sparse: for every 4096 edges.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "lane_stalls.h"
#include "pipeline_shape.h"

namespace gaspipe {
namespace predict {

// Of a word of 16 edges: cycles; those of its weights in the channel of properties; and those that lie between two
// updates of a row, of a lane that holds updates back (0: it merges them).
struct WordRates {
  double cycles = 1, far_weights = 0;
  int row_distance = 0;
};

// Cycles and lines before an edge.
struct Mark {
  EdgeCount edge;
  double cycles;
  std::uint64_t lines;
};

class LineEstimate {
 public:
  // Of ours, `rates`. Marks are kept where edges may be cut.
  LineEstimate(Estimator estimator, std::uint32_t vertices_per_line, const WordRates& rates, bool keeps_marks)
      : estimator_(estimator), vertices_per_line_(vertices_per_line), rates_(rates), keeps_marks_(keeps_marks) {
    if (rates.row_distance > 0 && estimator == Estimator::kDense) stalls_.emplace(rates.row_distance);
  }

  // `row`: of the destination, in its lane.
  void add(VertexId source, std::uint32_t row) {
    switch (estimator_) {
      case Estimator::kLittle:
        if (num_edges_ % kLittleWindow == 0 && num_edges_ > 0) {
          cycles_ += std::max<double>((source - last_source_) / kSourcesPerCycle, kLittleWindow / kPublishedEdges);
          last_source_ = source;
          mark();
        }
        pass(source);
        break;
      case Estimator::kBig:
        request(source);
        if (num_edges_ % kBigWindow == 0) {
          cycles_ =
              static_cast<double>(static_cast<std::uint64_t>(cycles_ + line_cycles_ + kBigWindow / kPublishedEdges));
          line_cycles_ = 0;
          mark();
        }
        break;
      case Estimator::kDense:
        if (num_edges_ % kWord == 0) end_word();
        request(source);
        rows_[num_edges_ % kWord] = row;
        break;
      case Estimator::kSparse:
        if (num_edges_ % kBigWindow == 0) end_window();
        request(source);
    }
    ++num_edges_;
  }
  // After the last edge.
  void finish() {
    if (num_edges_ == 0) return;
    if (estimator_ == Estimator::kDense) end_word();
    if (estimator_ == Estimator::kSparse) end_window();
  }

  EdgeCount num_edges() const { return num_edges_; }
  double cycles() const { return cycles_; }
  std::uint64_t lines() const { return lines_; }  // read
  const std::vector<Mark>& marks() const { return marks_; }

  // Of a request for a line, so many lines after the last.
  static double cycles_of_request(Estimator estimator, std::uint64_t lines_apart) {
    return estimator == Estimator::kBig ? std::max(1.0, static_cast<double>(lines_apart) / kLinesApart) : 1.0;
  }

  static constexpr EdgeCount kLittleWindow = 64, kBigWindow = 4096, kWord = 16, kPublishedEdges = 8;

 private:
  static constexpr VertexId kSourcesPerCycle = 10;
  static constexpr double kLinesApart = 16;
  static constexpr EdgeCount kWordsPerMark = 64;

  void mark() {
    if (keeps_marks_) marks_.push_back({num_edges_, cycles_, lines_});
  }
  // Lines are read from end to end, from the first with a source on.
  void pass(VertexId source) {
    const std::uint64_t line = source / vertices_per_line_;
    lines_ += num_edges_ == 0 ? 1 : line - line_;
    line_ = line;
  }
  void request(VertexId source) {
    const std::uint64_t line = source / vertices_per_line_;
    if (line != line_) line_cycles_ += cycles_of_request(estimator_, line - line_);
    lines_ += line != line_ || num_edges_ == 0;
    line_ = line;
  }
  void end_word() {
    if (num_edges_ == 0) return;
    const auto lines = static_cast<double>(lines_ - lines_before_);
    channel_cycles_ = std::max(channel_cycles_, cycles_ - kMemoryDepth) + lines + rates_.far_weights;
    cycles_ = std::max(cycles_ + std::max(rates_.cycles, lines), channel_cycles_);
    lines_before_ = lines_;
    if (stalls_) {
      const std::size_t num = (num_edges_ - 1) % kWord + 1;
      for (std::size_t lane = 0; lane < num; ++lane) stalls_->add(lane, rows_[lane], cycles_);
      cycles_ = stalls_->end_word(cycles_);
    }
    if (num_edges_ % (kWord * kWordsPerMark) == 0) mark();
  }
  void end_window() {
    if (num_edges_ == 0) return;
    const EdgeCount in_window = (num_edges_ - 1) % kBigWindow + 1;
    const auto words = static_cast<double>((in_window + kWord - 1) / kWord);
    cycles_ += std::max(line_cycles_ + words * rates_.far_weights, words * rates_.cycles);
    line_cycles_ = 0;
    mark();
  }

  Estimator estimator_;
  std::uint32_t vertices_per_line_;
  WordRates rates_;
  bool keeps_marks_;
  EdgeCount num_edges_ = 0;
  double cycles_ = 0, line_cycles_ = 0, channel_cycles_ = 0;
  std::uint64_t line_ = 0, lines_ = 0, lines_before_ = 0;
  VertexId last_source_ = 0;
  std::uint32_t rows_[kWord] = {};  // of a word of edges
  std::optional<LaneStalls> stalls_;
  std::vector<Mark> marks_;
};

}  // namespace predict
}  // namespace gaspipe
