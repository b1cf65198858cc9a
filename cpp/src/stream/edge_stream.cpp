// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/stream/edge_stream.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "cpp/src/clock.h"
#include "cpp/src/stream/stored_transitions.h"
#include "gaspipe/convert.h"
#include "gaspipe/error.h"

namespace gaspipe {
namespace {

constexpr std::uint32_t kWord = 64;  // vertices of a word of bits
constexpr std::uint64_t kFewestBuffers = 2, kMostBuffers = 8;
constexpr std::uint64_t kReserved = 8;  // one part in so many of the memory is not used to keep blocks

std::uint64_t kept_bytes(const BlockEntry& block) { return block.bytes + BlockReader::kReadAhead; }

std::uint64_t piece_bytes() { return std::uint64_t(BlockReader::kPieceEdges) * (2 * sizeof(std::uint32_t) + 8); }

template <class T>
T element(const std::uint8_t* array, std::uint32_t i) {
  T value;
  std::memcpy(&value, array + i * sizeof(T), sizeof(value));
  return value;
}
template <class T>
void put_value(std::uint8_t* array, std::uint32_t i, T value) {
  std::memcpy(array + i * sizeof(T), &value, sizeof(value));
}

template <class From, class To>
std::uint32_t convert(const BlockPiece& piece, const double*, std::uint8_t* to) {
  for (std::uint32_t i = 0; i < piece.num_edges; ++i) {
    const From value = element<From>(piece.weights, i);
    if (!detail::fits<From, To>(value)) return i;
    put_value(to, i, static_cast<To>(value));
  }
  return piece.num_edges;
}

// From: of the stored weights; void: every edge weighs 1.
template <class From, class To>
std::uint32_t share(const BlockPiece& piece, const double* row_weights, std::uint8_t* to) {
  std::uint32_t i = 0;
  for (std::uint32_t run = 0; run < piece.num_runs; ++run) {
    const double sum = std::abs(row_weights[piece.run_sources[run]]);
    const double scale = scale_of(row_weights[piece.run_sources[run]]);
    const std::uint32_t end = i + piece.run_lengths[run];
    for (; i < end; ++i) {
      double weight = 1;
      if constexpr (!std::is_void_v<From>) weight = static_cast<double>(element<From>(piece.weights, i));
      put_value(to, i, weight == 0 ? To(0) : static_cast<To>(scale * weight / sum));
    }
  }
  return i;
}

template <class From>
ReadWeights conversion_from(abi::Scalar to) {
  switch (to) {
    case abi::kInt32:
      return convert<From, std::int32_t>;
    case abi::kUint32:
      return convert<From, std::uint32_t>;
    case abi::kInt64:
      return convert<From, std::int64_t>;
    case abi::kUint64:
      return convert<From, std::uint64_t>;
    case abi::kFloat32:
      return convert<From, float>;
    default:
      return convert<From, double>;
  }
}

ReadWeights conversion(abi::Scalar from, abi::Scalar to) {
  if (from == abi::kNone || to == abi::kNone || from == to) return nullptr;
  switch (from) {
    case abi::kInt32:
      return conversion_from<std::int32_t>(to);
    case abi::kInt64:
      return conversion_from<std::int64_t>(to);
    case abi::kFloat32:
      return conversion_from<float>(to);
    default:
      return conversion_from<double>(to);
  }
}

template <class To>
ReadWeights share_of(abi::Scalar from) {
  switch (from) {
    case abi::kNone:
      return share<void, To>;
    case abi::kInt32:
      return share<std::int32_t, To>;
    case abi::kInt64:
      return share<std::int64_t, To>;
    case abi::kFloat32:
      return share<float, To>;
    default:
      return share<double, To>;
  }
}

}  // namespace

std::uint64_t EdgeStream::least_memory(std::uint64_t most_block_bytes, int num_workers) {
  return static_cast<std::uint64_t>(num_workers) *
         (kFewestBuffers * ReadFile::buffer_bytes(most_block_bytes) + piece_bytes());
}

EdgeStream::EdgeStream(std::shared_ptr<const StoredEdges> edges, const StoredView& view, VertexId num_vertices,
                       abi::Scalar edge_type, const double* row_weights, int num_workers, std::uint64_t memory,
                       std::function<bool(int worker)> stopped)
    : edges_(std::move(edges)),
      view_(view),
      row_weights_(row_weights),
      read_weights_(row_weights == nullptr       ? conversion(edges_->weight_type(), edge_type)
                    : edge_type == abi::kFloat32 ? share_of<float>(edges_->weight_type())
                                                 : share_of<double>(edges_->weight_type())),
      reads_weights_(edge_type != abi::kNone && (edges_->weight_type() != abi::kNone || row_weights != nullptr)),
      stopped_(std::move(stopped)) {
  const auto workers = static_cast<std::uint64_t>(num_workers);
  const std::uint64_t each = ReadFile::buffer_bytes(edges_->most_block_bytes()), pieces = workers * piece_bytes();
  const std::uint64_t wanted = memory > pieces ? (memory - pieces) / (workers * each) : 0;
  const std::uint64_t num_buffers = std::min(std::max(wanted, kFewestBuffers), kMostBuffers);
  memory_.resize(workers * num_buffers * each + ReadFile::kPage);
  std::uint8_t* at = memory_.data() + (-reinterpret_cast<std::uintptr_t>(memory_.data()) % ReadFile::kPage);
  lanes_.reserve(workers);
  for (std::uint64_t i = 0; i < workers; ++i) {
    Lane& lane = lanes_.emplace_back(edges_->file(), num_buffers);
    for (Buffer& buffer : lane.buffers) {
      buffer.request.buffer = at;
      at += each;
    }
    if (read_weights_ != nullptr) lane.weights.resize(std::size_t(BlockReader::kPieceEdges) * 8);
  }
  const std::uint64_t taken = pieces + memory_.size() + memory / kReserved;
  if (memory > taken) plan_kept(memory - taken);
  for (std::uint64_t p = 0; p < edges_->num_partitions(); ++p) {
    abi::Partition part{};
    part.first = static_cast<std::uint32_t>(p * kBlockCapacity);
    part.last = static_cast<std::uint32_t>(std::min<std::uint64_t>((p + 1) * kBlockCapacity, num_vertices));
    partitions_.push_back(part);
  }
  functions_.self = this;
  functions_.begin = [](void* self, const std::uint64_t* active) {
    return static_cast<EdgeStream*>(self)->begin(active);
  };
  functions_.next_partition = [](void* self, std::int32_t worker) {
    return static_cast<EdgeStream*>(self)->next_partition(worker);
  };
  functions_.next_piece = [](void* self, std::int32_t worker, abi::Partition* piece) {
    return static_cast<EdgeStream*>(self)->next_piece(worker, piece);
  };
  table_ = {2, kBlockCapacity, 1, partitions_.size(), partitions_.data(), &functions_};
}

// Which blocks stay in memory once they are read, in at most `memory`: as many of every stretch of the file, so that
// the disk has work all the time while the others are read.
void EdgeStream::plan_kept(std::uint64_t memory) {
  const std::size_t num_blocks = view_.blocks.size();
  std::uint64_t all = 0;
  for (const BlockEntry& block : view_.blocks) all += kept_bytes(block);
  const double share =
      std::min(1.0, static_cast<double>(memory) / static_cast<double>(std::max<std::uint64_t>(all, 1)));
  kept_.resize(num_blocks);
  double allowed = 0;
  std::uint64_t size = 0;
  for (std::size_t i = 0; i < num_blocks; ++i) {
    const std::uint64_t bytes = kept_bytes(view_.blocks[i]);
    allowed += share * static_cast<double>(bytes);
    if (size + bytes > memory || static_cast<double>(size + bytes) > allowed + 1) continue;
    kept_[i] = {size, true, false};
    size += bytes;
  }
  kept_memory_.reset(new std::uint8_t[size]);  // no page of it is taken before it is written to
}

std::uint64_t EdgeStream::bytes_read() const {
  std::uint64_t sum = 0;
  for (const Lane& lane : lanes_) sum += lane.reads.bytes_read() + lane.bytes_kept;
  return sum;
}
std::uint64_t EdgeStream::bytes_from_disk() const {
  std::uint64_t sum = 0;
  for (const Lane& lane : lanes_) sum += lane.reads.bytes_from_disk();
  return sum;
}
const char* EdgeStream::reader() const {
  for (const Lane& lane : lanes_) {
    if (lane.reads.bytes_from_disk() > 0) return lane.reads.reader();
  }
  return "cache";
}
double EdgeStream::seconds_waited() const {
  double sum = 0;
  for (const Lane& lane : lanes_) sum += lane.seconds_waited;
  return sum;
}

// Nothing may throw through the program: the first failure is kept, and says that the run is over.
template <class F>
auto EdgeStream::guarded(const F& f) -> decltype(f()) {
  try {
    return f();
  } catch (...) {
    const std::lock_guard<std::mutex> lock(guard_);
    if (!failure_) failure_ = std::current_exception();
    return -1;
  }
}

std::int32_t EdgeStream::begin(const std::uint64_t* active) {
  return guarded([&]() -> std::int32_t {
    edges_->file()->check_unchanged();
    active_before_.clear();
    if (active != nullptr) {
      const std::uint64_t num_words = (std::uint64_t(partitions_.back().last) + kWord - 1) / kWord;
      active_before_.resize(num_words + 1);
      for (std::uint64_t w = 0; w < num_words; ++w) active_before_[w + 1] = active_before_[w] + (active[w] != 0);
    }
    for (Lane& lane : lanes_) {
      lane.to_visit.clear();
      lane.to_read.clear();
      lane.has_partition = lane.has_block = false;
      lane.num_read = lane.first = lane.num_asked = 0;
    }
    next_partition_ = 0;
    return 0;
  });
}

// Whether there can be active sources from `first` to `last`: there are in their words.
bool EdgeStream::is_wanted(VertexId first, VertexId last) const {
  if (active_before_.empty()) return true;
  return active_before_[last / kWord + 1] > active_before_[first / kWord];
}

// One more partition for the lane, if there is one, and if it is not too early to take it from the others.
bool EdgeStream::claim(Lane& lane) {
  const auto num_partitions = static_cast<std::int64_t>(partitions_.size());
  const std::int64_t left = num_partitions - next_partition_.load(std::memory_order_relaxed);
  const auto fair = std::max<std::int64_t>(1, left / (4 * static_cast<std::int64_t>(lanes_.size())));
  if (left <= 0 || static_cast<std::int64_t>(lane.to_visit.size()) > fair) return false;
  const std::int64_t p = next_partition_.fetch_add(1, std::memory_order_relaxed);
  if (p >= num_partitions) return false;
  lane.to_visit.push_back(static_cast<std::size_t>(p));
  lane.to_read.push_back(static_cast<std::size_t>(p));
  return true;
}

// Fills the ring.
void EdgeStream::read_ahead(Lane& lane) {
  while (lane.num_asked < lane.buffers.size()) {
    if (lane.to_read.empty() && !claim(lane)) return;
    const std::size_t p = lane.to_read.front(), i = view_.first_of[p] + lane.num_read;
    if (i == view_.first_of[p + 1]) {
      lane.to_read.pop_front();
      lane.num_read = 0;
      continue;
    }
    ++lane.num_read;
    const BlockEntry& block = view_.blocks[i];
    if (!is_wanted(block.first_source, block.last_source)) {
      num_passed_over_.fetch_add(1, std::memory_order_relaxed);
      continue;
    }
    Buffer& buffer = lane.buffers[(lane.first + lane.num_asked++) % lane.buffers.size()];
    buffer.block = i;
    buffer.request.start = view_.first_byte + block.start;
    buffer.request.size = block.bytes;
    if (!is_kept(i)) lane.reads.ask(&buffer.request);
  }
}

std::int64_t EdgeStream::next_partition(int worker) {
  return guarded([&]() -> std::int64_t {
    Lane& lane = lanes_[static_cast<std::size_t>(worker)];
    if (lane.has_partition) lane.to_visit.pop_front();
    lane.has_partition = false;
    if (stopped_(worker)) return -1;
    read_ahead(lane);
    if (lane.to_visit.empty() && !claim(lane)) return static_cast<std::int64_t>(partitions_.size());
    lane.has_partition = true;
    return static_cast<std::int64_t>(lane.to_visit.front());
  });
}

// The next block of the partition at hand, read and checked; false if there is none.
bool EdgeStream::open_next_block(Lane& lane, int worker) {
  read_ahead(lane);
  if (lane.num_asked == 0) return false;
  Buffer& buffer = lane.buffers[lane.first];
  const BlockEntry& block = view_.blocks[buffer.block];
  if (block.partition != lane.to_visit.front()) return false;
  const std::uint8_t* data = nullptr;
  if (is_kept(buffer.block)) {
    data = kept_memory_.get() + kept_[buffer.block].start;
    lane.bytes_kept += block.bytes;
  } else {
    const auto start = Clock::now();
    if (!lane.reads.wait(&buffer.request, [&] { return stopped_(worker); })) throw Cancelled();
    lane.seconds_waited += seconds_since(start);
    data = buffer.request.data;
    edges_->check(view_, buffer.block, data);
    if (buffer.request.from_disk > 0) keep(buffer.block, data);  // else the system's cache has it
  }
  edges_->count_read(block.bytes);
  lane.reader.start(block, data, edges_->weight_bytes());
  return lane.has_block = true;
}

// A block is one worker's in a super-step, and between super-steps workers wait for each other.
void EdgeStream::keep(std::size_t i, const std::uint8_t* data) {
  if (kept_.empty() || !kept_[i].is_wanted) return;
  std::memcpy(kept_memory_.get() + kept_[i].start, data, view_.blocks[i].bytes);
  kept_[i].is_there = true;
}

std::int32_t EdgeStream::next_piece(int worker, abi::Partition* piece) {
  return guarded([&]() -> std::int32_t {
    Lane& lane = lanes_[static_cast<std::size_t>(worker)];
    BlockPiece from;
    do {
      while (!lane.has_block || !lane.reader.next(&from)) {
        if (lane.has_block) {
          lane.has_block = false;
          lane.first = (lane.first + 1) % lane.buffers.size();
          --lane.num_asked;
        }
        if (stopped_(worker)) return -1;
        if (!open_next_block(lane, worker)) return 0;
      }
    } while (!is_wanted(from.run_sources[0], from.run_sources[from.num_runs - 1]));
    take_piece(lane, view_.blocks[lane.buffers[lane.first].block], from, piece);
    return 1;
  });
}

void EdgeStream::take_piece(Lane& lane, const BlockEntry& block, const BlockPiece& from, abi::Partition* piece) const {
  const void* weights = nullptr;
  if (reads_weights_) {
    weights = from.weights;
    if (read_weights_ != nullptr) {
      const std::uint32_t count = read_weights_(from, row_weights_, lane.weights.data());
      if (count < from.num_edges) {
        throw InputError(message("a weight of the edges into vertices ", partitions_[block.partition].first, " to ",
                                 partitions_[block.partition].last - 1,
                                 " does not fit the number format; compute in a format that holds them (number=, or "
                                 "edge_prop= of a custom algorithm)"));
      }
      weights = lane.weights.data();
    }
  }
  lane.all = {0, from.num_edges, 0, 0};
  *piece = partitions_[block.partition];
  piece->num_edges = from.num_edges;
  piece->num_runs = from.num_runs;
  piece->run_sources = from.run_sources;
  piece->run_lengths = from.run_lengths;
  piece->destinations = from.destinations;
  piece->weights = weights;
  piece->sub_partitions = &lane.all;
}

}  // namespace gaspipe
