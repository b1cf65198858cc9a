// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/edge_blocks.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "gaspipe/crc32.h"
#include "gaspipe/error.h"

namespace gaspipe {
namespace {

constexpr std::uint32_t kByteEscape = 0xff;

// A number in a Word, or all ones and 4 bytes more.
template <class Word>
std::uint8_t* put(std::uint8_t* at, std::uint32_t value) {
  constexpr std::uint32_t kEscape = std::numeric_limits<Word>::max();
  const Word word = static_cast<Word>(std::min(value, kEscape));
  std::memcpy(at, &word, sizeof(word));
  at += sizeof(word);
  if (value < kEscape) return at;
  std::memcpy(at, &value, sizeof(value));
  return at + sizeof(value);
}

// The same back. No more than kLongestRun bytes are read past `end`, which the caller makes room for.
template <class Word>
std::uint32_t take(const std::uint8_t*& at) {
  constexpr std::uint32_t kEscape = std::numeric_limits<Word>::max();
  Word word;
  std::memcpy(&word, at, sizeof(word));
  at += sizeof(word);
  if (word < kEscape) return word;
  std::uint32_t value;
  std::memcpy(&value, at, sizeof(value));
  at += sizeof(value);
  return value;
}

constexpr std::uint32_t kLongestRun = 2 + 4 + 1 + 4;

}  // namespace

BlockWriter::BlockWriter(std::uint32_t weight_bytes, Sink sink, std::uint32_t most_edges)
    : weight_bytes_(weight_bytes), most_edges_(most_edges), sink_(std::move(sink)) {}

void BlockWriter::add(VertexId source, VertexId destination, const void* weight) {
  const std::uint32_t partition = destination / kBlockCapacity;
  if (num_edges_ == most_edges_ || (partition != partition_ && num_edges_ > 0)) flush();
  partition_ = partition;
  ++num_edges_;
  destinations_.push_back(static_cast<std::uint16_t>(destination % kBlockCapacity));
  if (weight_bytes_ > 0) {
    const auto* bytes = static_cast<const std::uint8_t*>(weight);
    weights_.insert(weights_.end(), bytes, bytes + weight_bytes_);
  }
  if (!sources_.empty() && sources_.back() == source) {
    ++lengths_.back();
  } else {
    sources_.push_back(source);
    lengths_.push_back(1);
  }
}

void BlockWriter::finish() {
  if (num_edges_ > 0) flush();
}

template <class Distance>
void BlockWriter::encode_runs() {
  const std::size_t first = bytes_.size();
  bytes_.resize(first + sources_.size() * kLongestRun);
  std::uint8_t* at = bytes_.data() + first;
  std::uint32_t before = sources_.front();
  for (std::size_t run = 0; run < sources_.size(); ++run) {
    at = put<Distance>(at, sources_[run] - before);
    at = put<std::uint8_t>(at, lengths_[run] - 1);
    before = sources_[run];
  }
  bytes_.resize(static_cast<std::size_t>(at - bytes_.data()));
}

void BlockWriter::flush() {
  const BlockLayout layout(num_edges_, weight_bytes_);
  bytes_.resize(layout.runs);
  std::copy(weights_.begin(), weights_.end(), bytes_.begin());
  std::memcpy(bytes_.data() + layout.destinations, destinations_.data(), 2 * std::size_t(num_edges_));
  std::size_t num_far = 0;  // runs whose distance does not fit a byte
  for (std::size_t run = 1; run < sources_.size(); ++run) num_far += sources_[run] - sources_[run - 1] >= kByteEscape;
  const bool is_narrow = 4 * num_far < sources_.size();
  is_narrow ? encode_runs<std::uint8_t>() : encode_runs<std::uint16_t>();
  BlockEntry entry{};
  entry.bytes = static_cast<std::uint32_t>(bytes_.size());
  entry.checksum = crc32(bytes_.data(), bytes_.size());
  entry.num_edges = num_edges_;
  entry.num_runs = static_cast<std::uint32_t>(sources_.size());
  entry.partition = partition_;
  entry.first_source = sources_.front();
  entry.last_source = sources_.back();
  entry.distance_bytes = is_narrow ? 1 : 2;
  sink_(entry, bytes_.data());
  num_edges_ = 0;
  weights_.clear();
  destinations_.clear();
  sources_.clear();
  lengths_.clear();
}

void BlockReader::start(const BlockEntry& entry, const std::uint8_t* bytes, std::uint32_t weight_bytes) {
  entry_ = entry;
  bytes_ = bytes;
  weight_bytes_ = weight_bytes;
  at_ = bytes + BlockLayout(entry.num_edges, weight_bytes).runs;
  end_ = bytes + entry.bytes;
  num_done_ = left_ = 0;
  source_ = entry.first_source;
}

template <class Distance>
bool BlockReader::decode(BlockPiece* piece) {
  const std::uint32_t wanted = std::min(kPieceEdges, entry_.num_edges - num_done_);
  std::uint32_t num_edges = 0, num_runs = 0;
  std::uint64_t source = source_, left = left_;  // too wide to wrap
  const std::uint8_t* at = at_;
  while (num_edges < wanted) {
    if (left == 0) {
      if (at >= end_) break;
      source += take<Distance>(at);
      left = std::uint64_t(take<std::uint8_t>(at)) + 1;
    }
    const auto taken = static_cast<std::uint32_t>(std::min<std::uint64_t>(left, wanted - num_edges));
    sources_[num_runs] = static_cast<std::uint32_t>(source);
    lengths_[num_runs++] = taken;
    num_edges += taken;
    left -= taken;
  }
  const bool is_last = num_done_ + num_edges == entry_.num_edges;
  // A block whose checksum is right was written so; this is for one that was made to look so.
  if (num_edges < wanted || at > end_ || source > entry_.last_source || (is_last && (at != end_ || left != 0))) {
    throw GraphFormatError("the runs of a block are not those that it is said to have");
  }
  const BlockLayout layout(entry_.num_edges, weight_bytes_);
  piece->num_edges = num_edges;
  piece->num_runs = num_runs;
  piece->run_sources = sources_.data();
  piece->run_lengths = lengths_.data();
  piece->destinations = reinterpret_cast<const std::uint16_t*>(bytes_ + layout.destinations) + num_done_;
  piece->weights = weight_bytes_ == 0 ? nullptr : bytes_ + std::uint64_t(num_done_) * weight_bytes_;
  at_ = at;
  source_ = static_cast<std::uint32_t>(source);
  left_ = left;
  num_done_ += num_edges;
  return true;
}

bool BlockReader::next(BlockPiece* piece) {
  if (num_done_ == entry_.num_edges) return false;
  return entry_.distance_bytes == 1 ? decode<std::uint8_t>(piece) : decode<std::uint16_t>(piece);
}

}  // namespace gaspipe
