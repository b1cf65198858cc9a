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
  // Their memory is needed for something else while the writer is still asked.
  weights_ = std::vector<std::uint8_t>();
  destinations_ = std::vector<std::uint16_t>();
  sources_ = std::vector<std::uint32_t>();
  lengths_ = std::vector<std::uint32_t>();
  bytes_ = std::vector<std::uint8_t>();
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

namespace {

// Whether a byte of the word is all ones.
bool has_full_byte(std::uint64_t word) {
  constexpr std::uint64_t kOnes = 0x0101010101010101, kHigh = 0x80 * kOnes;
  return (((word & ~kHigh) + kOnes) & word & kHigh) != 0;
}

}  // namespace

// Runs that follow each other without an escape, kGroup at a time: no branch depends on one of them. Stops before a
// group that may have an escape, or has more edges than are wanted.
template <class Distance>
void BlockReader::decode_groups(Found* found, std::uint32_t wanted) {
  constexpr std::uint32_t kStride = sizeof(Distance) + 1, kWords = kGroup * kStride / 8;
  while (end_ - at_ >= std::ptrdiff_t(kGroup * kStride)) {
    std::uint64_t words[kWords];
    std::memcpy(words, at_, sizeof(words));
    for (const std::uint64_t word : words) {
      if (has_full_byte(word)) return;
    }
    std::uint64_t source = found->source;
    std::uint32_t num_edges = found->num_edges;
    std::uint32_t* const sources = sources_.get() + found->num_runs;
    std::uint32_t* const lengths = lengths_.get() + found->num_runs;
    for (std::uint32_t i = 0; i < kGroup; ++i) {
      Distance distance;
      std::memcpy(&distance, at_ + i * kStride, sizeof(distance));
      source += distance;
      sources[i] = static_cast<std::uint32_t>(source);
    }
    for (std::uint32_t i = 0; i < kGroup; ++i) {
      lengths[i] = std::uint32_t(at_[i * kStride + sizeof(Distance)]) + 1;
      num_edges += lengths[i];
    }
    if (num_edges > wanted) return;
    at_ += kGroup * kStride;
    found->source = source;
    found->num_edges = num_edges;
    found->num_runs += kGroup;
  }
}

template <class Distance>
bool BlockReader::decode(BlockPiece* piece) {
  const std::uint32_t wanted = std::min(kPieceEdges, entry_.num_edges - num_done_);
  Found found{source_, 0, 0};
  std::uint64_t left = left_;  // of a run that the last piece has cut
  while (found.num_edges < wanted) {
    if (left == 0) decode_groups<Distance>(&found, wanted);
    for (std::uint32_t i = 0; i < kGroup && found.num_edges < wanted; ++i) {  // then groups are tried again
      if (left == 0) {
        if (at_ >= end_) break;
        found.source += take<Distance>(at_);
        left = std::uint64_t(take<std::uint8_t>(at_)) + 1;
      }
      const auto taken = static_cast<std::uint32_t>(std::min<std::uint64_t>(left, wanted - found.num_edges));
      sources_[found.num_runs] = static_cast<std::uint32_t>(found.source);
      lengths_[found.num_runs++] = taken;
      found.num_edges += taken;
      left -= taken;
    }
    if (left == 0 && at_ >= end_) break;
  }
  const bool is_last = num_done_ + found.num_edges == entry_.num_edges;
  // A block whose checksum is right was written so; this is for one that was made to look so.
  if (found.num_edges < wanted || at_ > end_ || found.source > entry_.last_source ||
      (is_last && (at_ != end_ || left != 0))) {
    throw GraphFormatError("the runs of a block are not those that it is said to have");
  }
  const BlockLayout layout(entry_.num_edges, weight_bytes_);
  piece->num_edges = found.num_edges;
  piece->num_runs = found.num_runs;
  piece->run_sources = sources_.get();
  piece->run_lengths = lengths_.get();
  piece->destinations = reinterpret_cast<const std::uint16_t*>(bytes_ + layout.destinations) + num_done_;
  piece->weights = weight_bytes_ == 0 ? nullptr : bytes_ + std::uint64_t(num_done_) * weight_bytes_;
  source_ = static_cast<std::uint32_t>(found.source);
  left_ = left;
  num_done_ += found.num_edges;
  return true;
}

bool BlockReader::next(BlockPiece* piece) {
  if (num_done_ == entry_.num_edges) return false;
  return entry_.distance_bytes == 1 ? decode<std::uint8_t>(piece) : decode<std::uint16_t>(piece);
}

}  // namespace gaspipe
