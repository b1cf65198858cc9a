// SPDX-License-Identifier: Apache-2.0
#include "pipeline_timer.h"

#include <algorithm>

#include "gaspipe/boards.h"
#include "gaspipe/error.h"
#include "gaspipe/kernel_runs.h"
#include "hls/module/edge_list.h"
#include "hls/module/latency.h"
#include "pipeline_fit.h"

namespace gaspipe {
namespace predict {
namespace {

constexpr std::uint64_t kLineBytes = 64, kEdgesPerWord = 16;
constexpr std::uint64_t kOldAndNew = 2;  // properties

enum Task { kDenseEdges, kDenseSources, kDenseFlush, kSparseEdges, kSparseSources, kSparseFlush, kApplyTask };
const char* const kTasks[] = {"dense edges",    "dense sources", "dense flush", "sparse edges",
                              "sparse sources", "sparse flush",  "apply"};

int merge_cycles(const TimedNumbers& numbers) {
  if (!numbers.is_floating) return Latency<int>::kAdd;
  if (numbers.is_idempotent) return Latency<double>::kCompare;
  return numbers.word_bytes == 8 ? Latency<double>::kAdd : Latency<float>::kAdd;
}
// Of a row of URAM: to read it, to merge into it, and to write it.
int row_cycles(const TimedNumbers& numbers, const PipelineShape& shape) {
  return shape.uram_latency + merge_cycles(numbers) + kMemoryWrite;
}
// Cycles between two words of edges: as the decoder takes them, and, where rawSolver merges updates, as a row is
// updated that comes again after kRawWindow others at the earliest (hls/module/latency.h).
int word_interval(const TimedNumbers& numbers, const PipelineShape& shape) {
  if (merge_cycles(numbers) > 1) return shape.decoder_interval;
  return std::max(shape.decoder_interval, (row_cycles(numbers, shape) + kRawWindow) / (kRawWindow + 1));
}
// Of an edge, in a pipeline's channel of edges and in that of properties. A published design has weights with the
// edges; a group of ours is as many edges as a word has bytes (hls/module/edge_list.h).
EdgeBytes bytes_of_edge(const PipelineShape& shape, int weight_bytes) {
  const auto edge = static_cast<std::uint64_t>(shape.edge_bytes), weight = static_cast<std::uint64_t>(weight_bytes);
  if (weight == 0 || shape.is_cut_everywhere) return {edge + weight, 0};
  static_assert(kGroupWords * kEdgesPerWord == kLineBytes, "a word of a group is a byte of each of its edges");
  const std::uint64_t near = weight == 4 ? near_words<std::uint32_t>() : near_words<std::uint64_t>();
  return {edge + near, weight - near};
}

}  // namespace

PlanOptions plan_options(const PipelineQuestion& question) {
  const PipelineShape& shape = question.shape;
  const auto word_bytes = static_cast<std::uint64_t>(question.numbers.word_bytes);
  PlanOptions options;
  options.vertices_per_line = static_cast<std::uint32_t>(kLineBytes / word_bytes);
  options.shrink = static_cast<VertexId>(word_bytes / 4);
  if (shape.is_cut_everywhere) return options;  // published: in its estimates
  const EdgeBytes edge = bytes_of_edge(shape, question.weight_bytes);
  const double per_cycle =
      std::min<double>(kLineBytes, bytes_per_second(question.board.memory) / (question.clock_mhz * 1e6));
  const auto cycles_of = [&](std::uint64_t bytes) { return static_cast<double>(kEdgesPerWord * bytes) / per_cycle; };
  options.word.cycles = std::max<double>(word_interval(question.numbers, shape), cycles_of(edge.with_edges));
  options.word.far_weights = cycles_of(edge.with_properties);
  if (merge_cycles(question.numbers) > 1) options.word.row_distance = row_cycles(question.numbers, shape);
  return options;
}

PipelineTimer::PipelineTimer(const PipelineQuestion& question, Workers& workers)
    : shape_(question.shape),
      board_(question.board),
      options_(plan_options(question)),
      clock_mhz_(question.clock_mhz),
      num_vertices_(question.csr.num_columns),
      word_bytes_(static_cast<std::uint64_t>(question.numbers.word_bytes)),
      edge_bytes_(bytes_of_edge(question.shape, question.weight_bytes)),
      plan_(plan_pipelines(question.csr, shape_, options_, workers)),
      num_own_(question.csr.num_columns) {
  check_channels(question.config, board_, bytes(question.csr.num_edges()));
  if (question.skips_idle) find_slices(question.csr, workers);
  time_step(nullptr);
}

// Partitions' edges, by ascending source, as the plan has cut them.
void PipelineTimer::find_slices(const Csr& csr, Workers& workers) {
  constexpr VertexId kBlock = 16, kPoll = 1 << 14;  // partitions are whole blocks
  struct Cursor {
    std::vector<std::size_t> slices;  // in the order of their edges
    std::size_t at = 0;
    EdgeCount edge = 0;
    VertexId last_source = 0;
    int in_word = 0;
  };
  std::vector<Cursor> cursors(plan_.partitions.size());
  std::vector<std::uint32_t> partition_of(num_vertices_ / kBlock + 1);
  for (std::size_t p = 0; p < cursors.size(); ++p) {
    for (VertexId b = plan_.partitions[p].first / kBlock; b * kBlock < plan_.partitions[p].last; ++b) {
      partition_of[b] = static_cast<std::uint32_t>(p);
    }
  }
  for (std::size_t i = 0; i < plan_.slices.size(); ++i) cursors[plan_.slices[i].partition].slices.push_back(i);
  for (Cursor& cursor : cursors) {
    std::sort(cursor.slices.begin(), cursor.slices.end(),
              [&](std::size_t a, std::size_t b) { return plan_.slices[a].first_edge < plan_.slices[b].first_edge; });
  }
  slices_.assign(plan_.slices.size(), {});
  const auto end_word = [&](Cursor& cursor) {
    if (cursor.in_word > 0) slices_[cursor.slices[cursor.at]].add(cursor.last_source, cursor.in_word);
    cursor.in_word = 0;
  };
  for (VertexId source = 0; source < plan_.vertices.size(); ++source) {
    if (source % kPoll == 0) workers.check();
    const VertexId vertex = plan_.vertices[source];
    for (EdgeCount e = csr.offsets[vertex]; e < csr.offsets[std::size_t(vertex) + 1]; ++e) {
      Cursor& cursor = cursors[partition_of[plan_.numbers[csr.targets[e]] / kBlock]];
      while (cursor.edge >= plan_.slices[cursor.slices[cursor.at]].last_edge) {
        end_word(cursor);
        ++cursor.at;
      }
      const std::size_t slice = cursor.slices[cursor.at];
      if (cursor.edge == plan_.slices[slice].first_edge) slices_[slice] = EdgeSlices(source);
      ++cursor.edge;
      cursor.last_source = source;
      if (++cursor.in_word == static_cast<int>(kEdgesPerWord)) end_word(cursor);
    }
  }
  for (Cursor& cursor : cursors) {
    if (!cursor.slices.empty()) end_word(cursor);
  }
}

PipelineBytes PipelineTimer::bytes(EdgeCount num_edges) const {
  PipelineBytes bytes;
  bytes.edges.resize(static_cast<std::size_t>(num_pipelines(shape_)));
  bytes.others.resize(bytes.edges.size());
  for (const PlannedSlice& slice : plan_.slices) {
    const auto pipeline = static_cast<std::size_t>(slice.pipeline);
    bytes.edges[pipeline] += (slice.last_edge - slice.first_edge) * edge_bytes_.with_edges;
    bytes.others[pipeline] += (slice.last_edge - slice.first_edge) * edge_bytes_.with_properties;
  }
  bytes.num_edges = num_edges;
  bytes.num_vertices = num_vertices_;
  bytes.property_bytes = word_bytes_;
  if (shape_.is_cut_everywhere) bytes.property_copies = kOldAndNew;
  return bytes;
}

void check_channels(const char* config, const Board& board, const PipelineBytes& bytes) {
  const std::uint64_t bank = board.memory.bytes_per_bank;
  if (bank == 0) return;  // unknown
  const auto largest = [](const std::vector<std::uint64_t>& all) {
    return all.empty() ? 0 : *std::max_element(all.begin(), all.end());
  };
  const std::uint64_t most = largest(bytes.edges);
  if (most > bank) {
    throw CapacityError(message("config \"", config, "\": a pipeline's edges take ", most,
                                " bytes, and a pseudo-channel of ", board.name, " has ", bank, "; with all ",
                                bytes.edges.size(), " pipelines about ",
                                static_cast<std::uint64_t>(static_cast<double>(bytes.num_edges) *
                                                           static_cast<double>(bank) / static_cast<double>(most)),
                                " edges of such a graph fit, and this one has ", bytes.num_edges,
                                "; use a board with larger channels (u55c has 512 MB), or a smaller graph"));
  }
  const std::uint64_t others = largest(bytes.others);
  const std::uint64_t vertex_bytes = bytes.property_bytes * bytes.property_copies;
  const std::uint64_t properties = bytes.num_vertices * vertex_bytes;
  if (properties + others > bank) {
    const std::uint64_t left = bank - std::min(bank, others);
    throw CapacityError(message("config \"", config, "\": properties of ", bytes.num_vertices, " vertices take ",
                                properties, " bytes in every pipeline's pseudo-channel",
                                others > 0 ? message(", beside ", others, " of weights and of what it gathers") : "",
                                ", and one of ", board.name, " has ", bank, ", enough for ", left / vertex_bytes,
                                " vertices"));
  }
}

// `active`: vertices that send, in the design's order; null: all do.
void PipelineTimer::time_step(const ActiveSources* active) {
  const double rate = bytes_per_second(board_.memory);
  const auto num = static_cast<std::size_t>(num_pipelines(shape_));
  step_ = {};
  units_.assign(num + 1, {});
  // The first of apply's own channels, with old properties; the second has new ones.
  const std::size_t of_apply = kChannelsPerPipeline * num;
  channels_.assign(of_apply + static_cast<std::size_t>(shape_.apply_channels), {});
  tasks_.clear();
  for (const char* name : kTasks) tasks_.push_back({name, 0, 0, 0, 0});
  std::vector<double> now(num), ready(plan_.partitions.size());
  const auto busy = [&](Task task, double cycles) { tasks_[task].busy += static_cast<std::uint64_t>(cycles); };
  const auto flush = [&](std::size_t pipeline, const PlannedPartition& partition) {
    const double cycles = flush_cycles(shape_, options_, partition);
    busy(partition.is_dense ? kDenseFlush : kSparseFlush, cycles);
    return now[pipeline] += seconds_of(cycles);
  };
  for (std::size_t i = 0; i < plan_.slices.size(); ++i) {
    const PlannedSlice& slice = plan_.slices[i];
    const PlannedPartition& partition = plan_.partitions[slice.partition];
    const auto pipeline = static_cast<std::size_t>(slice.pipeline);
    EdgeCount edges = slice.last_edge - slice.first_edge;
    std::uint64_t lines = slice.lines;
    double cycles = slice.cycles;
    if (active != nullptr) {
      const EdgeCount streamed = slices_[i].window(*active).num_edges;
      if (streamed == 0) continue;  // without a flush: apply is told that there is no part
      const double share = static_cast<double>(streamed) / static_cast<double>(edges);
      edges = streamed;
      lines = static_cast<std::uint64_t>(share * static_cast<double>(lines) + 0.5);
      cycles *= share;
    }
    const std::uint64_t edge_bytes = edges * edge_bytes_.with_edges;
    const std::uint64_t line_bytes = lines * kLineBytes + edges * edge_bytes_.with_properties;
    const double seconds =
        std::max({seconds_of(cycles), static_cast<double>(edge_bytes) / rate, static_cast<double>(line_bytes) / rate});
    now[pipeline] += seconds;
    units_[pipeline].edges += edges;
    channels_[kChannelsPerPipeline * pipeline].bytes += edge_bytes;
    channels_[kChannelsPerPipeline * pipeline + 1].bytes += line_bytes;
    busy(partition.is_dense ? kDenseEdges : kSparseEdges,
         static_cast<double>(edges) / shape_.edges_per_cycle * options_.word.cycles);
    busy(partition.is_dense ? kDenseSources : kSparseSources, static_cast<double>(lines));
    if (!shape_.is_cut_everywhere) {
      ready[slice.partition] = std::max(ready[slice.partition], flush(pipeline, partition));
      // Written for apply, which reads it there.
      channels_[kChannelsPerPipeline * pipeline + 1].bytes += 2 * (partition.last - partition.first) * word_bytes_;
      continue;
    }
    // Mergers take from all pipelines of the kind at once: they wait for the last.
    if (i + 1 < plan_.slices.size() && plan_.slices[i + 1].partition == slice.partition) continue;
    const std::size_t first = partition.is_dense ? 0 : static_cast<std::size_t>(shape_.dense.num_pipelines);
    const std::size_t last = partition.is_dense ? static_cast<std::size_t>(shape_.dense.num_pipelines) : num;
    const double together = *std::max_element(now.begin() + static_cast<std::ptrdiff_t>(first),
                                              now.begin() + static_cast<std::ptrdiff_t>(last));
    for (std::size_t k = first; k < last; ++k) {
      now[k] = together;
      ready[slice.partition] = flush(k, partition);
    }
  }
  // A line of vertices a cycle, as the channel that has their properties delivers them.
  const auto apply_seconds = [&](std::uint64_t vertices) {
    const double lines = static_cast<double>((vertices * word_bytes_ + kLineBytes - 1) / kLineBytes);
    busy(kApplyTask, lines);
    const double seconds = std::max(seconds_of(lines), lines * kLineBytes / rate);
    units_.back().busy_seconds += seconds;
    return seconds;
  };
  const double applied = apply_end(plan_.partitions, ready, num_vertices_, apply_seconds);
  step_.scatter_gather_seconds = now.empty() ? 0 : *std::max_element(now.begin(), now.end());
  double longest = std::max(step_.scatter_gather_seconds, applied);
  for (std::uint64_t copy = 0; copy < kOldAndNew; ++copy) {
    channels_[of_apply + copy % static_cast<std::uint64_t>(shape_.apply_channels)].bytes += num_vertices_ * word_bytes_;
  }
  for (std::size_t c = 0; c < channels_.size(); ++c) {
    if (c < of_apply && c % kChannelsPerPipeline == 1)
      channels_[c].bytes += num_vertices_ * word_bytes_;  // apply writes a copy
    channels_[c].busy_seconds = static_cast<double>(channels_[c].bytes) / rate;
    longest = std::max(longest, channels_[c].busy_seconds);
    step_.bytes += channels_[c].bytes;
    units_[std::min(c / kChannelsPerPipeline, num)].bytes += channels_[c].bytes;
  }
  const double launch = launch_seconds(board_);
  step_.scatter_gather_seconds += launch;
  step_.apply_seconds = longest + launch - step_.scatter_gather_seconds;
  step_.seconds = longest + launch + step_seconds(board_);
  for (std::size_t k = 0; k < num; ++k) {
    units_[k].unit = static_cast<std::int32_t>(k);
    units_[k].busy_seconds = now[k];
    step_.edges += units_[k].edges;
  }
  units_.back().unit = kApplyUnit;
  step_.timed_edges = step_.edges;
}

void PipelineTimer::describe(Prediction& prediction) const {
  prediction.num_units = num_pipelines(shape_);
  prediction.units.clear();
  prediction.channels.clear();
  prediction.peak_bytes_per_second = peak_bytes_per_second(board_.memory) * static_cast<double>(channels_.size());
  prediction.resources = pipeline_resources(shape_, board_);
}

void PipelineTimer::add_step(Prediction& prediction, const std::vector<std::uint64_t>& senders, bool has_begun) {
  std::vector<std::uint64_t> ordered(senders.size());
  for (std::size_t v = 0; v < plan_.vertices.size(); ++v) {
    ordered[v / 64] |= (senders[plan_.vertices[v] / 64] >> plan_.vertices[v] % 64 & 1) << v % 64;
  }
  ActiveSources active(std::vector<VertexId>(1), num_own_);  // as apply's word is of all
  active.restart(ordered);
  if (!prediction.steps.empty()) active.forget_vertices();
  time_step(has_begun ? nullptr : &active);
  add_step(prediction, has_begun);
}

void PipelineTimer::add_step(Prediction& prediction, bool has_begun) const {
  StepPrediction step = step_;
  if (has_begun) step.seconds = std::max(step.scatter_gather_seconds, step_seconds(board_)) + step.apply_seconds;
  prediction.add_step(step);
  prediction.units.resize(units_.size());
  prediction.channels.resize(channels_.size());
  prediction.tasks.resize(tasks_.size());
  for (std::size_t i = 0; i < units_.size(); ++i) {
    prediction.units[i].unit = units_[i].unit;
    prediction.units[i].busy_seconds += units_[i].busy_seconds;
    prediction.units[i].edges += units_[i].edges;
    prediction.units[i].bytes += units_[i].bytes;
  }
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    prediction.channels[i].bytes += channels_[i].bytes;
    prediction.channels[i].busy_seconds += channels_[i].busy_seconds;
  }
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    prediction.tasks[i].name = tasks_[i].name;
    prediction.tasks[i].busy += tasks_[i].busy;
  }
}

}  // namespace predict
}  // namespace gaspipe
