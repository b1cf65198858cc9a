// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/stored_edges.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "cpp/src/run/number_formats.h"
#include "gaspipe/crc32.h"
#include "gaspipe/error.h"

namespace gaspipe {
namespace {

constexpr const char* kViewNames[] = {"forward", "reverse", "undirected"};
constexpr std::uint32_t kMostBlockBytes = 1 << 26;  // far above what is written

// A checksum can be made to be right. Sources are held against the index; of destinations only those in the last
// partition can be beyond the graph, and runs look up what they lead to.
void check_destinations(const StoredEdges& edges, const BlockEntry& entry, const std::uint8_t* bytes) {
  const std::uint64_t first = std::uint64_t(entry.partition) * kBlockCapacity, room = edges.num_vertices() - first;
  if (room >= kBlockCapacity) return;
  const std::uint8_t* const destinations = bytes + BlockLayout(entry.num_edges, edges.weight_bytes()).destinations;
  std::uint16_t largest = 0;
  for (std::uint32_t e = 0; e < entry.num_edges; ++e) {
    std::uint16_t destination;
    std::memcpy(&destination, destinations + 2 * std::size_t(e), sizeof destination);
    largest = std::max(largest, destination);
  }
  if (largest < room) return;
  throw GraphFormatError(
      message(edges.file()->name(), ": an edge leads to vertex ", first + largest, " of ", edges.num_vertices()));
}

}  // namespace

std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t total = 0, resident = 0;
  file >> total >> resident;
  return file ? resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

StoredEdges::StoredEdges(std::shared_ptr<const ReadFile> file, VertexId num_vertices, abi::Scalar weight_type,
                         const StoredFacts& facts, std::array<std::optional<StoredView>, 3> views, std::uint64_t memory,
                         std::string folder)
    : file_(std::move(file)),
      num_vertices_(num_vertices),
      weight_type_(weight_type),
      weight_bytes_(weight_type == abi::kNone ? 0 : static_cast<std::uint32_t>(bytes_of(weight_type))),
      facts_(facts),
      views_(std::move(views)),
      memory_(memory),
      memory_before_(resident_bytes()),
      folder_(std::move(folder)) {
  for (std::size_t i = 0; i < views_.size(); ++i) {
    if (views_[i]) index(*views_[i], kViewNames[i]);
  }
}

void StoredEdges::index(StoredView& view, const char* name) {
  std::uint64_t end = 0;
  std::uint32_t partition = 0;
  view.first_of.assign(num_partitions() + 1, 0);
  view.num_edges = 0;
  for (std::size_t i = 0; i < view.blocks.size(); ++i) {
    const BlockEntry& block = view.blocks[i];
    const BlockLayout layout(block.num_edges, weight_bytes_);
    const bool is_right = block.start >= end && block.start % kBlockAlignment == 0 && block.num_edges > 0 &&
                          block.num_runs > 0 && block.bytes <= kMostBlockBytes && layout.runs < block.bytes &&
                          block.partition >= partition && block.partition < num_partitions() &&
                          block.first_source <= block.last_source && block.last_source < num_vertices_ &&
                          (block.distance_bytes == 1 || block.distance_bytes == 2) &&
                          view.first_byte + block.start + block.bytes <= file_->size();
    if (!is_right) {
      throw GraphFormatError(message(file_->name(), ": the index of its ", name, " edges is wrong at block ", i));
    }
    end = block.start + block.bytes;
    partition = block.partition;
    ++view.first_of[std::size_t(partition) + 1];
    view.num_edges += block.num_edges;
    most_block_bytes_ = std::max(most_block_bytes_, block.bytes);
  }
  for (std::size_t p = 0; p < num_partitions(); ++p) view.first_of[p + 1] += view.first_of[p];
  view.is_sound.assign(view.blocks.size(), 0);
}

const StoredView& StoredEdges::view(View view, bool reads_weights, bool is_idempotent) const {
  const std::size_t which = static_cast<std::size_t>(view);
  if (views_[which]) return *views_[which];
  const bool is_same =
      facts_.is_symmetric && !reads_weights && (view == View::kReverse || facts_.is_simple || is_idempotent);
  if (is_same && views_[0]) return *views_[0];
  std::string known;
  for (std::size_t i = 0; i < views_.size(); ++i) {
    if (views_[i]) known += message(known.empty() ? "" : ",", kViewNames[i]);
  }
  throw InputError(message("this run walks the ", kViewNames[which], " view of the graph, and ", file_->name(),
                           " has the edges of: ", known, "; convert it with views=\"", known, ",", kViewNames[which],
                           "\" (gaspipe convert --views), or load it into memory"));
}

void StoredEdges::check(const StoredView& view, std::size_t block, const std::uint8_t* bytes) const {
  std::uint8_t& is_sound = view.is_sound[block];
  if (__atomic_load_n(&is_sound, __ATOMIC_RELAXED) != 0) return;
  const BlockEntry& entry = view.blocks[block];
  if (crc32(bytes, entry.bytes) != entry.checksum) {
    std::size_t which = 0;
    while (!views_[which] || &*views_[which] != &view) ++which;
    throw GraphFormatError(message(file_->name(), ": damaged: the checksum of block ", block, " of its ",
                                   kViewNames[which], " edges, at byte ", view.first_byte + entry.start, ", is wrong"));
  }
  check_destinations(*this, entry, bytes);
  __atomic_store_n(&is_sound, std::uint8_t(1), __ATOMIC_RELAXED);
}

void StoredEdges::scan(const StoredView& view, const std::function<bool()>& stopped,
                       const std::function<void(const BlockEntry& block, const BlockPiece& piece)>& visit) const {
  std::vector<std::uint8_t> memory(ReadFile::buffer_bytes(most_block_bytes_) + ReadFile::kPage);
  std::uint8_t* const buffer = memory.data() + (-reinterpret_cast<std::uintptr_t>(memory.data()) % ReadFile::kPage);
  BlockReader reader;
  std::uint64_t from_disk = 0;
  for (std::size_t i = 0; i < view.blocks.size(); ++i) {
    if (stopped()) throw Cancelled();
    const BlockEntry& block = view.blocks[i];
    const std::uint8_t* bytes = file_->read(view.first_byte + block.start, block.bytes, buffer, &from_disk);
    count_read(block.bytes);
    check(view, i, bytes);
    reader.start(block, bytes, weight_bytes_);
    BlockPiece piece;
    while (reader.next(&piece)) visit(block, piece);
  }
}

}  // namespace gaspipe
