// SPDX-License-Identifier: Apache-2.0
// Shortest paths on an array of PEs: the loop over phases, as the kernel's top has it, and what a board would take. A
// card's kernel goes through all phases in one launch, where there is no progress to be told.
#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cpp/src/clock.h"
#include "cpp/src/pe_array/kernel.h"
#include "cpp/src/pe_array/on_board.h"
#include "gaspipe/error.h"
#include "gaspipe/pe_array.h"
#include "hls/local_store/bucket.h"
#include "hls/local_store/code.h"

namespace gaspipe {
namespace pe_array {
namespace {

constexpr const char* kMethod = "delta_stepping";

constexpr std::uint32_t kAllPhases = ~0u;

// How many vertices a PE has room for, after all checks. What lies in a card's banks is checked where it is put there.
VertexId capacity_for_paths(const WeightedRows& rows, const OnBoard& on_board) {
  const Board& board = on_board.board();
  const int num_pes = rows.num_pes();
  if (const KernelAlone* const card = on_board.card()) return card->checked_capacity(num_pes, rows.share());
  const VertexId capacity = settled_capacity_on(board, num_pes);
  const char* const instead = num_pes < kMostPes ? "use more workers, 8 at the most, or device=\"cpu\""
                                                 : "use another board, or device=\"cpu\"";
  if (rows.share() > capacity) {
    throw CapacityError(message("each of ", num_pes, " PEs would own ", rows.share(), " vertices, and the URAM of ",
                                board.name, " has room for distances of ", capacity, " in each; ", instead));
  }
  std::vector<std::uint64_t> of_rows, of_vertices;
  for (int pe = 0; pe < num_pes; ++pe) {
    of_rows.push_back(rows.edges(pe).size() * sizeof(Line));
    of_vertices.push_back((rows.heads(pe).size() + rows.num_words() + 1) * sizeof(Line));
  }
  check_banks(board, {"rows", of_rows}, {"distances and heads", of_vertices}, instead);
  return capacity;
}

template <class Number>
class PathSearch {
 public:
  PathSearch(const std::shared_ptr<const WeightedRows>& shared, VertexId root, const RunOptions& options)
      : rows_(*shared), options_(options), board_(options, kMethod) {
    const WeightedRows& rows = rows_;
    made_.capacity = capacity_for_paths(rows, board_);
    KernelAlone* const card = board_.card();
    if (card != nullptr) card->place(shared, arrays(), rows.num_edges());
    const std::uint64_t none = std::uint64_t(kNoDistance) << 32 | kNoDistance;
    for (int pe = 0; pe < rows.num_pes(); ++pe) {
      if (card == nullptr) memory_.emplace_back(std::uint64_t(rows.num_words()) + 1);
      Line* const distances = card == nullptr ? memory_.back().data() : static_cast<Line*>(card->changed(pe));
      distances[0] = {};
      distances[0].lane[DistanceLane::kNearest] = kNoDistance;
      std::fill_n(distances + 1, rows.num_words(), Line{{none, none, none, none, none, none, none, none}});
      ports_.push_back({rows.heads(pe).data(), rows.edges(pe).data(), distances});
    }
    const auto pes = static_cast<VertexId>(rows.num_pes());
    const DistancePorts& own = ports_[root % pes];
    own.distances[0].lane[DistanceLane::kNearest] = 0;
    own.set_cell(root / pes, kWaits);
    if (board_.is_timed()) describe();
    if (card == nullptr) return;
    for (int pe = 0; pe < rows.num_pes(); ++pe) card->send(pe, 0, distance_bytes());
    card->set("num_words", rows.num_words());
    card->set("balance", rows.balance());
  }

