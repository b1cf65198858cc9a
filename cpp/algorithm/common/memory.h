// SPDX-License-Identifier: Apache-2.0
// Whether an answer fits in memory, before it is begun: not every system refuses memory that it does not have.
#pragma once

#include <unistd.h>

#include <cmath>
#include <string>

#include "gaspipe/error.h"

namespace gaspipe {
namespace algorithm {

// InputError where `what` takes more than the machine has; `remedy` completes the message.
inline void check_memory(const std::string& what, double num_bytes, const char* remedy) {
  const double memory = double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGE_SIZE));
  if (num_bytes <= memory) return;
  const auto gigabytes = [](double bytes) { return std::round(bytes / 1e8) / 10; };
  throw InputError(
      message(what, " take ", gigabytes(num_bytes), " GB; this machine has ", gigabytes(memory), " GB; ", remedy));
}

}  // namespace algorithm
}  // namespace gaspipe
