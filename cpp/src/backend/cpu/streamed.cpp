// SPDX-License-Identifier: Apache-2.0
// Vertices are in memory, and the engine streams partitions. What the run takes is known before it begins: a budget
// that is too small is refused with the least that works, and what is left of it is for reading ahead.
#include "cpp/src/backend/cpu/streamed.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "cpp/src/clock.h"
#include "cpp/src/run/number_formats.h"
#include "cpp/src/stream/edge_stream.h"
#include "cpp/src/stream/stored_transitions.h"
#include "gaspipe/error.h"
#include "gaspipe/run.h"

namespace gaspipe {
namespace {

constexpr std::uint64_t kMargin = 8 << 20;    // for what is not counted one by one
constexpr std::uint64_t kActiveVertices = 3;  // a byte says which of them are: two bits each, and 4 bytes for 64

std::string in_megabytes(std::uint64_t bytes) { return message((bytes + 999999) / 1000000, " MB"); }

class Streamed : public Executor {
 public:
  Streamed(const Placement& placement, Workers& workers)
      : instance_(placement.instance),
        skeleton_(placement.graph.skeleton()),
        source_(placement.graph.stored()),
        edges_(source_),
        blocks_(&edges_->view(placement.view, placement.edge_type != abi::kNone, placement.instance.idempotent != 0)),
        shares_(placement.instance.transition_probabilities != 0),
        edge_type_(shares_ ? static_cast<abi::Scalar>(placement.instance.edge_type) : placement.edge_type),
        workers_(workers),
        keep_properties_(placement.options.keep_properties) {
    const auto started = Clock::now();
    check_budget(placement);
    if (shares_) {
      find_shares();
    } else if (!edges_->has_forward_rows(*blocks_)) {
      count_degrees();
    }
    forms_.self = this;
    forms_.partitioning = [](void* self) { return static_cast<Streamed*>(self)->partitioning_table(); };
    forms_.in_edges = [](void*, std::int32_t) -> const abi::Csr* { return nullptr; };
    forms_.components = [](void*, std::uint32_t*) -> std::int32_t { return 1; };
    seconds_ = seconds_since(started);
  }

  abi::Status open(const Attempt& attempt, abi::Outcome* outcome) override {
    session_ = {};
    const Offsets& offsets = degrees_.size() > 0 ? degrees_ : skeleton_.offsets;
    csr_ = {skeleton_.num_rows, blocks_->num_edges, offsets.data(), offsets.is_wide() ? 8 : 4, nullptr, nullptr};
    const abi::Run run{&attempt.host,    &csr_,          &forms_, attempt.arguments, abi::kStream, attempt.scale_bits,
                       keep_properties_, attempt.values, nullptr, attempt.resume,    nullptr, false};
    return settled(instance_.open(&run, outcome, session_.table()));
  }
  abi::Status step(abi::Outcome* outcome) override {
    const abi::Status status = settled(session_->step(session_->self, outcome));
    count_read();
    return status;
  }
  void read_properties(void* data) override { session_->read_properties(session_->self, data); }
  void snapshot(abi::Snapshot* snapshot) override { settled(session_->snapshot(session_->self, snapshot)); }
  void describe(Stats& stats) const override {
    stats.device = "cpu";
    stats.partition = {kBlockCapacity, 1, stats.partition.partitioner};
    stats.stream = StreamStats{};
    stats.stream->memory = edges_->memory();
    if (!stream_) return;
    stats.stream->bytes_read = stream_->bytes_read();
    stats.stream->bytes_from_disk = stream_->bytes_from_disk();
    stats.stream->blocks_passed_over = stream_->blocks_passed_over();
    stats.stream->seconds_waited = stream_->seconds_waited();
    stats.stream->reader = stream_->reader();
  }
  double preparing_seconds() const override { return seconds_; }
  const Partitioning& partitioning() const override {
    throw InputError("the partitions of a graph that stays in its file cannot be looked at");
  }

