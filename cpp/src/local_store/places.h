// SPDX-License-Identifier: Apache-2.0
// Where the lists and the queues of a search lie: in main memory, or in files. What a worker needs of either.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>

#include "file_queue.h"
#include "from_file.h"
#include "from_memory.h"
#include "gaspipe/local_store/search.h"
#include "memory_queue.h"

namespace gaspipe {
namespace local_store {

template <class CodeType>
class InMemory {
 public:
  using Code = CodeType;
  using Lists = SplitLists;
  using From = FromMemory;
  using Queues = MemoryQueues<Code>;
  static constexpr bool kThreadsMakeStores = true;

  InMemory(const Lists& lists, const Settings& /*settings*/, std::function<bool()> /*stopped*/) : lists_(lists) {}

  From from() const { return FromMemory(lists_.records().data()); }
  Queues queues(int worker) const { return Queues(lists_.owners().count(worker)); }
  void end_level() const {}
  void report(const From& /*from*/, const Queues& /*queues*/, Profile& /*profile*/) const {}

 private:
  const Lists& lists_;
};

// It outlives the workers.
template <class CodeType>
class InFiles {
 public:
  using Code = CodeType;
  using Lists = StoredLists;
  using From = FromFile;
  using Queues = FileQueues<Code>;
  // On the calling thread memory is taken again that a search before has given back; on threads of their own the
  // allocator would keep it for each of them.
  static constexpr bool kThreadsMakeStores = false;

  // A wait ends where `stopped` says so.
  InFiles(const Lists& lists, const Settings& settings, std::function<bool()> stopped)
      : lists_(lists),
        io_(checked(settings)),
        stopped_(std::move(stopped)),
        region_((lists.owners().share() * sizeof(Code) + ReadFile::kPage - 1) / ReadFile::kPage * ReadFile::kPage),
        file_(settings.folder, "the queues of a search") {
    const int descriptor = file_.make(region_ * static_cast<std::uint64_t>(lists.num_workers()));
    const std::string name = message("a temporary file in ", settings.folder);
    queue_file_ = std::make_shared<const ReadFile>(name, descriptor);
  }

  From from() const { return FromFile(lists_, io_.lists, most_reads(lists_.num_workers()), stopped_); }
  Queues queues(int worker) {
    return Queues(file_, queue_file_, region_ * static_cast<std::uint64_t>(worker), io_.queue, stopped_);
  }
  void end_level() const { lists_.file().check_unchanged(); }
  void report(const From& from, const Queues& queues, Profile& profile) const {
    profile.bytes_read += from.bytes_read();
    profile.bytes_from_disk += from.bytes_from_disk();
    profile.seconds_waited += from.seconds_waited() + queues.seconds_waited();
    if (from.bytes_from_disk() > 0) profile.reader = from.reader();
  }

 private:
  static IoSizes checked(const Settings& settings) {
    const IoSizes &io = settings.io, least = IoSizes::least(settings.limits);
    if (io.lists >= least.lists && io.queue > 0 && io.queue % ReadFile::kPage == 0) return io;
    throw InputError(message("I/O buffers of ", io.lists, " bytes for lists and ", io.queue, " for queues; at least ",
                             least.lists, " and a multiple of ", ReadFile::kPage, " are needed"));
  }

  // Into an I/O buffer of a worker, of which there are two: a disk is busy with some tens of all workers, and where
  // threads read there is one for each.
  static int most_reads(int num_workers) { return std::clamp(32 / num_workers, 1, 4); }

  const Lists& lists_;
  const IoSizes io_;
  const std::function<bool()> stopped_;
  const std::uint64_t region_;  // of a worker in the file of queues
  detail::TemporaryFile file_;
  std::shared_ptr<const ReadFile> queue_file_;
};

}  // namespace local_store
}  // namespace gaspipe
