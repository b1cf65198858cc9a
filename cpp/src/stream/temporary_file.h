// SPDX-License-Identifier: Apache-2.0
// A file without a name: its space is free again when the process ends, however that happens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace gaspipe {
namespace detail {

class TemporaryFile {
 public:
  // `content` is for messages.
  explicit TemporaryFile(std::string folder, std::string content = "sorted edges")
      : folder_(std::move(folder)), content_(std::move(content)) {}
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  // Writes at the end; the file is made at the first call. FileError where the system refuses, here and below.
  void append(const void* data, std::size_t size);
  // The same for places in any order: a file of so many bytes is made, which take room once they are written.
  int make(std::uint64_t size);  // its descriptor
  void write(std::uint64_t start, const void* data, std::size_t size);
  void read(std::uint64_t start, void* data, std::size_t size) const;
  // Gives the space of some bytes back, where the file system can.
  void release(std::uint64_t start, std::uint64_t size);
  std::uint64_t size() const { return size_; }

 private:
  void open();

  const std::string folder_, content_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace detail
}  // namespace gaspipe
