// SPDX-License-Identifier: Apache-2.0
// Reads by io_uring, through liburing: no thread, and no switch to one, for a read. Built where there is liburing.
#include <liburing.h>

#include <cerrno>

#include "cpp/src/stream/read_queue.h"

namespace gaspipe {
namespace {

constexpr long long kLookNanoseconds = 20000000;  // between two questions whether to stop

class Ring : public ReadQueue {
 public:
  Ring(const ReadFile& file, const io_uring& ring) : file_(file), ring_(ring) {}
  ~Ring() override {
    while (num_in_flight_ > 0) {  // they write to memory that may be gone after this
      io_uring_cqe* entry = nullptr;
      if (io_uring_wait_cqe(&ring_, &entry) == 0) take(entry);
    }
    io_uring_queue_exit(&ring_);
  }
  const char* name() const override { return "io_uring"; }

  void start(ReadAhead::Request* request) override {
    io_uring_sqe* const entry = io_uring_get_sqe(&ring_);
    const ReadFile::Pages pages = file_.pages(request->start, request->size);
    if (entry == nullptr) return read_again(request);
    io_uring_prep_read(entry, file_.descriptor(), request->buffer, static_cast<unsigned>(pages.size), pages.start);
    io_uring_sqe_set_data(entry, request);
    int count = io_uring_submit(&ring_);
    while (count == -EINTR || count == -EAGAIN) count = io_uring_submit(&ring_);
    if (count < 1) throw FileError(-count, "asking for a read", file_.name());
    ++num_in_flight_;
  }

  bool finish(ReadAhead::Request* request, const std::function<bool()>& stopped) override {
    while (!request->is_done) {
      io_uring_cqe* entry = nullptr;
      __kernel_timespec most{0, kLookNanoseconds};
      const int status = io_uring_wait_cqe_timeout(&ring_, &entry, &most);
      if (status == 0) {
        take(entry);
      } else if (status == -ETIME || status == -EINTR || status == -EAGAIN) {
        if (stopped()) return false;
      } else {
        throw FileError(-status, "waiting for a read", file_.name());
      }
    }
    return true;
  }

 private:
  void take(io_uring_cqe* entry) {
    auto* const request = static_cast<ReadAhead::Request*>(io_uring_cqe_get_data(entry));
    const int count = entry->res;
    io_uring_cqe_seen(&ring_, entry);
    if (request == nullptr) return;  // a time-out, on kernels that count it as an entry
    --num_in_flight_;
    const ReadFile::Pages pages = file_.pages(request->start, request->size);
    if (count >= 0 && static_cast<std::uint64_t>(count) >= pages.skip + request->size) {
      request->data = request->buffer + pages.skip;
      request->from_disk = request->size;
      request->is_done = true;
    } else {
      read_again(request);
    }
  }
  // A part only, or none: reading at once gets the rest, or the reason.
  void read_again(ReadAhead::Request* request) const { ReadAhead::read_now(file_, request); }

  const ReadFile& file_;
  io_uring ring_;
  int num_in_flight_ = 0;
};

}  // namespace

std::unique_ptr<ReadQueue> make_ring(const ReadFile& file, int num_in_flight) {
  io_uring ring;
  if (io_uring_queue_init(static_cast<unsigned>(num_in_flight), &ring, 0) != 0) return nullptr;
  return std::make_unique<Ring>(file, ring);
}

}  // namespace gaspipe
