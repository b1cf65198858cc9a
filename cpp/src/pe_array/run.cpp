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
#include "cpp/src/predict/predictor.h"
#include "cpp/src/predict/resources.h"
#include "cpp/src/predict/statistics.h"
#include "gaspipe/engine/emulation.h"
#include "gaspipe/error.h"
#include "gaspipe/executors.h"
#include "gaspipe/pe_array.h"
#include "hls/local_store/direction.h"
#include "hls/local_store/pull.h"

namespace gaspipe {
namespace pe_array {
namespace {

constexpr const char* kPushes = "local_store";
constexpr const char* kPulls = "direction_optimizing";  // where that takes less
constexpr std::size_t kReportBytes = 1 << 14;

// For the statistics of streams and tasks: marking takes what is received.
const predict::KernelConfig kKernel = {
    {"pe_array", "a search by an array of PEs", 1, kMostPes, kMostOwned, sizeof(ListCode)},
    false,
    Skips::kNothing,
    false,
    {0, 0, 0},
    "received",
    nullptr,
    nullptr};

const Board& board_of(const RunOptions& options) {
  const std::string which = which_of(options.device);
  return find_board(which.empty() ? kDefaultBoard : which);
}

abi::Execution execution_of(const RunOptions& options) {
  std::string name = options.execution;
  if (name == "auto") name = which_of(options.device).empty() ? "fast" : "exact";
  return name == "fast" ? abi::kFast : name == "exact" ? abi::kExact : abi::kExactShallow;
}

void check_options(const RunOptions& options) {
  const RunOptions defaults;
  const auto refuse = [&](const char* what, const char* remedy) {
    throw InputError(
        message(what, "; method=\"", options.method, "\" with device=\"", options.device, "\" ", remedy, ": omit it"));
  };
  if (options.number != "auto" && options.number != "uint32") {
    refuse(message("number is \"", options.number, "\"").c_str(), "counts in \"uint32\"");
  }
  if (options.local_store_bytes) {
    refuse(message("local_store_bytes is ", *options.local_store_bytes).c_str(), "has the stores of the kernel");
  }
  if (options.hide_latency != defaults.hide_latency) refuse("hide_latency is False", "always hides it");
  if (options.trace != defaults.trace) refuse("trace is True", "has no periods of the host to record");
  if (options.scheduler != defaults.scheduler) {
    refuse(message("scheduler is \"", options.scheduler, "\"").c_str(), "has one kernel");
  }
  if (options.checkpoint) refuse("checkpoint is given", "writes none");
  if (options.resume) refuse("resume is given", "cannot go on from one");
  if (options.every) refuse("every is given", "writes no checkpoints");
  if (options.config != defaults.config)
    refuse(message("config is \"", options.config, "\"").c_str(), "has one kernel");
  if (options.design != defaults.design)
    refuse(message("design is \"", options.design, "\"").c_str(), "has one kernel");
  if (options.skip_idle != defaults.skip_idle) refuse("skip_idle is False", "has no edges to pass over");
  if (options.partition) refuse("partitioning is given", "has owners instead");
}

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
  if (board.memory.bytes_per_bank == 0) return;  // unknown
  // Of several channels of HBM the lists have all but one; elsewhere a PE has one bank, or a share of it.
  const int own = board.memory.kind == MemoryKind::kHbm ? board.memory.num_banks / num_pes : 1;
  std::vector<std::uint64_t> lists_bytes(static_cast<std::size_t>(board.memory.num_banks), 0), queue_bytes(lists_bytes);
  for (int pe = 0; pe < num_pes; ++pe) {
    const std::size_t bank = bank_of(board, num_pes, pe);
    lists_bytes[bank] += lists.lists(pe).size() * sizeof(Line);
    if (pulls != nullptr) lists_bytes[bank] += pulls->rows(pe).size() * sizeof(SourceWord);
    queue_bytes[bank] += queue_words(state_words(share), lists.owners().count(pe)) * sizeof(Line);
  }
  const auto check = [&](const char* what, std::uint64_t needed, int num_banks) {
    const std::uint64_t available = board.memory.bytes_per_bank * static_cast<std::uint64_t>(num_banks);
    if (needed <= available) return;
    throw CapacityError(message("a PE's ", what, " take ", needed, " bytes of ", board.name, "'s memory, and ",
                                available, " are there for them; ", more));
  };
  for (std::size_t bank = 0; bank < lists_bytes.size(); ++bank) {
    if (own > 1) {
      check(pulls == nullptr ? "lists" : "lists and rows", lists_bytes[bank], own - 1);
      check("queue and bitmaps", queue_bytes[bank], 1);
    } else {
      check(pulls == nullptr ? "lists, queue and bitmaps" : "lists, rows, queue and bitmaps",
            lists_bytes[bank] + queue_bytes[bank], 1);
    }
  }
}

// Levels of a search, and their time on a board.
class Search {
 public:
  // `pulls`: null where every level is pushed.
  Search(const DeviceLists& lists, const PullRows* pulls, VertexId root, const RunOptions& options)
      : lists_(lists),
        pulls_(pulls),
        options_(options),
        board_(board_of(options)),
        execution_(execution_of(options)),
        around_(predict::surroundings_of(board_, clock_mhz(board_), {})),
        workers_(1, options.interrupted),
        banks_(lists, pulls, pulls == nullptr ? root : pulls->place(root)),
        depth_(pulls == nullptr ? lists.num_vertices() : pulls->num_vertices()),
        parent_(depth_.size()) {
    std::fill_n(depth_.data(), depth_.size(), -1);
    std::fill_n(parent_.data(), parent_.size(), -1);
    if (pulls != nullptr) control_.start(list_words(), pulls->num_headed());
    if (execution_ != abi::kFast) describe();
  }

