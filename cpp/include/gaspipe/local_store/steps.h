// SPDX-License-Identifier: Apache-2.0
// The six steps of an iteration, and where the time of a search went: by worker and step, and event by event where a
// trace is asked for.
#pragma once

#include <cstdint>
#include <vector>

namespace gaspipe {
namespace local_store {

enum Step : std::int32_t { kFetch, kGather, kDispatch, kAllToAll, kBitmap, kCommit, kNumSteps };

constexpr const char* kStepNames[kNumSteps] = {"fetch", "gather", "dispatch", "all_to_all", "bitmap", "commit"};

// A step of one worker. `iteration` is that of the data: in a period k a worker computes iteration k (dispatch,
// all-to-all, bitmap) while it loads k + 1 (fetch, gather) and stores k - 1 (commit).
struct Event {
  std::int32_t worker;
  std::int32_t step;
  std::uint64_t period, iteration;  // from 0, over all levels
  double begin, end;                // seconds since the search began
};
// Of a worker; later ones are not kept.
constexpr std::size_t kMostEvents = std::size_t(1) << 18;

struct WorkerProfile {
  double seconds[kNumSteps] = {};   // where latency is hidden, transfers beside other steps count as theirs
  double stall_seconds = 0;         // its thread found nothing to do; shared among the workers of a thread
  std::uint64_t periods = 0;        // in which lists were dispatched
  std::uint64_t split_periods = 0;  // of these, those that a full Qout ended before the lists were dispatched
  std::uint64_t edges = 0;          // codes that left bG, including those left out because their owner was full
  std::uint64_t messages = 0;       // to other workers, empty ones too
  std::uint64_t codes_sent = 0;     // in these
  std::uint64_t transfers = 0;      // DMA lists
  std::uint64_t transfer_entries = 0;
  std::uint64_t vertices = 0;    // marked
  std::uint64_t used_bytes = 0;  // of the local store
};

struct Level {
  std::uint64_t vertices;  // in the queues at its start
  std::uint64_t edges;
  double seconds;
};

struct Profile {
  double seconds = 0;
  std::vector<WorkerProfile> workers;
  std::vector<Level> levels;
  std::vector<Event> trace;  // by worker, each in the order of its steps' ends
  // Out of core, of lists: read, of these from the disk. And in which threads waited for lists and queues.
  std::uint64_t bytes_read = 0, bytes_from_disk = 0;
  double seconds_waited = 0;
  const char* reader = "cache";  // as ReadAhead has it: what read lists from the disk
};

}  // namespace local_store
}  // namespace gaspipe
