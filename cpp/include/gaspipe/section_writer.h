// SPDX-License-Identifier: Apache-2.0
// Writes a section of a `.gaspipe` file at its place, with the checksum that the format wants on the way: the CRC-32 of
// the CRC-32s of every 4 MiB (python/gaspipe/_formats/gaspipe describes the format).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gaspipe {

class SectionWriter {
 public:
  static constexpr std::size_t kChecksumBlock = std::size_t(4) << 20;

  // The file stays the caller's; `path` is for messages.
  SectionWriter(int descriptor, std::uint64_t start, std::string path);

  // FileError where the system refuses.
  void write(const void* data, std::size_t size);
  void align(std::size_t alignment);  // zeros up to a multiple, counted from the section's start
  std::uint64_t size() const { return flushed_ + buffer_.size(); }

  // Writes what is left; the checksum of all.
  std::uint32_t finish();

 private:
  void flush();

  const int descriptor_;
  const std::uint64_t start_;
  const std::string path_;
  std::vector<std::uint8_t> buffer_;  // to be written
  std::uint64_t flushed_ = 0;
  std::uint32_t of_block_ = 0;   // of what the block has so far
  std::uint32_t of_blocks_ = 0;  // of the checksums of whole blocks
};

}  // namespace gaspipe
