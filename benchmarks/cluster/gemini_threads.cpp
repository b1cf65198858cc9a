// SPDX-License-Identifier: Apache-2.0
// Linked into Gemini's programs in place of libnuma's function: they take its answer for their number of threads, and
// would give every rank as many as the machine has cores.
#include <cstdlib>

extern "C" int numa_num_configured_cpus() {
  const char* const threads = std::getenv("OMP_NUM_THREADS");
  return threads == nullptr ? 1 : std::atoi(threads);
}
