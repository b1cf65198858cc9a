// SPDX-License-Identifier: Apache-2.0
// In place of ring.cpp where there is no liburing.
#include "cpp/src/stream/read_queue.h"

namespace gaspipe {

std::unique_ptr<ReadQueue> make_ring(const ReadFile& /*file*/, int /*num_in_flight*/) { return nullptr; }

}  // namespace gaspipe
