// SPDX-License-Identifier: Apache-2.0
// Searches on an array of PEs: the host's loop over levels, and what a board would take for it.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "cpp/src/clock.h"
#include "cpp/src/pe_array/banks.h"
#include "cpp/src/pe_array/on_board.h"
#include "gaspipe/error.h"
#include "gaspipe/pe_array.h"
#include "hls/local_store/direction.h"
#include "hls/local_store/pull.h"

namespace gaspipe {
namespace pe_array {
namespace {

constexpr const char* kPushes = "local_store";
constexpr const char* kPulls = "direction_optimizing";  // where that takes less

void check_board(const DeviceLists& lists, const PullRows* pulls, const Board& board, VertexId capacity) {
  const int num_pes = lists.num_pes();
  const VertexId share = lists.owners().share();
  const char* const more = num_pes < kMostPes ? "use more workers, 8 at the most, or device=\"cpu\""
                                              : "use another board, or device=\"cpu\"";
  if (share > capacity) {
    // With more PEs that pull there is not more room: each has the frontier of all.
    const char* const instead = pulls == nullptr ? more : "use another board, or device=\"cpu\"";
    throw CapacityError(message("each of ", num_pes, " PEs would own ", share, " vertices, and the URAM of ",
                                board.name, " has room for bitmaps of ", capacity, " in each; ", instead));
  }
  std::vector<std::uint64_t> of_lists, of_queues;
  for (int pe = 0; pe < num_pes; ++pe) {
    of_lists.push_back(lists.lists(pe).size() * sizeof(Line));
    if (pulls != nullptr) of_lists.back() += pulls->rows(pe).size() * sizeof(SourceWord);
    of_queues.push_back(queue_words(state_words(share), lists.owners().count(pe)) * sizeof(Line));
  }
  check_banks(board, {pulls == nullptr ? "lists" : "lists and rows", of_lists}, {"queue and bitmaps", of_queues}, more);
}

// Levels of a search, and their time on a board.
class Search {
 public:
  // `pulls`: null where every level is pushed.
  Search(const DeviceLists& lists, const PullRows* pulls, VertexId root, const RunOptions& options)
      : lists_(lists),
        pulls_(pulls),
        options_(options),
        board_(options),
        banks_(lists, pulls, pulls == nullptr ? root : pulls->place(root)),
        depth_(pulls == nullptr ? lists.num_vertices() : pulls->num_vertices()),
        parent_(depth_.size()) {
    std::fill_n(depth_.data(), depth_.size(), -1);
    std::fill_n(parent_.data(), parent_.size(), -1);
    if (pulls != nullptr) control_.start(list_words(), pulls->num_headed());
    if (board_.is_timed()) describe();
  }

  Run run() {
    const auto start = Clock::now();
    note_level(0);
    for (std::int32_t level = 1; num_found_ > 0; ++level) {
      const auto begin = Clock::now();
      const bool is_pulled = is_worth_pulling();
      abi::Superstep step{is_pulled ? abi::kPullStep : abi::kPushStep, num_found_, edges_found_, {}};
      const predict::KernelTiming timing = launch(is_pulled);
      banks_.end_level();
      step.seconds[abi::kScatterGather] = seconds_since(begin);
      note_level(level);
      if (is_pulled) step.edges = sources_looked_at(level);
      if (board_.is_timed()) take(timing, is_pulled, step.edges);
      made_.level_pulled.push_back(is_pulled);
      made_.stats.supersteps.add(step);
      if (options_.progress) options_.progress(made_.stats.supersteps.size() - 1, step);
    }
    made_.depth = depth_.freeze();
    made_.parent = parent_.freeze();
    made_.stats.seconds = seconds_since(start);
    board_.finish(made_.stats, name(), lists_.num_edges());
    return std::move(made_);
  }

 private:
  VertexId vertex(VertexId place) const { return pulls_ == nullptr ? place : pulls_->vertex(place); }

  // Of all lists, as the kernel is told.
  std::uint32_t list_words() const {
    std::uint64_t sum = 0;
    for (VertexId place = 0; place < lists_.num_vertices(); ++place) sum += likely_words(lists_.code(place));
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(sum, std::numeric_limits<std::uint32_t>::max()));
  }

  // Takes over a level's vertices.
  void note_level(std::int32_t level) {
    num_found_ = edges_found_ = 0;
    for (int pe = 0; pe < lists_.num_pes(); ++pe) {
      num_found_ += banks_.each_entry(pe, [&](VertexId place, VertexId parent) {
        const VertexId v = vertex(place);
        depth_[v] = level;
        parent_[v] = vertex(parent);
        edges_found_ += lists_.degree(place);
      });
    }
    made_.edges += edges_found_;
  }

  // Whether the next level is to be pulled, as the kernel decides it.
  bool is_worth_pulling() {
    if (pulls_ == nullptr) return false;
    control_.begin();
    for (int pe = 0; pe < lists_.num_pes(); ++pe) control_.take(banks_.control(pe));
    control_.end();
    return control_.pulls(banks_.num_state_words(), static_cast<std::uint32_t>(lists_.num_pes()));
  }

