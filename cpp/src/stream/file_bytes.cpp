// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/file_bytes.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "gaspipe/error.h"

namespace gaspipe {
namespace {

constexpr std::size_t kMostAtOnce = std::size_t(1) << 30;  // Linux takes 2 GiB less a page

}  // namespace

void write_at(int descriptor, std::uint64_t start, const void* data, std::size_t size, const char* what,
              const std::string& path) {
  const auto* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t done = ::pwrite(descriptor, at, std::min(size, kMostAtOnce), static_cast<off_t>(start));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) throw FileError(done < 0 ? errno : EIO, what, path);
    at += done;
    start += static_cast<std::uint64_t>(done);
    size -= static_cast<std::size_t>(done);
  }
}

std::size_t read_at(int descriptor, std::uint64_t start, void* data, std::size_t size, const char* what,
                    const std::string& path) {
  auto* at = static_cast<char*>(data);
  std::size_t num_read = 0;
  while (num_read < size) {
    const ssize_t done = ::pread(descriptor, at + num_read, std::min(size - num_read, kMostAtOnce),
                                 static_cast<off_t>(start + num_read));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) throw FileError(errno, what, path);
    if (done == 0) break;
    num_read += static_cast<std::size_t>(done);
  }
  return num_read;
}

}  // namespace gaspipe
