// SPDX-License-Identifier: Apache-2.0
// Where the lists and the queues of a search lie: in main memory, or in files. What a worker needs of either.
#pragma once

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
  // Of a worker; and of all.
  void report(const From& /*from*/, const Queues& /*queues*/, Profile& /*profile*/) const {}
  void report(Profile& /*profile*/) const {}

 private:
  const Lists& lists_;
};

// It ends before the workers, whose buffers are read into.
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
        file_(settings.folder, "the queues of a search"),
        list_reads_(lists.edges()->file(), kListReaders) {
    const int descriptor = file_.make(region_ * static_cast<std::uint64_t>(lists.num_workers()));
    const std::string name = message("a temporary file in ", settings.folder);
    queue_reads_ = std::make_unique<ReadAhead>(std::make_shared<ReadFile>(name, descriptor), kQueueReaders);
  }

  From from() { return FromFile(lists_, list_reads_, io_.lists, stopped_); }
  Queues queues(int worker) {
    return Queues(file_, *queue_reads_, region_ * static_cast<std::uint64_t>(worker), io_.queue, stopped_);
  }
  void end_level() const { lists_.file().check_unchanged(); }
  void report(Profile& profile) const {
    profile.bytes_read += list_reads_.bytes_read();
    profile.bytes_from_disk += list_reads_.bytes_from_disk();
  }
  void report(const From& from, const Queues& queues, Profile& profile) const {
    profile.bytes_read += from.bytes_read();
    profile.bytes_from_disk += from.bytes_from_disk();
    profile.seconds_waited += from.seconds_waited() + queues.seconds_waited();
  }

 private:
  static IoSizes checked(const Settings& settings) {
    const IoSizes &io = settings.io, least = IoSizes::least(settings.limits);
    if (io.lists >= least.lists && io.queue > 0 && io.queue % ReadFile::kPage == 0) return io;
    throw InputError(message("I/O buffers of ", io.lists, " bytes for lists and ", io.queue, " for queues; at least ",
                             least.lists, " and a multiple of ", ReadFile::kPage, " are needed"));
  }

  static constexpr int kListReaders = 4, kQueueReaders = 2;  // reads in flight

  const Lists& lists_;
  const IoSizes io_;
  const std::function<bool()> stopped_;
  const std::uint64_t region_;  // of a worker in the file of queues
  detail::TemporaryFile file_;
  ReadAhead list_reads_;
  std::unique_ptr<ReadAhead> queue_reads_;
};

}  // namespace local_store
}  // namespace gaspipe
