// SPDX-License-Identifier: Apache-2.0
// A search on an array of PEs: the host's loop over levels, and what a board would take for it.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "cpp/src/clock.h"
#include "cpp/src/pe_array/kernel.h"
#include "cpp/src/predict/predictor.h"
#include "cpp/src/predict/resources.h"
#include "cpp/src/predict/statistics.h"
#include "gaspipe/engine/emulation.h"
#include "gaspipe/error.h"
#include "gaspipe/executors.h"
#include "gaspipe/pe_array.h"
#include "hls/local_store/code.h"

namespace gaspipe {
namespace pe_array {
namespace {

constexpr const char* kMethod = "local_store";
constexpr std::size_t kReportBytes = 1 << 14;

// For the statistics of streams and tasks: marking takes what is received.
const predict::KernelConfig kKernel = {
    {kMethod, "Cell's search by an array of PEs", 1, kMostPes, kMostOwned, sizeof(ListCode)},
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
        message(what, "; method=\"", kMethod, "\" with device=\"", options.device, "\" ", remedy, ": omit it"));
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
  if (options.partition) refuse("partitioning is given", "has owners instead");
}

// Words of a PE's queue, with the states before it. A level's entries begin with a word, and it has one at least.
std::uint64_t queue_words(std::uint32_t num_state_words, VertexId num_owned) {
  return 2 * std::uint64_t(num_state_words) + num_owned;
}

// The memory of the PEs, as launches change it.
class Banks {
 public:
  Banks(const DeviceLists& lists, VertexId root)
      : lists_(lists), num_state_words_(state_words(lists.owners().share())) {
    for (int pe = 0; pe < lists.num_pes(); ++pe) {
      const Writable<Line> queue(queue_words(num_state_words_, lists.owners().count(pe)));
      std::fill_n(queue.data(), 2 * num_state_words_, Line{});
      queue[0].lane[ControlLane::kFirstWord] = 2 * num_state_words_;
      queues_.push_back(queue);
    }
    const Writable<Line>& queue = queues_[lists.owners().of(root)];
    const std::uint32_t index = code_index(lists.code(root));
    queue[0].lane[ControlLane::kNumEntries] = 1;
    queue[1 + index / kMarksPerWord].lane[index % kMarksPerWord / kMarksPerRow] = std::uint64_t(1)
                                                                                  << index % kMarksPerRow;
    Line& entry = queue[2 * num_state_words_];
    entry = {};
    entry.lane[0] = lists.code(root);
    entry.lane[1] = root;
  }

  std::uint32_t num_state_words() const { return num_state_words_; }
  std::uint32_t turn() const { return turn_; }
  void end_level() { turn_ = 1 - turn_; }
  std::vector<Ports> ports() const {
    std::vector<Ports> ports;
    for (std::size_t pe = 0; pe < queues_.size(); ++pe) {
      ports.push_back({lists_.lists(static_cast<int>(pe)).data(), queues_[pe].data()});
    }
    return ports;
  }
  void add_to(emulator::MemoryMap& memory, const Board& board) const {
    const auto num_pes = static_cast<int>(queues_.size());
    for (int pe = 0; pe < num_pes; ++pe) {
      const std::size_t bank = bank_of(board, num_pes, pe), list_bytes = lists_.lists(pe).size() * sizeof(Line);
      if (list_bytes > 0) memory.add(message("lists_", pe), lists_.lists(pe).data(), list_bytes, bank, false);
      memory.add(message("queue_", pe), queues_[pe].data(), queues_[pe].size() * sizeof(Line), bank, true);
    }
  }

  // Vertices of a PE in the level that the next launch searches: visit(vertex, parent). Returns how many they are.
  template <class Visit>
  std::uint64_t each_entry(int pe, const Visit& visit) const {
    const Line& control = queues_[pe][turn_ * num_state_words_];
    const std::uint64_t first = control.lane[ControlLane::kFirstWord], num = control.lane[ControlLane::kNumEntries];
    for (std::uint64_t i = 0; i < num; ++i) {
      const Line& word = queues_[pe][first + i / kEntriesPerWord];
      const std::uint64_t* const entry = word.lane + 2 * (i % kEntriesPerWord);
      visit(lists_.owners().first(pe) + code_index(entry[0]), static_cast<VertexId>(entry[1]));
    }
    return num;
  }