 private:
  void check_budget(const Placement& placement) {
    const std::uint64_t n = skeleton_.num_rows, num_workers = static_cast<std::uint64_t>(workers_.size());
    const auto property = static_cast<std::uint64_t>(instance_.property_bytes);
    const auto update = static_cast<std::uint64_t>(instance_.update_bytes);
    const auto value = static_cast<std::uint64_t>(bytes_of(static_cast<abi::Scalar>(instance_.value_type)));
    std::uint64_t by_vertex = 2 * property + value + (shares_ ? 16 : edges_->has_forward_rows(*blocks_) ? 0 : 8);
    std::uint64_t most_block_bytes = edges_->most_block_bytes(), margin = kMargin;
    if (shares_) by_vertex = std::max<std::uint64_t>(by_vertex, value + RowSums::kBytes);
    if (has_fixed_shares()) {  // these come first, when there are no properties yet
      by_vertex = std::max<std::uint64_t>(by_vertex, value + 16 + kFixedTransitionBytes);
      most_block_bytes = std::max<std::uint64_t>(most_block_bytes, kMostFixedBlockBytes);
      margin += kFixedTransitionMemory;
    }
    const std::uint64_t others = edges_->memory_before() + n * by_vertex +
                                 num_workers * (kBlockCapacity + 16) * update + n / kActiveVertices + margin;
    const std::uint64_t least = others + EdgeStream::least_memory(most_block_bytes, workers_.size());
    if (edges_->memory() < least) {
      throw CapacityError(message("memory is ", in_megabytes(edges_->memory()), "; ", placement.algorithm, " with ",
                                  num_workers, num_workers == 1 ? " thread" : " threads", " needs at least ",
                                  in_megabytes(least), " for this graph (the process took ",
                                  in_megabytes(edges_->memory_before()), " when it was loaded)"));
    }
    for_stream_ = edges_->memory() - others;
  }

  // Progress is counted in bytes that were read for the graph.
  void count_read() {
    if (edges_ == source_) return;
    const std::uint64_t so_far = edges_->bytes_read();
    source_->count_read(so_far - std::exchange(num_counted_, so_far));
  }

  // Of the rows of a view that is not the one whose offsets are there.
  void count_degrees() {
    Writable<std::uint64_t> offsets(std::size_t(skeleton_.num_rows) + 1);
    std::fill(offsets.data(), offsets.data() + offsets.size(), std::uint64_t(0));
    edges_->scan(
        *blocks_, [&] { return workers_.poll(0); },
        [&](const BlockEntry&, const BlockPiece& piece) {
          for (std::uint32_t run = 0; run < piece.num_runs; ++run) {
            offsets[std::size_t(piece.run_sources[run]) + 1] += piece.run_lengths[run];
          }
        });
    for (std::size_t v = 1; v < offsets.size(); ++v) offsets[v] += offsets[v - 1];
    degrees_ = Offsets(offsets.freeze());
  }

  bool has_fixed_shares() const { return shares_ && instance_.is_fixed_point; }

  // Edges of weight 0 are none.
  void find_shares() {
    const auto stopped = [this] { return workers_.poll(0); };
    RowSums rows = find_row_sums(*edges_, *blocks_, stopped);
    degrees_ = Offsets(rows.offsets);
    if (!has_fixed_shares()) {
      row_sums_ = std::move(rows.sums);
      return;
    }
    edges_ = write_fixed_transitions(*edges_, *blocks_, rows, stopped);
    blocks_ = &edges_->view(View::kForward, true, false);
  }

  const abi::Partitioning* partitioning_table() {
    if (!stream_) {
      try {
        stream_ = std::make_unique<EdgeStream>(edges_, *blocks_, skeleton_.num_rows, edge_type_,
                                               row_sums_.empty() ? nullptr : row_sums_.data(), workers_.size(),
                                               for_stream_, [this](int worker) { return workers_.poll(worker); });
      } catch (...) {
        failure_ = std::current_exception();
        return nullptr;
      }
    }
    return stream_->table();
  }
  abi::Status settled(std::int32_t status) {
    if (failure_) std::rethrow_exception(failure_);
    if (stream_ && stream_->failure() && !workers_.cancelled()) std::rethrow_exception(stream_->failure());
    return static_cast<abi::Status>(status);
  }

  const abi::Instance& instance_;
  const Csr skeleton_;
  const std::shared_ptr<const StoredEdges> source_;  // the graph's
  std::shared_ptr<const StoredEdges> edges_;         // those that are walked
  const StoredView* blocks_;
  const bool shares_;  // the program reads the share of an edge in what its source sends
  const abi::Scalar edge_type_;
  Workers& workers_;
  const bool keep_properties_;
  Offsets degrees_;
  std::vector<double> row_sums_;  // where the stream divides by them
  std::uint64_t for_stream_ = 0;
  std::uint64_t num_counted_ = 0;  // bytes read of edges_ that the graph was told of
  double seconds_ = 0;
  abi::Csr csr_{};
  abi::Forms forms_{};
  std::exception_ptr failure_;
  std::unique_ptr<EdgeStream> stream_;
  OpenSession session_;  // ends first
};

}  // namespace

std::unique_ptr<Executor> make_streamed(const Placement& placement, Workers& workers) {
  return std::make_unique<Streamed>(placement, workers);
}

}  // namespace gaspipe
