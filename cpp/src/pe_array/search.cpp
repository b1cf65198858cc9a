// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/pe_array/search.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "cpp/src/clock.h"
#include "gaspipe/error.h"
#include "hls/local_store/pull.h"

namespace gaspipe {
namespace pe_array {
namespace {

// How many vertices a PE has room for, after all checks. What lies in a card's banks is checked where it is put there.
VertexId capacity_for_search(const DeviceLists& lists, const PullRows* pulls, const OnBoard& on_board) {
  const Board& board = on_board.board();
  const int num_pes = lists.num_pes();
  const VertexId share = lists.owners().share();
  if (const KernelAlone* const card = on_board.card()) return card->checked_capacity(num_pes, share);
  const VertexId capacity = capacity_on(board, num_pes, pulls != nullptr);
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
  return capacity;
}

std::vector<VertexId> places_of(const PullRows* pulls, std::vector<VertexId> vertices, VertexId num_vertices) {
  for (VertexId& v : vertices) {
    if (v >= num_vertices) {
      throw InputError(message("root is ", v, "; the graph's ", num_vertices, " vertices allow 0 to ",
                               std::int64_t(num_vertices) - 1));
    }
    if (pulls != nullptr) v = pulls->place(v);
  }
  return vertices;
}

constexpr std::uint32_t kAllLevels = ~0u;

VertexId num_vertices_of(const DeviceLists& lists, const PullRows* pulls) {
  return pulls == nullptr ? lists.num_vertices() : pulls->num_vertices();
}

}  // namespace

Search::Search(const DeviceLists& lists, const PullRows* pulls, const std::shared_ptr<const void>& key,
               const std::vector<VertexId>& roots, const RunOptions& options, Leads leads)
    : lists_(lists),
      pulls_(pulls),
      // Who wants to know of every level gets a launch of each; a kernel that only pushes knows no other.
      leads_(options.card && (pulls == nullptr || options.progress) ? Leads::kHost : leads),
      board_(options, pulls == nullptr ? "local_store_bfs" : "pull_bfs"),
      capacity_(capacity_for_search(lists, pulls, board_)),
      banks_(lists, pulls, places_of(pulls, roots, num_vertices_of(lists, pulls)), board_.card(), key),
      depth_(num_vertices_of(lists, pulls)),
      parent_(depth_.size()) {
  std::fill_n(depth_.data(), depth_.size(), -1);
  std::fill_n(parent_.data(), parent_.size(), -1);
  if (pulls != nullptr) control_.start(list_words(), pulls->num_headed());
  if (board_.is_timed()) describe();
  note_level();
}

const char* Search::name() const { return pulls_ == nullptr ? kPushMethod : kPullMethod; }

abi::Superstep Search::step() {
  const auto begin = Clock::now();
  const bool is_pulled = is_worth_pulling();
  abi::Superstep step{is_pulled ? abi::kPullStep : abi::kPushStep, num_found_, edges_found_, {}};
  const predict::KernelTiming timing = launch(is_pulled);
  banks_.end_level();
  ++level_;
  step.seconds[abi::kScatterGather] = seconds_since(begin);
  note_level();
  if (is_pulled) step.edges = sources_looked_at();
  if (board_.is_timed()) take(timing, is_pulled, step.edges);
  level_pulled_.push_back(is_pulled);
  return step;
}

Profile Search::profile() const {
  Profile profile;
  profile.num_pes = lists_.num_pes();
  profile.capacity = capacity_;
  profile.lists_bytes = lists_.num_bytes() + (pulls_ == nullptr ? 0 : pulls_->num_bytes());
  profile.parent = parent_.freeze();
  profile.level_cycles = level_cycles_;
  profile.level_pulled = level_pulled_;
  profile.edges = edges_;
  return profile;
}

// Of all lists, as the kernel is told.
std::uint32_t Search::list_words() const {
  std::uint64_t sum = 0;
  for (VertexId place = 0; place < lists_.num_vertices(); ++place) sum += likely_words(lists_.code(place));
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(sum, std::numeric_limits<std::uint32_t>::max()));
}

// Takes over the newest level's vertices.
void Search::note_level() {
  num_found_ = edges_found_ = 0;
  for (int pe = 0; pe < lists_.num_pes(); ++pe) {
    num_found_ += banks_.each_entry(pe, [&](VertexId place, VertexId parent) {
      const VertexId v = vertex(place);
      depth_[v] = level_;
      parent_[v] = vertex(parent);
      edges_found_ += lists_.degree(place);
    });
  }
  edges_ += edges_found_;
}

void Search::take_back() {
  for (int pe = 0; pe < num_pes(); ++pe) each_found(pe, [&](VertexId v, VertexId) { depth_[v] = parent_[v] = -1; });
  edges_ -= edges_found_;
}

// Whether the next level is to be pulled, as the kernel decides it.
bool Search::is_worth_pulling() {
  if (pulls_ == nullptr) return false;
  before_ = control_;
  control_.begin();
  for (int pe = 0; pe < lists_.num_pes(); ++pe) control_.take(banks_.control(pe));
  control_.end();
  return control_.pulls(banks_.num_state_words(), static_cast<std::uint32_t>(lists_.num_pes()));
}

// In a level that was pulled: the first source of every vertex that had no mark, and the others where that was no hit.
std::uint64_t Search::sources_looked_at() const {
  std::uint64_t num = 0;
  for (VertexId place = 0; place < lists_.num_vertices(); ++place) {
    const VertexId v = vertex(place), share = lists_.owners().share();
    if (v == kNoVertex || place % share >= pulls_->num_groups() * kHeadsPerGroup) continue;
    if (depth_[v] >= 0 && depth_[v] < level_) continue;
    const PullRows::Head head = pulls_->head(place);
    const bool is_hit = depth_[v] == level_ && parent_[v] == std::int64_t(vertex(head.source));
    num += 1 + (is_hit ? 0 : head.num_others);
  }
  return num;
}

// The kernel decides by itself whether it pulls, from the same words.
void Search::launch_on(KernelAlone& card) {
  const bool goes_through = leads_ == Leads::kKernel;
  if (!goes_through || level_ == 0) {
    banks_.send();
    card.set("num_state_words", banks_.num_state_words());
    card.set("level", banks_.level());
    if (pulls_ != nullptr) {
      card.set("num_groups", pulls_->num_groups());
      card.set("num_levels", goes_through ? kAllLevels : 1u);
      card.set("num_list_words", before_.words_left);
      card.set("num_headed", before_.headed_left);
    }
    const std::uint64_t of_level = banks_.num_state_words();
    card.launch(lists_.num_edges() + of_level, goes_through ? of_level * depth_.size() : 0);
    if (!goes_through) return banks_.fetch();
    banks_.fetch_all();
  }
  banks_.replay();
}

predict::KernelTiming Search::launch(bool is_pulled) {
  if (KernelAlone* const card = board_.card()) {
    launch_on(*card);
    return {};
  }
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

void Search::describe() {
  const Board& board = board_.board();
  const int num_pes = lists_.num_pes();
  std::vector<std::size_t> banks;
  for (int pe = 0; pe < num_pes; ++pe) {
    banks.push_back(bank_of(board, num_pes, pe));
    if (pulls_ != nullptr) banks.push_back(rows_bank_of(board, num_pes, pe));
  }
  board_.describe(name(), num_pes, num_pes * uram_blocks(capacity_, num_pes, pulls_ != nullptr), lists_.num_edges(),
                  std::move(banks));
}

// A level's time.
void Search::take(predict::KernelTiming timing, bool is_pulled, std::uint64_t num_edges) {
  // Before a level the control words are read, one after the other.
  if (pulls_ != nullptr) timing.cycles += static_cast<unsigned>(lists_.num_pes()) * board_.memory_latency();
  // A kernel that also pulls can go from level to level by itself.
  const bool starts = pulls_ == nullptr || leads_ == Leads::kHost || level_cycles_.empty();
  board_.take(timing, is_pulled, starts, num_edges);
  level_cycles_.push_back(timing.cycles);
}

}  // namespace pe_array
}  // namespace gaspipe
