// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/local_store/stored_lists.h"

#include <algorithm>
#include <limits>

#include "gaspipe/crc32.h"
#include "gaspipe/error.h"

namespace gaspipe {
namespace local_store {

StoredLists::StoredLists(std::shared_ptr<const StoredEdges> edges, Offsets offsets, ListSection section)
    : edges_(std::move(edges)),
      offsets_(std::move(offsets)),
      section_(std::move(section)),
      owners_(static_cast<VertexId>(offsets_.size() - 1), checked_workers(section_.num_workers)),
      split_(split_for(section_.code_bits, std::max<std::uint64_t>(owners_.num_vertices(), 1) - 1)) {
  const std::uint64_t n = owners_.num_vertices();
  if (section_.code_bits != 64 && section_.code_bits != code_bits_for(std::max<std::uint64_t>(n, 1) - 1)) {
    refuse("codes are not as wide as the ids of vertices ask for");
  }
  if (section_.first_byte % kListPage != 0 || section_.first_byte > file().size() ||
      section_.num_bytes > file().size() - section_.first_byte) {
    refuse("records do not lie in it");
  }
  const std::uint64_t num_pages = (section_.num_bytes + kListPage - 1) / kListPage;
  if (section_.checks.size() != num_pages) refuse("records have not as many checksums as pages");
  if (section_.targets.size() != (n + 7) / 8) refuse("there is not a bit for every vertex");
  find_starts();
  count_targets();
  is_sound_.assign(num_pages, 0);
}

void StoredLists::find_starts() {
  starts_.reserve(num_vertices() / kBetween + 1);
  std::uint64_t start = 0;
  for (std::uint64_t v = 0; v < num_vertices(); ++v) {
    const auto vertex = static_cast<VertexId>(v);
    if (length(vertex) > std::numeric_limits<std::uint32_t>::max()) refuse("a list of that length cannot be");
    if (v % kBetween == 0) starts_.push_back(start);
    start += bytes_of(vertex);
  }
  if (start != section_.num_bytes) refuse("records have not the bytes that the offsets say");
}

void StoredLists::count_targets() {
  for (int worker = 0; worker < num_workers(); ++worker) {
    VertexId count = 0;
    const std::uint64_t first = owners_.first(worker), last = first + owners_.count(worker);
    for (std::uint64_t v = first; v < last; ++v) count += is_target(static_cast<VertexId>(v));
    num_targets_.push_back(count);
  }
}

void StoredLists::check_workers(int num_workers) const {
  if (num_workers == this->num_workers()) return;
  throw InputError(message("the lists in ", file().name(), " are split for ", this->num_workers(),
                           this->num_workers() == 1 ? " worker" : " workers", ", and workers is ", num_workers,
                           "; use workers=", this->num_workers(), ", or split them again: gaspipe convert ",
                           file().name(), " other.gaspipe --workers ", num_workers));
}

void StoredLists::check(std::uint64_t place, std::uint64_t num_bytes, const std::uint8_t* bytes) const {
  for (std::uint64_t done = 0; done < num_bytes; done += kListPage) {
    const std::uint64_t page = (place + done) / kListPage;
    std::uint8_t& is_sound = is_sound_[page];
    if (__atomic_load_n(&is_sound, __ATOMIC_RELAXED) != 0) continue;
    if (crc32(bytes + done, std::min(kListPage, num_bytes - done)) != section_.checks[page]) {
      throw GraphFormatError(message(file().name(), ": damaged: the checksum of page ", page, " of its lists, at byte ",
                                     section_.first_byte + page * kListPage, ", is wrong"));
    }
    __atomic_store_n(&is_sound, std::uint8_t(1), __ATOMIC_RELAXED);
  }
}

void StoredLists::refuse(const char* what) const {
  throw GraphFormatError(
      message(file().name(), ": its lists for ", section_.num_workers, " workers are wrong: ", what));
}

}  // namespace local_store
}  // namespace gaspipe