  Run run() {
    const auto start = Clock::now();
    note_level(0);
    for (std::int32_t level = 1; num_found_ > 0; ++level) {
      const auto begin = Clock::now();
      const bool is_pulled = is_worth_pulling();
      abi::Superstep step{is_pulled ? abi::kPullStep : abi::kPushStep, num_found_, edges_found_, {}};
      predict::KernelTiming timing;
      launch(is_pulled, timing);
      banks_.end_level();
      step.seconds[abi::kScatterGather] = seconds_since(begin);
      note_level(level);
      if (is_pulled) step.edges = sources_looked_at(level);
      if (execution_ != abi::kFast) take(timing, is_pulled, step.edges);
      made_.level_pulled.push_back(is_pulled);
      made_.stats.supersteps.add(step);
      if (options_.progress) options_.progress(made_.stats.supersteps.size() - 1, step);
    }
    made_.depth = depth_.freeze();
    made_.parent = parent_.freeze();
    made_.stats.seconds = seconds_since(start);
    return std::move(made_);
  }
  const std::optional<Prediction>& prediction() const { return prediction_; }

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

  void launch(bool is_pulled, predict::KernelTiming& timing) {
    const std::vector<Ports> ports = banks_.ports();
    const std::uint32_t num_state_words = banks_.num_state_words(), level = banks_.level();
    if (execution_ == abi::kFast) {
      if (is_pulled) {
        run_pull_fast(ports, num_state_words, level, pulls_->num_groups());
      } else {
        run_level_fast(ports, num_state_words, level);
      }
      workers_.check();
      return;
    }
    std::string report(kReportBytes, '\0');
    Asking asking{&workers_, &timing};
    abi::Emulation emulation{};
    emulation.execution = execution_;
    emulation.self = &asking;
    emulation.stopped = [](void* self) -> std::int32_t { return static_cast<Asking*>(self)->workers->poll(0); };
    emulation.used = [](void* self, const abi::KernelUse* use) {
      *static_cast<Asking*>(self)->timing = predict::timing_from(*use);
    };
    emulation.report = &report[0];
    emulation.report_size = report.size();
    emulator::MemoryMap memory(std::vector<emulator::Channel>(static_cast<std::size_t>(board_.memory.num_banks),
                                                              emulator::Channel(around_.channel)));
    banks_.add_to(memory, board_);
    const std::int32_t status = engine::emulate(&emulation, memory, [&] {
      if (is_pulled) {
        run_pull(ports, num_state_words, level, pulls_->num_groups());
      } else {
        run_level(ports, num_state_words, level);
      }
    });
    if (status == abi::kOutOfMemory) throw std::bad_alloc();
    if (status == abi::kBadDesign) {
      throw DeviceError(message("emulator, ", is_pulled ? "pull_bfs: " : "local_store_bfs: ", report.c_str()));
    }
    if (status == abi::kCancelled) workers_.cancel();
    workers_.check();
    timing.cycles = emulation.cycles;
  }

