// SPDX-License-Identifier: Apache-2.0
#include "pipeline_plan.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace gaspipe {
namespace predict {
namespace {

constexpr VertexId kPoll = 1 << 14;  // sources between two looks for an interrupt
constexpr std::size_t kBits = 64;
constexpr VertexId kValuesPerRow = 2;  // of 32 bits, in a row of UltraRAM

class Planner {
 public:
  Planner(const Csr& csr, const PipelineShape& shape, const PlanOptions& options, Workers& workers)
      : csr_(csr),
        shape_(shape),
        options_(options),
        workers_(workers),
        width_(shape.dense.capacity / options.shrink),
        merged_(shape.sparse.capacity / shape.dense.capacity),
        num_narrow_((csr.num_columns + width_ - 1) / width_) {}

  PipelinePlan plan() {
    number_vertices();
    look_at_partitions();
    const std::size_t num_dense = choose_dense();
    if (!shape_.is_cut_everywhere) weigh_lines(num_dense);
    const std::size_t weighed = choose_dense();
    std::vector<std::vector<std::uint64_t>>().swap(touched_);
    consider(num_dense);
    if (weighed != num_dense) consider(weighed);
    return std::move(best_);
  }

 private:
  // Falling in-degree, else as they were.
  void number_vertices() {
    const VertexId n = std::max(csr_.num_rows, csr_.num_columns);  // ghosts of a domain have rows alone
    std::vector<std::uint32_t> degrees(n);
    for (EdgeCount e = 0; e < csr_.num_edges(); ++e) ++degrees[csr_.targets[e]];
    plan_.vertices.resize(n);
    std::iota(plan_.vertices.begin(), plan_.vertices.end(), 0);
    std::stable_sort(plan_.vertices.begin(), plan_.vertices.end(),
                     [&](VertexId a, VertexId b) { return degrees[a] > degrees[b]; });
    plan_.numbers.resize(n);
    for (VertexId i = 0; i < n; ++i) plan_.numbers[plan_.vertices[i]] = i;
    while (num_narrow_ > 0 && degrees[plan_.vertices[(num_narrow_ - 1) * width_]] == 0) --num_narrow_;
  }

  // visit(source, place of the destination's partition of `width_`, its row) for all edges, by ascending source.
  template <class Visit>
  void each_edge(const Visit& visit) {
    for (VertexId source = 0; source < plan_.vertices.size(); ++source) {
      if (source % kPoll == 0) workers_.check();
      const VertexId vertex = plan_.vertices[source];
      const EdgeCount end = csr_.offsets[std::size_t(vertex) + 1];
      for (EdgeCount e = csr_.offsets[vertex]; e < end; ++e) {
        const VertexId to = plan_.numbers[csr_.targets[e]];
        visit(source, to / width_, to % width_ * options_.shrink / kValuesPerRow);
      }
    }
  }

  void look_at_partitions() {
    const std::size_t words = (plan_.vertices.size() / options_.vertices_per_line + kBits) / kBits;
    std::vector<LineEstimate> dense(num_narrow_, estimate(shape_.dense, false));
    touched_.assign(num_narrow_, std::vector<std::uint64_t>(words));
    each_edge([&](VertexId source, std::size_t p, std::uint32_t row) {
      dense[p].add(source, row);
      const VertexId line = source / options_.vertices_per_line;
      touched_[p][line / kBits] |= std::uint64_t(1) << line % kBits;
    });
    for (LineEstimate& one : dense) {
      one.finish();
      num_edges_.push_back(one.num_edges());
      dense_cycles_.push_back(one.cycles());
      dense_lines_.push_back(static_cast<double>(one.lines()));
    }
  }

  // The sparse partition of narrow ones [first, last) before it is cut: the estimators' sums.
  double sparse_cycles(std::size_t first, std::size_t last) const {
    double lines = 0;
    std::size_t before = 0;
    EdgeCount edges = 0;
    for (std::size_t p = first; p < last; ++p) edges += num_edges_[p];
    for (std::size_t w = 0; w < touched_[first].size(); ++w) {
      std::uint64_t word = 0;
      for (std::size_t p = first; p < last; ++p) word |= touched_[p][w];
      for (; word != 0; word &= word - 1) {
        const std::size_t line = w * kBits + static_cast<std::size_t>(__builtin_ctzll(word));
        lines += LineEstimate::cycles_of_request(shape_.sparse.estimator, line - before);
        before = line;
      }
    }
    const double words = static_cast<double>(edges) / shape_.edges_per_cycle * options_.word.cycles;
    return shape_.sparse.estimator == Estimator::kBig ? words + lines
                                                      : std::max(words, line_weight_ * (lines + far_lines(edges)));
  }