 private:
  const DeviceLists& lists_;
  std::uint32_t num_state_words_, turn_ = 0;
  std::vector<Writable<Line>> queues_;
};

void check_board(const DeviceLists& lists, const Board& board, VertexId capacity) {
  const int num_pes = lists.num_pes();
  const VertexId share = lists.owners().share();
  const char* const more = num_pes < kMostPes ? "use more workers, 8 at the most, or device=\"cpu\""
                                              : "use another board, or device=\"cpu\"";
  if (share > capacity) {
    throw CapacityError(message("each of ", num_pes, " PEs would own ", share, " vertices, and the URAM of ",
                                board.name, " has room for bitmaps of ", capacity, " in each; ", more));
  }
  if (board.memory.bytes_per_bank == 0) return;  // unknown
  // Of several channels of HBM the lists have all but one; elsewhere a PE has one bank, or a share of it.
  const int own = board.memory.kind == MemoryKind::kHbm ? board.memory.num_banks / num_pes : 1;
  std::vector<std::uint64_t> lists_bytes(static_cast<std::size_t>(board.memory.num_banks), 0), queue_bytes(lists_bytes);
  for (int pe = 0; pe < num_pes; ++pe) {
    const std::size_t bank = bank_of(board, num_pes, pe);
    lists_bytes[bank] += lists.lists(pe).size() * sizeof(Line);
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
      check("lists", lists_bytes[bank], own - 1);
      check("queue and bitmaps", queue_bytes[bank], 1);
    } else {
      check("lists, queue and bitmaps", lists_bytes[bank] + queue_bytes[bank], 1);
    }
  }
}

// Levels of a search, and their time on a board.
class Search {
 public:
  Search(const DeviceLists& lists, VertexId root, const RunOptions& options)
      : lists_(lists),
        options_(options),
        board_(board_of(options)),
        execution_(execution_of(options)),
        around_(predict::surroundings_of(board_, clock_mhz(board_), {})),
        workers_(1, options.interrupted),
        banks_(lists, root),
        depth_(lists.num_vertices()),
        parent_(lists.num_vertices()) {
    std::fill_n(depth_.data(), depth_.size(), -1);
    std::fill_n(parent_.data(), parent_.size(), -1);
    if (execution_ != abi::kFast) describe();
  }

  Run run() {
    const auto start = Clock::now();
    std::uint64_t num_vertices = 1, num_edges = note_level(0);
    for (std::int32_t level = 1; num_vertices > 0; ++level) {
      const auto begin = Clock::now();
      launch(num_edges);
      banks_.end_level();
      abi::Superstep step{abi::kPushStep, num_vertices, num_edges, {}};
      step.seconds[abi::kScatterGather] = seconds_since(begin);
      made_.stats.supersteps.add(step);
      if (options_.progress) options_.progress(made_.stats.supersteps.size() - 1, step);
      num_edges = note_level(level);
      num_vertices = num_found_;
    }
    made_.depth = depth_.freeze();
    made_.parent = parent_.freeze();
    made_.stats.seconds = seconds_since(start);
    return std::move(made_);
  }
  const std::optional<Prediction>& prediction() const { return prediction_; }

 private:
  // Takes over a level's vertices; their edges.
  std::uint64_t note_level(std::int32_t level) {
    std::uint64_t edges = 0;
    num_found_ = 0;
    for (int pe = 0; pe < lists_.num_pes(); ++pe) {
      num_found_ += banks_.each_entry(pe, [&](VertexId v, VertexId parent) {
        depth_[v] = level;
        parent_[v] = parent;
        edges += lists_.degree(v);
      });
    }
    return edges;
  }

  void launch(std::uint64_t num_edges) {
    const std::vector<Ports> ports = banks_.ports();
    if (execution_ == abi::kFast) {
      run_level_fast(ports, banks_.num_state_words(), banks_.turn());
      workers_.check();
      return;
    }
    std::string report(kReportBytes, '\0');
    Asking asking{&workers_, {}};
    abi::Emulation emulation{};
    emulation.execution = execution_;
    emulation.self = &asking;
    emulation.stopped = [](void* self) -> std::int32_t { return static_cast<Asking*>(self)->workers->poll(0); };
    emulation.used = [](void* self, const abi::KernelUse* use) {
      static_cast<Asking*>(self)->timing = predict::timing_from(*use);
    };
    emulation.report = &report[0];
    emulation.report_size = report.size();
    emulator::MemoryMap memory(std::vector<emulator::Channel>(static_cast<std::size_t>(board_.memory.num_banks),
                                                              emulator::Channel(around_.channel)));
    banks_.add_to(memory, board_);
    const std::int32_t status =
        engine::emulate(&emulation, memory, [&] { run_level(ports, banks_.num_state_words(), banks_.turn()); });
    if (status == abi::kOutOfMemory) throw std::bad_alloc();
    if (status == abi::kBadDesign) throw DeviceError(message("emulator, local_store_bfs: ", report.c_str()));
    if (status == abi::kCancelled) workers_.cancel();
    workers_.check();
    asking.timing.cycles = emulation.cycles;
    take(asking.timing, num_edges);
  }