  // In a level that was pulled: the first source of every vertex that had no mark, and the others where that was no
  // hit.
  std::uint64_t sources_looked_at(std::int32_t level) const {
    std::uint64_t num = 0;
    for (VertexId place = 0; place < lists_.num_vertices(); ++place) {
      const VertexId v = vertex(place), share = lists_.owners().share();
      if (v == kNoVertex || place % share >= pulls_->num_groups() * kHeadsPerGroup) continue;
      if (depth_[v] >= 0 && depth_[v] < level) continue;
      const PullRows::Head head = pulls_->head(place);
      const bool is_hit = depth_[v] == level && parent_[v] == std::int64_t(vertex(head.source));
      num += 1 + (is_hit ? 0 : head.num_others);
    }
    return num;
  }

  predict::KernelTiming launch(bool is_pulled) {
    const std::vector<Ports> ports = banks_.ports();
    const std::uint32_t num_state_words = banks_.num_state_words(), level = banks_.level();
    const auto add = [&](emulator::MemoryMap& memory) { banks_.add_to(memory, board_.board()); };
    if (is_pulled) {
      const std::uint32_t num_groups = pulls_->num_groups();
      return board_.launch(
          "pull_bfs", [&] { run_pull_fast(ports, num_state_words, level, num_groups); },
          [&] { run_pull(ports, num_state_words, level, num_groups); }, add);
    }
    return board_.launch(
        "local_store_bfs", [&] { run_level_fast(ports, num_state_words, level); },
        [&] { run_level(ports, num_state_words, level); }, add);
  }

  const char* name() const { return pulls_ == nullptr ? kPushes : kPulls; }

  void describe() {
    const Board& board = board_.board();
    const int num_pes = lists_.num_pes();
    std::vector<std::size_t> banks;
    for (int pe = 0; pe < num_pes; ++pe) {
      banks.push_back(bank_of(board, num_pes, pe));
      if (pulls_ != nullptr) banks.push_back(rows_bank_of(board, num_pes, pe));
    }
    const VertexId capacity = capacity_on(board, num_pes, pulls_ != nullptr);
    board_.describe(name(), num_pes, num_pes * uram_blocks(capacity, num_pes, pulls_ != nullptr), lists_.num_edges(),
                    std::move(banks));
  }
  // A level's time.
  void take(predict::KernelTiming timing, bool is_pulled, std::uint64_t num_edges) {
    // Before a level the control words are read, one after the other.
    if (pulls_ != nullptr) timing.cycles += static_cast<unsigned>(lists_.num_pes()) * board_.memory_latency();
    // A kernel that also pulls goes from level to level by itself.
    board_.take(timing, is_pulled, pulls_ == nullptr || made_.level_cycles.empty(), num_edges);
    made_.level_cycles.push_back(timing.cycles);
  }

  const DeviceLists& lists_;
  const PullRows* pulls_;
  const RunOptions& options_;
  OnBoard board_;
  Banks banks_;
  Writable<std::int32_t> depth_;
  Writable<std::int64_t> parent_;
  LevelControl control_ = {};
  std::uint64_t num_found_ = 0, edges_found_ = 0;  // of the newest level: vertices, and their edges
  Run made_;
};

Run search_from(const DeviceLists& lists, const PullRows* pulls, VertexId num_vertices, VertexId root,
                const RunOptions& options) {
  check_options(options);
  if (root >= num_vertices) {
    throw InputError(message("root is ", root, "; the graph's ", num_vertices, " vertices allow 0 to ",
                             std::int64_t(num_vertices) - 1));
  }
  const Board& board = board_of(options);
  const VertexId capacity = capacity_on(board, lists.num_pes(), pulls != nullptr);
  check_board(lists, pulls, board, capacity);
  Run made = Search(lists, pulls, root, options).run();
  made.capacity = capacity;
  return made;
}

}  // namespace

int num_pes(const RunOptions& options) {
  check_options(options);
  const Board& board = board_of(options);
  if (!options.workers) return board.memory.num_banks >= kMostPes ? kMostPes : board.memory.num_banks >= 4 ? 4 : 2;
  const std::uint64_t workers = *options.workers;
  if (workers != 2 && workers != 4 && workers != 8) {
    throw InputError(message("workers is ", workers, "; with device=\"", options.device, "\" method=\"", options.method,
                             "\" is a kernel of 2, 4 or 8 PEs"));
  }
  return static_cast<int>(workers);
}

Run run(const DeviceLists& lists, VertexId root, const RunOptions& options) {
  return search_from(lists, nullptr, lists.num_vertices(), root, options);
}
Run run(const PullRows& rows, VertexId root, const RunOptions& options) {
  return search_from(rows.lists(), &rows, rows.num_vertices(), root, options);
}

}  // namespace pe_array
}  // namespace gaspipe
