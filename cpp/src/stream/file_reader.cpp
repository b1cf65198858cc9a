// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/file_reader.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>

namespace gaspipe {
namespace {

struct stat facts_of(int descriptor, const std::string& name) {
  struct stat facts;
  if (::fstat(descriptor, &facts) != 0) throw FileError(errno, "looking at it", name);
  return facts;
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
  direct_ = ::open(message("/proc/self/fd/", cached_).c_str(), O_RDONLY | O_CLOEXEC | O_DIRECT);
  // Never looked into, only asked about; to ask by reading would make the system read.
  if (direct_ >= 0 && size_ > 0) map_ = ::mmap(nullptr, size_, PROT_NONE, MAP_SHARED, cached_, 0);
  if (map_ == MAP_FAILED) map_ = nullptr;
#endif
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

bool ReadFile::is_cached(std::uint64_t first, std::uint64_t end) const {
  if (map_ == nullptr || end > size_) return false;
  std::vector<unsigned char> pages((end - first + kPage - 1) / kPage);
  if (::mincore(static_cast<char*>(map_) + first, end - first, pages.data()) != 0) return false;
  return std::all_of(pages.begin(), pages.end(), [](unsigned char page) { return (page & 1) != 0; });
}

const std::uint8_t* ReadFile::read(std::uint64_t start, std::uint64_t size, std::uint8_t* buffer,
                                   std::uint64_t* count) const {
  const std::uint64_t first = start / kPage * kPage, end = start + size;
  std::uint8_t* const data = buffer + (start - first);
  std::uint64_t done = 0;
  const bool is_at_hand = is_cached(first, end);
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

ReadAhead::ReadAhead(std::shared_ptr<const ReadFile> file, int num_threads) : file_(std::move(file)) {
  try {
    for (int i = 0; i < num_threads; ++i) threads_.emplace_back([this] { work(); });
  } catch (const std::system_error& error) {
    if (threads_.empty()) throw Error(message("there is no thread to read ", file_->name(), " with: ", error.what()));
  }
}

ReadAhead::~ReadAhead() {
  {
    const std::lock_guard<std::mutex> lock(guard_);
    is_closing_ = true;
    queue_.clear();
  }
  asked_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ReadAhead::work() {
  std::unique_lock<std::mutex> lock(guard_);
  while (true) {
    asked_.wait(lock, [this] { return is_closing_ || !queue_.empty(); });
    if (is_closing_) return;
    Request* const request = queue_.front();
    queue_.pop_front();
    lock.unlock();
    std::uint64_t from_disk = 0;
    const std::uint8_t* data = nullptr;
    std::exception_ptr failure;
    try {
      data = file_->read(request->start, request->size, request->buffer, &from_disk);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    bytes_ += request->size;
    disk_bytes_ += from_disk;
    request->data = data;
    request->failure = failure;
    request->is_done = true;
    done_.notify_all();
  }
}

void ReadAhead::ask(Request* request) {
  request->is_done = false;
  request->failure = nullptr;
  {
    const std::lock_guard<std::mutex> lock(guard_);
    queue_.push_back(request);
  }
  asked_.notify_one();
}

bool ReadAhead::wait(Request* request, const std::function<bool()>& stopped) {
  constexpr auto kLook = std::chrono::milliseconds(20);
  std::unique_lock<std::mutex> lock(guard_);
  while (!done_.wait_for(lock, kLook, [&] { return request->is_done; })) {
    lock.unlock();
    if (stopped()) return false;
    lock.lock();
  }
  if (request->failure) std::rethrow_exception(request->failure);
  return true;
}

std::uint64_t ReadAhead::bytes_read() const {
  const std::lock_guard<std::mutex> lock(guard_);
  return bytes_;
}
std::uint64_t ReadAhead::bytes_from_disk() const {
  const std::lock_guard<std::mutex> lock(guard_);
  return disk_bytes_;
}

}  // namespace gaspipe
