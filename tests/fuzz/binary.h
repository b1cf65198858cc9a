// SPDX-License-Identifier: Apache-2.0
// What the fuzz targets of binary files share: numbers out of the fuzzer's bytes, and a file that holds what is read.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "tests/fuzz/fuzz.h"

namespace gaspipe {
namespace fuzz {

// Takes numbers from the front; zeros once there is nothing left.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}

  template <class T>
  T take() {
    T value{};
    const std::size_t size = std::min(sizeof(T), static_cast<std::size_t>(end_ - at_));
    if (size > 0) std::memcpy(&value, at_, size);
    at_ += size;
    return value;
  }
  const std::uint8_t* data() const { return at_; }
  std::size_t size() const { return static_cast<std::size_t>(end_ - at_); }

 private:
  const std::uint8_t *at_, *end_;
};

// A file in memory without a name, for what reads files only. One serves all inputs of a process.
class MemoryFile {
 public:
  static MemoryFile& holding(const std::uint8_t* data, std::size_t size) {
    static MemoryFile file;
    require(::ftruncate(file.descriptor_, 0) == 0 &&
                ::pwrite(file.descriptor_, data, size, 0) == static_cast<ssize_t>(size),
            "there is no room for a file in memory");
    return file;
  }
  int descriptor() const { return descriptor_; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  MemoryFile() : descriptor_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    require(descriptor_ >= 0, "there is no file in memory");
  }
  const int descriptor_;
};

}  // namespace fuzz
}  // namespace gaspipe