  Paths run() {
    const auto start = Clock::now();
    KernelAlone* const card = board_.card();
    if (card != nullptr && !options_.progress) {
      launch_on(*card, 0, rows_.width(), kAllPhases);
      take_distances();
      abi::Superstep step{abi::kPushStep, num_reached_, made_.edges, {}};
      step.seconds[abi::kScatterGather] = seconds_since(start);
      made_.stats.supersteps.add(step);
    } else {
      go_by_phases(card);
      take_distances();
    }
    made_.width = std::is_same_v<Number, float> ? from_bits<float>(rows_.width()) : rows_.width();
    made_.stats.seconds = seconds_since(start);
    board_.finish(made_.stats, kMethod, rows_.num_edges());
    if (std::is_same_v<Number, float>) made_.stats.number = "float32";
    return std::move(made_);
  }

 private:
  void go_by_phases(KernelAlone* card) {
    const std::uint32_t num_words = rows_.num_words();
    BucketControl<Number> control;
    control.start(0, rows_.width(), rows_.balance());
    for (;;) {
      control.begin();
      for (const DistancePorts& one : ports_) control.take(one.distances[0]);
      if (control.is_done()) break;
      const auto begin = Clock::now();
      made_.num_buckets += control.num_near == 0;
      const std::uint32_t last_limit = control.limit;
      control.advance();
      const std::uint32_t limit = control.limit;
      abi::Superstep step{abi::kPushStep, 0, 0, {}};
      count_near(limit, step);
      predict::KernelTiming timing;
      if (card != nullptr) {
        launch_on(*card, last_limit, control.width, 1);
      } else {
        timing = board_.launch(
            kMethod, [&] { run_phase_fast<Number>(ports_, num_words, limit); },
            [&] { run_phase<Number>(ports_, num_words, limit); }, [&](emulator::MemoryMap& memory) { add_to(memory); });
      }
      step.seconds[abi::kScatterGather] = seconds_since(begin);
      if (board_.is_timed()) {
        // Before a phase the control words are read, one after the other.
        timing.cycles += static_cast<unsigned>(rows_.num_pes()) * board_.memory_latency();
        board_.take(timing, 0, made_.phase_cycles.empty(), step.edges);
        made_.phase_cycles.push_back(timing.cycles);
      }
      made_.stats.supersteps.add(step);
      if (options_.progress) options_.progress(made_.stats.supersteps.size() - 1, step);
    }
  }

  // Phases of a card's kernel. It chooses a limit as BucketControl does, of a width that the host has chosen.
  void launch_on(KernelAlone& card, std::uint32_t last_limit, std::uint32_t width, std::uint32_t num_phases) {
    card.set("limit", last_limit);
    card.set("width", width);
    card.set("num_phases", num_phases);
    const std::uint64_t of_phase = rows_.num_words(), most = num_phases > 1 ? of_phase * rows_.num_vertices() : 0;
    card.launch(rows_.num_edges() + of_phase, most);
    for (int pe = 0; pe < rows_.num_pes(); ++pe) card.fetch(pe, 0, distance_bytes());
  }
  std::uint64_t distance_bytes() const { return (std::uint64_t(rows_.num_words()) + 1) * sizeof(Line); }
  std::vector<std::vector<CardArray>> arrays() const {
    std::vector<std::vector<CardArray>> arrays;
    for (int pe = 0; pe < rows_.num_pes(); ++pe) {
      const Array<Line>&heads = rows_.heads(pe), &edges = rows_.edges(pe);
      arrays.push_back({{"distances", {"distances", "next_distances"}, nullptr, distance_bytes(), true},
                        {"heads", {"heads"}, heads.data(), heads.size() * sizeof(Line)},
                        {"edges", {"edges"}, edges.data(), edges.size() * sizeof(Line)}});
    }
    return arrays;
  }

  // The vertices that a phase sends, and their edges.
  void count_near(std::uint32_t limit, abi::Superstep& step) const {
    for (const DistancePorts& one : ports_) {
      for (std::uint32_t index = 0; index < rows_.share(); ++index) {
        if (!is_near(one.cell(index), limit)) continue;
        ++step.active_vertices;
        step.edges += one.num_edges(index);
      }
    }
  }