  PlannedPartition partition(bool is_dense, std::size_t first, std::size_t last, double cycles) const {
    const auto end = std::min<std::uint64_t>(csr_.num_columns, std::uint64_t(last) * width_);
    const EdgeCount edges = std::accumulate(num_edges_.begin() + static_cast<std::ptrdiff_t>(first),
                                            num_edges_.begin() + static_cast<std::ptrdiff_t>(last), EdgeCount(0));
    return {is_dense, static_cast<VertexId>(first * width_), static_cast<VertexId>(end), edges, cycles};
  }

  // Cycles of every pipeline of a kind if so many narrow partitions are dense.
  double dense_load(std::size_t num_dense) const {
    double sum = 0;
    for (std::size_t p = 0; p < num_dense; ++p) {
      const double lines = shape_.is_cut_everywhere ? 0 : line_weight_ * (dense_lines_[p] + far_lines(num_edges_[p]));
      sum += load(partition(true, p, p + 1, std::max(dense_cycles_[p], lines)));
    }
    return num_dense == 0 ? 0 : sum / std::max(1, shape_.dense.num_pipelines);
  }
  double sparse_load(std::size_t num_dense) const {
    double sum = 0;
    for (std::size_t p = num_dense; p < num_narrow_; p += merged_) {
      const std::size_t last = std::min(num_narrow_, p + merged_);
      sum += load(partition(false, p, last, sparse_cycles(p, last)));
    }
    return sum / std::max(1, shape_.sparse.num_pipelines);
  }
  // Of all pipelines of its kind together.
  double load(const PlannedPartition& one) const {
    const int times = shape_.is_cut_everywhere ? kind_of(shape_, one.is_dense).num_pipelines : 1;
    return one.cycles + times * flush_cycles(shape_, options_, one);
  }

  double longest_load(std::size_t num_dense) const { return std::max(dense_load(num_dense), sparse_load(num_dense)); }

  // The channel from which a pipeline reads lines also gets all new properties from apply, so there is less time for
  // lines than for all else: what a line is to weigh for both to end together, in the shortest time.
  void weigh_lines(std::size_t num_dense) {
    constexpr int kSteps = 8;
    const double written = lines_of(plan_.vertices.size());
    double low = longest_load(num_dense), high = low + written;
    if (low == 0) return;
    for (int step = 0; step < kSteps; ++step) {
      const double time = (low + high) / 2;
      if (time > written) {
        line_weight_ = time / (time - written);
        if (longest_load(choose_dense()) <= time) {
          high = time;
          continue;
        }
      }
      low = time;
    }
    line_weight_ = high / (high - written);
  }
  // Of weights in the channel of properties.
  double far_lines(EdgeCount edges) const {
    return static_cast<double>(edges) / LineEstimate::kWord * options_.word.far_weights;
  }
  double lines_of(std::uint64_t vertices) const { return static_cast<double>(vertices) / options_.vertices_per_line; }

