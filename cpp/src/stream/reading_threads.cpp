// SPDX-License-Identifier: Apache-2.0
// Reads by threads of their own, in the order in which they are asked for.
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "cpp/src/stream/read_queue.h"

namespace gaspipe {
namespace {

constexpr auto kLook = std::chrono::milliseconds(20);  // between two questions whether to stop

class ReadingThreads : public ReadQueue {
 public:
  ReadingThreads(const ReadFile& file, int num_threads) : file_(file) {
    try {
      for (int i = 0; i < num_threads; ++i) threads_.emplace_back([this] { work(); });
    } catch (const std::system_error& error) {
      if (threads_.empty()) throw Error(message("there is no thread to read ", file_.name(), " with: ", error.what()));
    } catch (const std::bad_alloc&) {
      if (threads_.empty()) throw;
    }
  }
  ~ReadingThreads() override {
    {
      const std::lock_guard<std::mutex> lock(guard_);
      is_closing_ = true;
      queue_.clear();
    }
    asked_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  const char* name() const override { return "pread"; }

  void start(ReadAhead::Request* request) override {
    {
      const std::lock_guard<std::mutex> lock(guard_);
      queue_.push_back(request);
    }
    asked_.notify_one();
  }
  bool finish(ReadAhead::Request* request, const std::function<bool()>& stopped) override {
    std::unique_lock<std::mutex> lock(guard_);
    while (!done_.wait_for(lock, kLook, [&] { return request->is_done; })) {
      lock.unlock();
      if (stopped()) return false;
      lock.lock();
    }
    return true;
  }

 private:
  void work() {
    std::unique_lock<std::mutex> lock(guard_);
    while (true) {
      asked_.wait(lock, [this] { return is_closing_ || !queue_.empty(); });
      if (is_closing_) return;
      ReadAhead::Request* const request = queue_.front();
      queue_.pop_front();
      lock.unlock();
      ReadAhead::Request result = *request;
      ReadAhead::read_now(file_, &result);
      lock.lock();
      *request = result;
      done_.notify_all();
    }
  }

  const ReadFile& file_;
  std::mutex guard_;
  std::condition_variable asked_, done_;
  std::deque<ReadAhead::Request*> queue_;
  bool is_closing_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace

std::unique_ptr<ReadQueue> make_reading_threads(const ReadFile& file, int num_in_flight) {
  return std::make_unique<ReadingThreads>(file, num_in_flight);
}

}  // namespace gaspipe