  void add_to(emulator::MemoryMap& memory) const {
    const Board& board = board_.board();
    const int num_pes = rows_.num_pes();
    for (int pe = 0; pe < num_pes; ++pe) {
      const auto add = [&](const char* what, const Line* begin, std::uint64_t num, std::size_t bank, bool is_written) {
        if (num != 0) memory.add(message(what, pe), begin, num * sizeof(Line), bank, is_written);
      };
      const DistancePorts& ports = ports_[static_cast<std::size_t>(pe)];
      const std::size_t bank = bank_of(board, num_pes, pe);
      add("distances_", ports.distances, std::uint64_t(rows_.num_words()) + 1, bank, true);
      add("heads_", ports.heads, rows_.heads(pe).size(), bank, false);
      add("edges_", ports.edges, rows_.edges(pe).size(), rows_bank_of(board, num_pes, pe), false);
    }
  }

  void describe() {
    const Board& board = board_.board();
    const int num_pes = rows_.num_pes();
    std::vector<std::size_t> banks;
    for (int pe = 0; pe < num_pes; ++pe) {
      banks.push_back(bank_of(board, num_pes, pe));
      banks.push_back(rows_bank_of(board, num_pes, pe));
    }
    const int uram = num_pes * settled_uram_blocks(settled_capacity_on(board, num_pes));
    board_.describe(kMethod, num_pes, uram, rows_.num_edges(), std::move(banks));
  }

  void take_distances() {
    const VertexId n = rows_.num_vertices(), pes = static_cast<VertexId>(rows_.num_pes());
    using Answer = std::conditional_t<std::is_same_v<Number, float>, float, std::int64_t>;
    const Writable<Answer> distance(n);
    for (VertexId v = 0; v < n; ++v) {
      const DistancePorts& owner = ports_[v % pes];
      const std::uint32_t found = distance_of(owner.cell(v / pes));
      constexpr bool is_floating = std::is_same_v<Number, float>;
      if (found == Length<Number>::kFarthest) {
        const std::string most = is_floating ? std::string("beyond float32") : message(found, " or more");
        throw CapacityError(message("the distance of vertex ", v, " is ", most, "; method=\"", kMethod,
                                    "\" keeps 31 bits; use smaller weights, or device=\"cpu\"",
                                    is_floating ? " with float64" : ""));
      }
      if constexpr (is_floating) {
        distance[v] = found == kNoDistance ? std::numeric_limits<float>::infinity() : from_bits<float>(found);
      } else {
        distance[v] = found == kNoDistance ? -1 : std::int64_t(found);
      }
      if (found == kNoDistance) continue;
      ++num_reached_;
      made_.edges += owner.num_edges(v / pes);
    }
    made_.distance = distance.freeze();
  }

  const WeightedRows& rows_;
  const RunOptions& options_;
  OnBoard board_;
  std::vector<Writable<Line>> memory_;  // of distances, without a card
  std::vector<DistancePorts> ports_;
  std::uint64_t num_reached_ = 0;
  Paths made_;
};

void check_number(const WeightedRows& rows, const RunOptions& options) {
  if (!options.card) return;
  const CardDesign& design = options.card->design();
  const std::string needed = rows.is_floating() ? "float32" : "uint32";
  if (design.number == needed) return;
  throw DeviceError(message(design.xclbin, " computes with ", design.number, ", and the weights of this graph need ",
                            needed, "; build it with --number ", needed));
}

}  // namespace

Paths shortest_paths(const std::shared_ptr<const WeightedRows>& rows, VertexId root, const RunOptions& options) {
  check_options(options);
  if (root >= rows->num_vertices()) {
    throw InputError(message("root is ", root, "; the graph's ", rows->num_vertices(), " vertices allow 0 to ",
                             std::int64_t(rows->num_vertices()) - 1));
  }
  check_number(*rows, options);
  return rows->is_floating() ? PathSearch<float>(rows, root, options).run()
                             : PathSearch<std::uint32_t>(rows, root, options).run();
}

}  // namespace pe_array
}  // namespace gaspipe