  // Plans with so many dense partitions, of which the shortest is kept. A slice's work, by which partitions are cut, is
  // its cycles and a share of its lines.
  void consider(std::size_t num_dense) {
    plan_.num_dense = num_dense;
    add_partitions();
    for (const double share : {0.0, 0.25, 0.5, 1.0, 2.0}) {
      line_share_ = share;
      plan_.slices.clear();
      cut(true);
      cut(false);
      const double time = time_of(plan_);
      if (time < best_time_) {
        best_time_ = time;
        best_ = plan_;
      }
      if (shape_.is_cut_everywhere) break;
    }
  }
  // Cycles until apply has ended, and of the channel of properties that is busy longest.
  double time_of(const PipelinePlan& plan) const {
    const std::uint64_t num_vertices = plan.vertices.size();
    const auto num = static_cast<std::size_t>(shape_.dense.num_pipelines + shape_.sparse.num_pipelines);
    std::vector<double> cycles(num), lines(num, lines_of(num_vertices)), ready(plan.partitions.size());
    for (const PlannedSlice& slice : plan.slices) {
      const PlannedPartition& one = plan.partitions[slice.partition];
      const auto pipeline = static_cast<std::size_t>(slice.pipeline);
      cycles[pipeline] += slice.cycles + flush_cycles(shape_, options_, one);
      ready[slice.partition] = std::max(ready[slice.partition], cycles[pipeline]);
      lines[pipeline] += static_cast<double>(slice.lines) + far_lines(slice.last_edge - slice.first_edge) +
                         2 * lines_of(one.last - one.first);  // written, and read
    }
    const double applied =
        apply_end(plan.partitions, ready, num_vertices, [&](std::uint64_t vertices) { return lines_of(vertices); });
    return std::max(applied, *std::max_element(lines.begin(), lines.end()));
  }
  double work(const Mark& mark) const {
    return mark.cycles + line_share_ * (static_cast<double>(mark.lines) + far_lines(mark.edge));
  }

