// SPDX-License-Identifier: Apache-2.0
// How a frontier program is run. None of these changes an answer, but for the rounding of floating-point sums.
#pragma once

#include <functional>
#include <string>

#include "gaspipe/error.h"

namespace gaspipe {

enum class LogLevel { kError, kWarning, kInfo, kDebug };

struct FrontierOptions {
  enum class Direction { kAuto, kPush, kPull };

  int num_threads = 0;  // 0: as OpenMP is set
  Direction direction = Direction::kAuto;
  // 1, 2, 4, 8, 16 or 32: the larger, the fewer vertices a thread takes at once. For graphs in which few vertices have
  // most of the edges.
  int group = 1;
  // Whether pushes list the vertices that they reach, every thread in a queue of its own; else they only mark them.
  bool scan = true;
  // Called with messages up to a level. A call of the engine writes one line, at kDebug.
  std::function<void(LogLevel level, const std::string& text)> log;
  LogLevel log_level = LogLevel::kInfo;
  std::function<bool()> interrupted;  // asked on the calling thread, about every 20 ms
};

inline void check(const FrontierOptions& options) {
  const int group = options.group;
  if (group < 1 || group > 32 || (group & (group - 1)) != 0) {
    throw InputError(message("group is ", group, "; use 1, 2, 4, 8, 16 or 32"));
  }
  if (options.num_threads < 0) {
    throw InputError(message("num_threads is ", options.num_threads, "; use 1 or more, or 0 for as OpenMP is set"));
  }
}

}  // namespace gaspipe
