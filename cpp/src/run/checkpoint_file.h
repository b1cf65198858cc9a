// SPDX-License-Identifier: Apache-2.0
// A file of a checkpoint: its head, and the way to it.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "gaspipe/crc32.h"
#include "gaspipe/error.h"
#include "gaspipe/file_bytes.h"

namespace gaspipe {
namespace checkpoint {

constexpr char kMagic[8] = {'G', 'A', 'S', 'P', 'C', 'K', 'P', 'T'};
constexpr std::uint32_t kVersion = 2;  // 1 had no `edges`

// The head of a file. Behind it, one after the other: the sums, the ids of the vertices (none where they are
// contiguous), their properties, a bit for each that is active (where that is known), and all answers (of passes).
struct Head {
  char magic[8];
  std::uint32_t version, head_bytes;
  char program[64], number[32];
  std::uint64_t num_vertices, num_edges, edges;
  std::uint32_t offsets, arguments;
  std::uint32_t part, num_parts;
  std::uint64_t num_supersteps, pass;
  std::int32_t step, worst, scale_bits, attempts;
  std::uint64_t num_sums, property_bytes, num_own, first_id, num_ids, num_active_words, value_bytes;
  std::uint32_t of_rest, of_head;  // checksums; the second is of all before it
};

static_assert(sizeof(Head) == 248, "a head has no padding");

inline std::uint32_t checksum_of(const Head& head) { return crc32(&head, offsetof(Head, of_head)); }

class File {
 public:
  File(std::string path, int flags, const char* what) : path_(std::move(path)), what_(what) {
    descriptor_ = ::open(path_.c_str(), flags | O_CLOEXEC | ((flags & O_CREAT) != 0 ? O_NOFOLLOW : 0), 0666);
    if (descriptor_ < 0) throw FileError(errno, what, path_);
  }
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;

  void write(std::uint64_t start, const void* data, std::size_t size) {
    if (size > 0) write_at(descriptor_, start, data, size, what_, path_);
  }
  std::size_t read(std::uint64_t start, void* data, std::size_t size) {
    return size == 0 ? 0 : read_at(descriptor_, start, data, size, what_, path_);
  }
  std::uint64_t size() const {
    struct stat facts;
    if (::fstat(descriptor_, &facts) != 0) throw FileError(errno, what_, path_);
    return static_cast<std::uint64_t>(facts.st_size);
  }
  // To the disk.
  void end() {
    const bool failed = ::fsync(descriptor_) != 0;
    const int code = errno;
    ::close(std::exchange(descriptor_, -1));
    if (failed) throw FileError(code, what_, path_);
  }

 private:
  const std::string path_;
  const char* what_;
  int descriptor_;
};

inline Head read_head(File& file, const std::string& path) {
  Head head{};
  const std::size_t there = file.read(0, &head, sizeof head);
  if (there < sizeof kMagic || std::memcmp(head.magic, kMagic, sizeof kMagic) != 0) {
    throw InputError(message(path, " is no checkpoint of gaspipe"));
  }
  if (there >= offsetof(Head, program) && head.version != kVersion) {
    throw InputError(
        message(path, " is a checkpoint of format ", head.version, "; this gaspipe reads format ", kVersion));
  }
  const bool names_end = head.program[sizeof head.program - 1] == '\0' && head.number[sizeof head.number - 1] == '\0';
  if (there < sizeof head || head.head_bytes != sizeof head || head.of_head != checksum_of(head) || !names_end) {
    throw InputError(message(path, " is damaged: its head is not what was written"));
  }
  return head;
}

}  // namespace checkpoint
}  // namespace gaspipe
