// SPDX-License-Identifier: Apache-2.0
#include "temporary_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <vector>

#include "gaspipe/error.h"
#include "gaspipe/file_bytes.h"

namespace gaspipe {
namespace detail {

TemporaryFile::~TemporaryFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void TemporaryFile::open() {
#ifdef O_TMPFILE
  descriptor_ = ::open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor_ >= 0) return;
#endif
  const std::string pattern = folder_ + "/.gaspipe-XXXXXX";
  std::vector<char> name(pattern.c_str(), pattern.c_str() + pattern.size() + 1);
  descriptor_ = ::mkstemp(name.data());
  if (descriptor_ < 0) throw FileError(errno, "making a temporary file for " + content_, folder_);
  ::unlink(name.data());
  ::fcntl(descriptor_, F_SETFD, FD_CLOEXEC);
}

void TemporaryFile::append(const void* data, std::size_t size) {
  if (descriptor_ < 0) open();
  write(size_, data, size);
  size_ += size;
}

int TemporaryFile::make(std::uint64_t size) {
  open();
  if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) {
    throw FileError(errno, "making a temporary file for " + content_, folder_);
  }
  size_ = size;
  return descriptor_;
}

void TemporaryFile::write(std::uint64_t start, const void* data, std::size_t size) {
  write_at(descriptor_, start, data, size, ("writing " + content_ + " to a temporary file").c_str(), folder_);
}

void TemporaryFile::read(std::uint64_t start, void* data, std::size_t size) const {
  const std::string reading = "reading " + content_ + " from a temporary file";
  if (read_at(descriptor_, start, data, size, reading.c_str(), folder_) < size) throw FileError(EIO, reading, folder_);
}

void TemporaryFile::release(std::uint64_t start, std::uint64_t size) {
#if defined(FALLOC_FL_PUNCH_HOLE) && defined(FALLOC_FL_KEEP_SIZE)
  // Only a favour: that it fails does not matter.
  (void)::fallocate(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(start),
                    static_cast<off_t>(size));
#else
  (void)start, (void)size;
#endif
}

}  // namespace detail
}  // namespace gaspipe
