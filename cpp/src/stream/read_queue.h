// SPDX-License-Identifier: Apache-2.0
// What carries out the reads of a ReadAhead: the kernel's io_uring, or threads. For one caller at a time.
#pragma once

#include <functional>
#include <memory>

#include "gaspipe/file_reader.h"

namespace gaspipe {

class ReadQueue {
 public:
  virtual ~ReadQueue() = default;  // once no read is under way
  virtual const char* name() const = 0;
  virtual void start(ReadAhead::Request* request) = 0;
  // Waits for `request`, whose `data` or `failure` is then there; false when `stopped`, asked now and then, says so.
  virtual bool finish(ReadAhead::Request* request, const std::function<bool()>& stopped) = 0;
};

// Null where the build has no liburing, or the system no io_uring for this process.
std::unique_ptr<ReadQueue> make_ring(const ReadFile& file, int num_in_flight);
std::unique_ptr<ReadQueue> make_reading_threads(const ReadFile& file, int num_in_flight);

}  // namespace gaspipe