  void describe() {
    for (int pe = 0; pe < lists_.num_pes(); ++pe) {
      banks_used_.push_back(bank_of(board_, lists_.num_pes(), pe));
      if (pulls_ != nullptr) banks_used_.push_back(rows_bank_of(board_, lists_.num_pes(), pe));
    }
    std::sort(banks_used_.begin(), banks_used_.end());
    banks_used_.erase(std::unique(banks_used_.begin(), banks_used_.end()), banks_used_.end());
    prediction_.emplace();
    prediction_->board = board_.name;
    prediction_->config = pulls_ == nullptr ? kPushes : kPulls;
    prediction_->clock_mhz = clock_mhz(board_);
    prediction_->num_units = lists_.num_pes();
    prediction_->launch_seconds = launch_seconds(board_);
    prediction_->step_overhead_seconds = step_seconds(board_);
    prediction_->graph_edges = lists_.num_edges();
    prediction_->peak_bytes_per_second = peak_bytes_per_second(board_.memory) * static_cast<double>(banks_used_.size());
    prediction_->channels.resize(banks_used_.size());
    prediction_->units.resize(1);
    const int num_pes = lists_.num_pes();
    const VertexId capacity = capacity_on(board_, num_pes, pulls_ != nullptr);
    prediction_->resources.uram = num_pes * uram_blocks(capacity, num_pes, pulls_ != nullptr);
    prediction_->resources.uram_available = board_.num_uram();
    prediction_->resources.bram_available = board_.num_bram();
    prediction_->resources.luts_available = board_.num_luts();
  }
  // A level's time.
  void take(predict::KernelTiming timing, bool is_pulled, std::uint64_t num_edges) {
    // Before a level the control words are read, one after the other.
    if (pulls_ != nullptr) {
      timing.cycles += static_cast<unsigned>(lists_.num_pes()) * std::uint64_t(around_.channel.latency);
    }
    Prediction& prediction = *prediction_;
    if (!std::exchange(has_run_[is_pulled], true))
      prediction.resources.bram += predict::blocks_of(timing.stats, 1).bram;
    predict::add_statistics(prediction, kKernel, timing, pulls_ != nullptr);
    made_.level_cycles.push_back(timing.cycles);
    StepPrediction step;
    step.scatter_gather_seconds = static_cast<double>(timing.cycles) / (clock_mhz(board_) * 1e6);
    step.seconds = step.scatter_gather_seconds;
    // A kernel that also pulls goes from level to level by itself.
    if (pulls_ == nullptr || prediction.steps.empty()) {
      step.seconds += prediction.launch_seconds + prediction.step_overhead_seconds;
    }
    step.edges = step.timed_edges = num_edges;
    for (std::size_t channel = 0; channel < prediction.channels.size(); ++channel) {
      const double bytes = timing.bytes[banks_used_[channel]];
      prediction.channels[channel].bytes += static_cast<std::uint64_t>(bytes);
      prediction.channels[channel].busy_seconds += bytes / bytes_per_second(board_.memory);
      step.bytes += static_cast<std::uint64_t>(bytes);
    }
    prediction.units[0].busy_seconds += step.scatter_gather_seconds;
    prediction.units[0].edges += num_edges;
    prediction.units[0].bytes += step.bytes;
    prediction.add_step(step);
  }

  struct Asking {
    Workers* workers;
    predict::KernelTiming* timing;
  };

  const DeviceLists& lists_;
  const PullRows* pulls_;
  const RunOptions& options_;
  const Board& board_;
  abi::Execution execution_;
  predict::Surroundings around_;
  Workers workers_;
  Banks banks_;
  Writable<std::int32_t> depth_;
  Writable<std::int64_t> parent_;
  LevelControl control_ = {};
  std::uint64_t num_found_ = 0, edges_found_ = 0;  // of the newest level: vertices, and their edges
  std::vector<std::size_t> banks_used_;
  bool has_run_[2] = {false, false};  // the kernel that pushes, that which pulls
  std::optional<Prediction> prediction_;
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
  Search search(lists, pulls, root, options);
  Run made = search.run();
  made.capacity = capacity;
  Stats& stats = made.stats;
  stats.device = "emulator";
  stats.method = pulls == nullptr ? kPushes : kPulls;
  stats.number = "uint32";
  stats.execution = options.execution != "auto" ? options.execution : made.level_cycles.empty() ? "fast" : "exact";
  stats.board = board.name;
  stats.clock_mhz = clock_mhz(board);
  stats.prediction = search.prediction();
  stats.phases[abi::kScatterGather] = stats.supersteps.seconds(abi::kScatterGather);
  stats.phases[abi::kStart] = std::max(0.0, stats.seconds - stats.phases[abi::kScatterGather]);
  stats.num_edges = lists.num_edges();
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