  // With more of them, the load of dense pipelines grows and that of the sparse ones falls.
  std::size_t choose_dense() const {
    if (shape_.sparse.num_pipelines == 0) return num_narrow_;
    if (shape_.dense.num_pipelines == 0) return 0;
    if (options_.num_dense_partitions >= 0) {
      return std::min(num_narrow_, static_cast<std::size_t>(options_.num_dense_partitions));
    }
    std::size_t low = 0, high = num_narrow_;
    while (low < high) {
      workers_.check();
      const std::size_t middle = (low + high) / 2;
      if (dense_load(middle) < sparse_load(middle)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low > 0 && longest_load(low - 1) < longest_load(low) ? low - 1 : low;
  }

  LineEstimate estimate(const PipelineKind& kind, bool keeps_marks) const {
    return LineEstimate(kind.estimator, options_.vertices_per_line, options_.word, keeps_marks);
  }

  void add_partitions() {
    const std::size_t num_dense = plan_.num_dense;
    plan_.partitions.clear();
    estimates_.clear();
    for (std::size_t p = 0; p < num_dense; ++p) {
      plan_.partitions.push_back(partition(true, p, p + 1, 0));
      estimates_.push_back(estimate(shape_.dense, true));
    }
    for (std::size_t p = num_dense; p < num_narrow_; p += merged_) {
      plan_.partitions.push_back(partition(false, p, std::min(num_narrow_, p + merged_), 0));
      estimates_.push_back(estimate(shape_.sparse, true));
    }
    each_edge([&](VertexId source, std::size_t p, std::uint32_t row) {
      estimates_[p < num_dense ? p : num_dense + (p - num_dense) / merged_].add(source, row);
    });
    for (std::size_t p = 0; p < estimates_.size(); ++p) {
      estimates_[p].finish();
      plan_.partitions[p].cycles = estimates_[p].cycles();
    }
  }

  // The first edge at which `work` of a partition is done.
  Mark mark_at(std::size_t p, double done) const {
    const std::vector<Mark>& marks = estimates_[p].marks();
    const auto found = std::lower_bound(marks.begin(), marks.end(), done,
                                        [&](const Mark& mark, double wanted) { return work(mark) < wanted; });
    return found == marks.end() || found->edge >= estimates_[p].num_edges() ? end_of(p) : *found;
  }
  Mark end_of(std::size_t p) const {
    return {estimates_[p].num_edges(), estimates_[p].cycles(), estimates_[p].lines()};
  }
  void add_slice(std::size_t p, int pipeline, const Mark& from, const Mark& to) {
    plan_.slices.push_back({p, pipeline, from.edge, to.edge, to.cycles - from.cycles, to.lines - from.lines});
  }

  void cut(bool is_dense) {
    const std::size_t first = is_dense ? 0 : plan_.num_dense;
    const std::size_t last = is_dense ? plan_.num_dense : plan_.partitions.size();
    const int num = kind_of(shape_, is_dense).num_pipelines, base = is_dense ? 0 : shape_.dense.num_pipelines;
    shape_.is_cut_everywhere ? cut_everywhere(first, last, num, base) : cut_seldom(first, last, num, base);
  }

  void cut_everywhere(std::size_t first, std::size_t last, int num, int base) {
    for (std::size_t p = first; p < last; ++p) {
      const double share = plan_.partitions[p].cycles / num;
      Mark from{0, 0, 0};
      for (int i = 0; i < num; ++i) {
        const Mark to = i + 1 == num ? end_of(p) : mark_at(p, share * (i + 1));
        const int turn = (p - first) % 2 == 1 ? num - 1 - i : i;
        add_slice(p, base + turn, from, to);
        from = to;
      }
    }
  }

  // One pipeline after the other is filled to an equal share; what is left of a partition begins the next.
  void cut_seldom(std::size_t first, std::size_t last, int num, int base) {
    double total = 0, most_flush = 0;
    for (std::size_t p = first; p < last; ++p) {
      total += work(end_of(p)) + flush_cycles(shape_, options_, plan_.partitions[p]);
      most_flush = std::max(most_flush, flush_cycles(shape_, options_, plan_.partitions[p]));
    }
    const double share = total / num + most_flush * (num - 1) / num;  // each cut flushes once more
    int pipeline = 0;
    double filled = 0;
    for (std::size_t p = first; p < last; ++p) {
      const double flush = flush_cycles(shape_, options_, plan_.partitions[p]);
      Mark from{0, 0, 0};
      while (from.edge < estimates_[p].num_edges()) {
        const double room = share - filled - flush;
        const bool is_last = pipeline + 1 == num;
        Mark to = end_of(p);
        if (!is_last && work(to) - work(from) > room) {
          const double least = filled > 0 ? flush : 0;  // what is worth a flush
          if (room > least) to = mark_at(p, work(from) + room);
          if (room <= least || to.edge <= from.edge) {
            if (filled > 0) {
              ++pipeline;
              filled = 0;
              continue;
            }
            to = end_of(p);
          }
        }
        add_slice(p, base + pipeline, from, to);
        filled += work(to) - work(from) + flush;
        from = to;
        if (!is_last && filled + flush >= share) {
          ++pipeline;
          filled = 0;
        }
      }
    }
  }

  const Csr& csr_;
  const PipelineShape& shape_;
  const PlanOptions& options_;
  Workers& workers_;
  VertexId width_;  // destinations of a narrow partition: what is dense, or becomes part of a sparse one
  std::size_t merged_, num_narrow_;
  std::vector<std::vector<std::uint64_t>> touched_;  // lines with a source, of each narrow partition
  std::vector<EdgeCount> num_edges_;
  std::vector<double> dense_cycles_, dense_lines_;
  double line_weight_ = 1, line_share_ = 0;
  std::vector<LineEstimate> estimates_;
  PipelinePlan plan_, best_;
  double best_time_ = std::numeric_limits<double>::infinity();
};

}  // namespace

PipelinePlan plan_pipelines(const Csr& csr, const PipelineShape& shape, const PlanOptions& options, Workers& workers) {
  return Planner(csr, shape, options, workers).plan();
}

double apply_end(const std::vector<PlannedPartition>& partitions, const std::vector<double>& ready,
                 std::uint64_t num_vertices, const std::function<double(std::uint64_t)>& time_of) {
  std::vector<std::size_t> order(ready.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return ready[a] < ready[b]; });
  std::uint64_t with_edges = 0;
  for (const PlannedPartition& partition : partitions) with_edges += partition.last - partition.first;
  double applied = time_of(num_vertices - with_edges);
  for (const std::size_t p : order) {
    applied = std::max(applied, ready[p]) + time_of(partitions[p].last - partitions[p].first);
  }
  return applied;
}

double flush_cycles(const PipelineShape& shape, const PlanOptions& options, const PlannedPartition& partition) {
  const PipelineKind& kind = kind_of(shape, partition.is_dense);
  const VertexId flushed = shape.is_cut_everywhere ? kind.capacity / options.shrink : partition.last - partition.first;
  return static_cast<double>(flushed) * options.shrink / kind.flushed_per_cycle;
}

}  // namespace predict
}  // namespace gaspipe
