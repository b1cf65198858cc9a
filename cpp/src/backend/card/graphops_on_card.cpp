// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/backend/card/graphops_on_card.h"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <utility>

#include "cpp/src/predict/predictor.h"
#include "gaspipe/boards.h"
#include "gaspipe/error.h"
#include "hls/block/end_collect.h"

namespace gaspipe {
namespace {

constexpr std::uint64_t kCyclesPerEdge = 16, kCyclesPerLine = 64;  // more than any chain takes
const std::string kSetPort = "set", kNextSetPort = "next_set", kEndsPort = "ends";

bool is_one_of(const std::string& name, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&](const char* each) { return name == each; });
}

double mhz_of(const CardDesign& design) {
  return design.clock_mhz > 0 ? design.clock_mhz : clock_mhz(find_board(design.board));
}

}  // namespace

GraphopsOnCard::GraphopsOnCard(const RunOptions& options, const std::string& name)
    : GraphopsKernel(name), card_(options, table_.name, message("design=\"", options.design, "\"")) {
  check_graphops_options(options);
  const Board& board = find_board(card_.design().board);
  stats_.bytes_per_cycle = predict::surroundings_of(board, mhz_of(card_.design()), {}).channel.bytes_per_cycle;
  for (std::size_t p = 0; p < table_.num_ports; ++p) {
    if (table_.ports[p].kind != PortKind::kScalar) ports_.push_back(&table_.ports[p]);
  }
}

void GraphopsOnCard::begin(const std::shared_ptr<const void>& key, EdgeCount most_written, std::uint64_t most_read) {
  key_ = key;
  most_written_ = most_written;
  most_read_ = most_read;
  arrays_.clear();
}

// Ports of one array of the host's share one on the card.
void GraphopsOnCard::place(const std::vector<abi::Buffer>& buffers, EdgeCount num_edges) {
  std::vector<CardArray> wanted;
  std::vector<Shared> arrays;
  for (std::size_t p = 0; p < ports_.size(); ++p) {
    const std::string name = ports_[p]->name;
    std::size_t i = 0;
    while (i < arrays.size() && buffers[arrays[i].first_port].data != buffers[p].data) ++i;
    if (i == arrays.size()) {
      const bool changes = !is_one_of(name, {"offsets", "targets", "weights"});
      arrays.push_back({p, name, false, false, changes});
      const std::uint64_t num_bytes = name == kSetPort       ? lines_of(most_read_, 8).size() * 64
                                      : name == kNextSetPort ? lines_of(most_written_, 8).size() * 64
                                                             : buffers[p].num_bytes;
      wanted.push_back({name, {}, buffers[p].data, num_bytes, changes});
    }
    wanted[i].ports.push_back(ports_[p]->name);
    (ports_[p]->kind == PortKind::kWrite ? arrays[i].is_written : arrays[i].is_read) = true;
  }
  card_.place(key_, {wanted}, num_edges);
  arrays_ = std::move(arrays);
}

void GraphopsOnCard::send(const std::vector<abi::Buffer>& buffers, std::uint32_t num_groups) {
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    if (!arrays_[i].is_read || !arrays_[i].changes) continue;
    const abi::Buffer& from = buffers[arrays_[i].first_port];
    const std::uint64_t num_bytes = arrays_[i].name != kSetPort ? from.num_bytes
                                    : num_groups == 0           ? 0
                                                                : lines_of(num_groups, 8).size() * 64;
    std::memcpy(card_.changed(0, i), from.data, num_bytes);
    card_.send(0, 0, num_bytes, i);
  }
}

void GraphopsOnCard::fetch(const std::vector<abi::Buffer>& buffers) {
  const auto take = [&](std::size_t i, std::uint64_t num_bytes) {
    card_.fetch(0, 0, num_bytes, i);
    std::memcpy(buffers[arrays_[i].first_port].data, card_.changed(0, i), num_bytes);
  };
  // Last words first: the first of a search's tells how much of a set there is.
  const auto ends = static_cast<std::size_t>(
      std::find_if(arrays_.begin(), arrays_.end(), [](const Shared& array) { return array.name == kEndsPort; }) -
      arrays_.begin());
  take(ends, ends_.size() * 64);
  const auto* const words = reinterpret_cast<const std::uint64_t*>(ends_.data());
  if (words[0] != block::kAllEnded) {
    throw DeviceError(message(name(), " wrote ", words[0], " where it says that all blocks have ended, which is ",
                              std::uint64_t(block::kAllEnded), "; nothing of this run can be used"));
  }
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    if (!arrays_[i].is_written || i == ends) continue;
    const abi::Buffer& to = buffers[arrays_[i].first_port];
    if (arrays_[i].name != kNextSetPort) {
      take(i, to.num_bytes);
      continue;
    }
    const std::uint64_t num_groups = words[2];
    if (num_groups > to.num_bytes / 8) {
      throw DeviceError(message(name(), " wrote a set of ", num_groups, " groups, of at most ", to.num_bytes / 8,
                                "; nothing of this run can be used"));
    }
    if (num_groups > 0) take(i, lines_of(num_groups, 8).size() * 64);
  }
}

std::uint64_t GraphopsOnCard::launch(const std::vector<abi::Buffer>& buffers, const std::vector<std::uint32_t>& scalars,
                                     bool /*is_weighted*/, EdgeCount num_edges) {
  if (arrays_.empty()) place(buffers, num_edges);
  std::size_t next = 0;
  std::uint32_t num_groups = 0;
  for (std::size_t p = 0; p < table_.num_ports; ++p) {
    const Port& port = table_.ports[p];
    if (port.kind != PortKind::kScalar) continue;
    if (std::strcmp(port.name, "num_groups") == 0) num_groups = scalars[next];
    card_.set(port.name, scalars[next++]);
  }
  send(buffers, num_groups);
  std::uint64_t num_lines = 0;
  for (const abi::Buffer& buffer : buffers) num_lines += buffer.num_bytes / 64;
  const double seconds = card_.launch(kCyclesPerEdge * num_edges + kCyclesPerLine * num_lines);
  fetch(buffers);
  return static_cast<std::uint64_t>(seconds * mhz_of(card_.design()) * 1e6);
}

void GraphopsOnCard::describe(Stats& stats, EdgeCount /*graph_edges*/) const {
  card_.describe(stats);
  stats.blocks = stats_;
}

}  // namespace gaspipe