  void describe() {
    prediction_.emplace();
    prediction_->board = board_.name;
    prediction_->config = kMethod;
    prediction_->clock_mhz = clock_mhz(board_);
    prediction_->num_units = lists_.num_pes();
    prediction_->launch_seconds = launch_seconds(board_);
    prediction_->step_overhead_seconds = step_seconds(board_);
    prediction_->graph_edges = lists_.num_edges();
    const int num_channels = std::min(board_.memory.num_banks, lists_.num_pes());
    prediction_->peak_bytes_per_second = peak_bytes_per_second(board_.memory) * num_channels;
    prediction_->channels.resize(static_cast<std::size_t>(num_channels));
    prediction_->units.resize(1);
    prediction_->resources.uram = lists_.num_pes() * uram_blocks(capacity_on(board_, lists_.num_pes()));
    prediction_->resources.uram_available = board_.num_uram();
    prediction_->resources.bram_available = board_.num_bram();
    prediction_->resources.luts_available = board_.num_luts();
  }
  // A launch's time.
  void take(const predict::KernelTiming& timing, std::uint64_t num_edges) {
    Prediction& prediction = *prediction_;
    if (prediction.streams.empty()) prediction.resources.bram = predict::blocks_of(timing.stats, 1).bram;
    predict::add_statistics(prediction, kKernel, timing);
    made_.level_cycles.push_back(timing.cycles);
    StepPrediction step;
    step.scatter_gather_seconds = static_cast<double>(timing.cycles) / (clock_mhz(board_) * 1e6);
    step.seconds = step.scatter_gather_seconds + prediction.launch_seconds + prediction.step_overhead_seconds;
    step.edges = step.timed_edges = num_edges;
    for (std::size_t channel = 0; channel < prediction.channels.size(); ++channel) {
      const double bytes = timing.bytes[bank_of(board_, lists_.num_pes(), static_cast<int>(channel))];
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
    predict::KernelTiming timing;
  };

  const DeviceLists& lists_;
  const RunOptions& options_;
  const Board& board_;
  abi::Execution execution_;
  predict::Surroundings around_;
  Workers workers_;
  Banks banks_;
  Writable<std::int32_t> depth_;
  Writable<std::int64_t> parent_;
  std::uint64_t num_found_ = 0;
  std::optional<Prediction> prediction_;
  Run made_;
};

}  // namespace

int num_pes(const RunOptions& options) {
  check_options(options);
  const Board& board = board_of(options);
  if (!options.workers) return board.memory.num_banks >= kMostPes ? kMostPes : board.memory.num_banks >= 4 ? 4 : 2;
  const std::uint64_t workers = *options.workers;
  if (workers != 2 && workers != 4 && workers != 8) {
    throw InputError(message("workers is ", workers, "; with device=\"", options.device, "\" method=\"", kMethod,
                             "\" is a kernel of 2, 4 or 8 PEs"));
  }
  return static_cast<int>(workers);
}

Run run(const DeviceLists& lists, VertexId root, const RunOptions& options) {
  check_options(options);
  if (root >= lists.num_vertices()) {
    throw InputError(message("root is ", root, "; the graph's ", lists.num_vertices(), " vertices allow 0 to ",
                             std::int64_t(lists.num_vertices()) - 1));
  }
  const Board& board = board_of(options);
  const VertexId capacity = capacity_on(board, lists.num_pes());
  check_board(lists, board, capacity);
  Search search(lists, root, options);
  Run made = search.run();
  made.capacity = capacity;
  Stats& stats = made.stats;
  stats.device = "emulator";
  stats.method = kMethod;
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

}  // namespace pe_array
}  // namespace gaspipe
