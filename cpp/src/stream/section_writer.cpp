// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/section_writer.h"

#include <algorithm>

#include "gaspipe/crc32.h"
#include "gaspipe/file_bytes.h"

namespace gaspipe {
namespace {

constexpr std::size_t kBuffer = std::size_t(1) << 20;
static_assert(SectionWriter::kChecksumBlock % kBuffer == 0, "what is flushed ends where a checksum's block does");

}  // namespace

SectionWriter::SectionWriter(int descriptor, std::uint64_t start, std::string path)
    : descriptor_(descriptor), start_(start), path_(std::move(path)) {
  buffer_.reserve(kBuffer);
}

void SectionWriter::write(const void* data, std::size_t size) {
  const auto* at = static_cast<const std::uint8_t*>(data);
  while (size > 0) {
    const std::size_t taken = std::min(size, kBuffer - buffer_.size());
    buffer_.insert(buffer_.end(), at, at + taken);
    at += taken;
    size -= taken;
    if (buffer_.size() == kBuffer) flush();
  }
}

void SectionWriter::align(std::size_t alignment) {
  constexpr std::uint8_t kZeros[64] = {};
  while (this->size() % alignment != 0) {
    const std::size_t missing = static_cast<std::size_t>(alignment - this->size() % alignment);
    write(kZeros, std::min(missing, sizeof(kZeros)));
  }
}

void SectionWriter::flush() {
  write_at(descriptor_, start_ + flushed_, buffer_.data(), buffer_.size(), "writing a graph's edges", path_);
  of_block_ = crc32(buffer_.data(), buffer_.size(), of_block_);
  flushed_ += buffer_.size();
  buffer_.clear();
  if (flushed_ % kChecksumBlock != 0) return;
  of_blocks_ = crc32(&of_block_, sizeof(of_block_), of_blocks_);
  of_block_ = 0;
}

std::uint32_t SectionWriter::finish() {
  if (!buffer_.empty()) flush();
  buffer_ = std::vector<std::uint8_t>();  // or it stays as long as the writer
  if (flushed_ % kChecksumBlock != 0) of_blocks_ = crc32(&of_block_, sizeof(of_block_), of_blocks_);
  return of_blocks_;
}

}  // namespace gaspipe
