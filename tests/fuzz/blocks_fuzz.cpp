// SPDX-License-Identifier: Apache-2.0
// Blocks of edges as `.gaspipe` files have them, with a checksum that is right: whatever an index and the bytes say, a
// block is refused or gives the edges that a plain decoder finds, read at once, piece by piece and as rows.
#include <memory>
#include <utility>

#include "gaspipe/block_rows.h"
#include "gaspipe/crc32.h"
#include "gaspipe/stored_edges.h"
#include "tests/fuzz/binary.h"

namespace gaspipe {
namespace fuzz {
namespace {

constexpr WeightType kTypes[] = {WeightType::kNone, WeightType::kInt32, WeightType::kInt64, WeightType::kFloat32,
                                 WeightType::kFloat64};
constexpr abi::Scalar kScalars[] = {abi::kNone, abi::kInt32, abi::kInt64, abi::kFloat32, abi::kFloat64};

struct Edges {
  std::vector<VertexId> sources, destinations;
  bool operator==(const Edges& other) const { return sources == other.sources && destinations == other.destinations; }
};

// The grammar of gaspipe/edge_blocks.h, number by number. False where the bytes do not follow it.
bool decode_plainly(const BlockEntry& entry, const std::uint8_t* bytes, std::uint64_t weight_bytes, Edges* edges) {
  const std::uint64_t first = entry.num_edges * weight_bytes, runs = first + 2 * std::uint64_t(entry.num_edges);
  for (std::uint64_t e = 0; e < entry.num_edges; ++e) {
    const std::uint8_t* const at = bytes + first + 2 * e;
    edges->destinations.push_back(entry.partition * 65536 + at[0] + 256u * at[1]);
  }
  std::uint64_t at = runs, source = entry.first_source;
  const auto number = [&](std::uint32_t width, std::uint64_t* value) {
    const auto little = [&](std::uint32_t size) {
      *value = 0;
      if (at + size > entry.bytes) return false;
      for (std::uint32_t i = 0; i < size; ++i) *value |= std::uint64_t(bytes[at + i]) << 8 * i;
      at += size;
      return true;
    };
    if (!little(width)) return false;
    return *value != (std::uint64_t(1) << 8 * width) - 1 || little(4);
  };
  while (at < entry.bytes) {
    std::uint64_t distance, more;
    if (!number(entry.distance_bytes, &distance) || !number(1, &more)) return false;
    source += distance;
    if (source > entry.last_source || edges->sources.size() + more + 1 > entry.num_edges) return false;
    edges->sources.insert(edges->sources.end(), more + 1, static_cast<VertexId>(source));
  }
  return edges->sources.size() == entry.num_edges;
}

Offsets offsets_of(const Edges& edges, VertexId num_vertices) {
  const Writable<std::uint32_t> offsets(std::size_t(num_vertices) + 1);
  std::fill_n(offsets.data(), offsets.size(), 0);
  for (const VertexId source : edges.sources) ++offsets[std::size_t(source) + 1];
  for (std::size_t v = 0; v < num_vertices; ++v) offsets[v + 1] += offsets[v];
  return Offsets(offsets.freeze());
}

// A file in memory that is opened once, and longer than any block.
std::shared_ptr<const ReadFile> file_with(const std::vector<std::uint8_t>& bytes) {
  constexpr std::size_t kSize = 1 << 16;
  static const int descriptor = ::memfd_create("blocks", MFD_CLOEXEC);
  static const bool is_long = ::ftruncate(descriptor, kSize) == 0;
  static const auto file = std::make_shared<const ReadFile>("file", descriptor);
  const bool is_there = is_long && bytes.size() <= kSize &&
                        ::pwrite(descriptor, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size());
  require(is_there, "there is no room for a file in memory");
  return file;
}

}  // namespace

void blocks(const std::uint8_t* data, std::size_t size) {
  if (size < kNumOptions) return;
  const std::size_t which = data[0] % 5;
  const bool is_small = data[1] % 2 == 0;  // the entry's numbers come from bytes: most of them are possible
  Bytes from(data + kNumOptions, size - kNumOptions);
  BlockEntry entry{};
  const auto taken = [&] { return is_small ? from.take<std::uint8_t>() : from.take<std::uint32_t>(); };
  const auto num_vertices = static_cast<VertexId>(is_small ? 1 + taken() : 1 + taken() % 200000);
  entry.num_edges = taken();
  entry.num_runs = taken();
  entry.partition = is_small ? taken() % 2 * (taken() % 4 == 0) : taken();
  entry.first_source = taken();
  entry.last_source = taken();
  entry.distance_bytes = is_small ? 1 + taken() % 2 : taken();
  std::vector<std::uint8_t> bytes(from.data(), from.data() + from.size());
  entry.bytes = static_cast<std::uint32_t>(bytes.size());
  entry.checksum = crc32(bytes.data(), bytes.size());

  std::shared_ptr<const StoredEdges> stored;
  try {
    std::array<std::optional<StoredView>, 3> views;
    views[0] = StoredView{0, {entry}, {}, 0, {}};
    stored = std::make_shared<const StoredEdges>(file_with(bytes), num_vertices, kScalars[which], StoredFacts(),
                                                 std::move(views), 1 << 20);
  } catch (const GraphFormatError&) {
    return;  // the index is refused
  }
  const std::uint32_t width = weight_bytes(kTypes[which]);
  const std::size_t room = bytes.size() + BlockReader::kReadAhead;
  Edges plain, whole, scanned;
  const bool is_good = decode_plainly(entry, bytes.data(), width, &plain);
  bytes.resize(room);

  const std::string at_once = outcome_of([&] {
    try {
      BlockEdges found = read_block(entry, bytes.data(), kTypes[which]);
      whole = {std::move(found.sources), std::move(found.destinations)};
      return bytes_of(found.weights);
    } catch (const GraphFormatError& error) {  // the caller puts the file's name before it
      throw GraphFormatError(std::string("file: ") + error.what());
    }
  });
  require(is_graph(at_once) == is_good, "the plain decoder sees it otherwise than: " + shown(at_once));
  const std::string in_pieces = outcome_of([&] {
    try {
      const StoredView& view = stored->view(View::kForward, true, false);
      stored->scan(
          view, [] { return false; },
          [&](const BlockEntry& block, const BlockPiece& piece) {
            for (std::uint32_t run = 0; run < piece.num_runs; ++run) {
              scanned.sources.insert(scanned.sources.end(), piece.run_lengths[run], piece.run_sources[run]);
            }
            for (std::uint32_t e = 0; e < piece.num_edges; ++e) {
              scanned.destinations.push_back(block.partition * kBlockCapacity + piece.destinations[e]);
            }
          });
      return std::string();
    } catch (const GraphFormatError& error) {
      throw GraphFormatError(std::string("file: ") + error.what());
    }
  });
  // Runs take no edge to a vertex that is not there; what makes rows of them looks later.
  const bool is_inside = std::all_of(plain.destinations.begin(), plain.destinations.end(),
                                     [&](VertexId destination) { return destination < num_vertices; });
  require(is_graph(in_pieces) == (is_good && is_inside), "piece by piece it is: " + shown(in_pieces));
  if (!is_good) return;
  require(whole == plain && (!is_inside || scanned == plain), "the edges are others");
  require(
      at_once.compare(7, std::string::npos, std::string(bytes.begin(), bytes.begin() + entry.num_edges * width)) == 0,
      "the weights are others");
  // As rows, once with the right offsets and once with an edge of the last vertex that has one at the first one's.
  BlockRows rows(offsets_of(plain, num_vertices), kTypes[which]);
  try {
    rows.add(entry, bytes.data());
    require(std::is_permutation(plain.destinations.begin(), plain.destinations.end(), rows.targets().begin()),
            "the rows have other edges");
  } catch (const GraphFormatError&) {  // right where destinations of a row do not ascend
    bool ascends = true;
    for (std::size_t e = 1; e < plain.sources.size(); ++e) {
      ascends =
          ascends && (plain.sources[e] != plain.sources[e - 1] || plain.destinations[e] >= plain.destinations[e - 1]);
    }
    require(!ascends, "rows that ascend are refused");
  }
  if (plain.sources.back() == 0) return;
  Edges moved = plain;
  moved.sources.back() = 0;
  BlockRows wrong(offsets_of(moved, num_vertices), kTypes[which]);
  try {
    wrong.add(entry, bytes.data());
  } catch (const GraphFormatError&) {
    return;
  }
  throw Violation("rows with more edges than their offsets say are taken");
}

}  // namespace fuzz
}  // namespace gaspipe
