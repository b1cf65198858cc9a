// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/file_reader.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>

#include "cpp/src/stream/read_queue.h"

namespace gaspipe {
namespace {

struct stat facts_of(int descriptor, const std::string& name) {
  struct stat facts;
  if (::fstat(descriptor, &facts) != 0) throw FileError(errno, "looking at it", name);
  return facts;
}

// A name of a file that is open, without memory that might not be there.
struct Name {
  char text[32];
};
Name named(int descriptor) {
  Name name;
  std::snprintf(name.text, sizeof name.text, "/proc/self/fd/%d", descriptor);
  return name;
}

// mincore() tells only those who may write to a file which of its pages are in the cache; to others all seem to be.
bool tells_what_is_cached(int descriptor, const struct stat& facts) {
  if (facts.st_uid == ::geteuid()) return true;
  return ::faccessat(AT_FDCWD, named(descriptor).text, W_OK, AT_EACCESS) == 0;
}

}  // namespace

ReadFile::ReadFile(std::string name, int descriptor) : name_(std::move(name)), cached_(-1), direct_(-1) {
  const struct stat facts = facts_of(descriptor, name_);
  size_ = static_cast<std::uint64_t>(facts.st_size);
  changed_[0] = facts.st_mtim.tv_sec;
  changed_[1] = facts.st_mtim.tv_nsec;
  cached_ = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (cached_ < 0) throw FileError(errno, "opening it again", name_);
#ifdef O_DIRECT
  // The same file, whatever its name is by now.
  direct_ = ::open(named(cached_).text, O_RDONLY | O_CLOEXEC | O_DIRECT);
#endif
  // Never looked into, only asked about; to ask by reading would make the system read.
  if (size_ > 0 && tells_what_is_cached(cached_, facts)) {
    map_ = ::mmap(nullptr, size_, PROT_NONE, MAP_SHARED, cached_, 0);
  }
  if (map_ == MAP_FAILED) map_ = nullptr;
}

ReadFile::~ReadFile() {
  if (map_ != nullptr) ::munmap(map_, size_);
  ::close(cached_);
  if (direct_ >= 0) ::close(direct_);
}

void ReadFile::check_unchanged() const {
  const struct stat facts = facts_of(cached_, name_);
  if (static_cast<std::uint64_t>(facts.st_size) == size_ && facts.st_mtim.tv_sec == changed_[0] &&
      facts.st_mtim.tv_nsec == changed_[1]) {
    return;
  }
  throw GraphFormatError(message(name_, " was written to since it was opened; load it again"));
}

bool ReadFile::is_cached(std::uint64_t start, std::uint64_t size) const {
  if (map_ == nullptr || start + size > size_) return false;
  constexpr std::uint64_t kPages = 512;  // asked about at a time
  unsigned char is_there[kPages];
  const Pages all = pages(start, size);
  for (std::uint64_t done = 0; done < all.size; done += kPages * kPage) {
    const std::uint64_t bytes = std::min(all.size - done, kPages * kPage);
    if (::mincore(static_cast<char*>(map_) + all.start + done, bytes, is_there) != 0) return false;
    if (!std::all_of(is_there, is_there + bytes / kPage, [](unsigned char page) { return (page & 1) != 0; })) {
      return false;
    }
  }
  return true;
}

const std::uint8_t* ReadFile::read(std::uint64_t start, std::uint64_t size, std::uint8_t* buffer, std::uint64_t* count,
                                   bool is_at_hand) const {
  const std::uint64_t first = start / kPage * kPage, end = start + size;
  std::uint8_t* const data = buffer + (start - first);
  std::uint64_t done = 0;
  int descriptor = direct_ >= 0 && !is_at_hand ? direct_ : cached_;
  while (start + done < end) {
    const bool is_direct = descriptor == direct_;  // of whole pages
    const std::uint64_t from = is_direct ? (start + done) / kPage * kPage : start + done;
    const std::uint64_t wanted = (is_direct ? (end + kPage - 1) / kPage * kPage : end) - from;
    const ssize_t got = ::pread(descriptor, buffer + (from - first), wanted, static_cast<off_t>(from));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EINVAL && is_direct) {  // this file system's pages are larger
      descriptor = cached_;
      continue;
    }
    if (got < 0) throw FileError(errno, message("reading byte ", from), name_);
    const std::uint64_t reached = from + static_cast<std::uint64_t>(got);
    if (reached <= start + done) {
      throw GraphFormatError(message(name_, " was cut short: there is nothing at byte ", start + done));
    }
    if (!is_at_hand) *count += std::min(reached, end) - (start + done);
    done = std::min(reached, end) - start;
  }
  return data;
}

ReadAhead::ReadAhead(std::shared_ptr<const ReadFile> file, int num_in_flight)
    : file_(std::move(file)), num_in_flight_(num_in_flight) {}
ReadAhead::~ReadAhead() = default;
ReadAhead::ReadAhead(ReadAhead&&) noexcept = default;

const char* ReadAhead::reader() const { return queue_ ? queue_->name() : "cache"; }

void ReadAhead::read_now(const ReadFile& file, Request* request) {
  try {
    request->data = file.read(request->start, request->size, request->buffer, &request->from_disk, request->is_at_hand);
  } catch (...) {
    request->failure = std::current_exception();
  }
  request->is_done = true;
}

void ReadAhead::ask(Request* request) {
  request->is_done = false;
  request->failure = nullptr;
  request->from_disk = 0;
  request->is_at_hand = file_->is_cached(request->start, request->size);
  if (request->is_at_hand) return;
  if (!queue_) queue_ = make_ring(*file_, num_in_flight_);
  if (!queue_) queue_ = make_reading_threads(*file_, num_in_flight_);
  queue_->start(request);
}

bool ReadAhead::wait(Request* request, const std::function<bool()>& stopped) {
  if (request->is_at_hand) {
    read_now(*file_, request);
  } else if (!queue_->finish(request, stopped)) {
    return false;
  }
  bytes_ += request->size;
  disk_bytes_ += request->from_disk;
  if (request->failure) std::rethrow_exception(request->failure);
  return true;
}

}  // namespace gaspipe
