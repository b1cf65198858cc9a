// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/local_store/layout.h"

#include <algorithm>

#include "gaspipe/error.h"

namespace gaspipe {
namespace local_store {
namespace {

// Larger buffers gain nothing, and the second-level cache is lost to them.
constexpr std::uint64_t kMostBufferBytes = std::uint64_t(1) << 28;

std::uint64_t lines(std::uint64_t num_bytes) { return (num_bytes + kLine - 1) / kLine * kLine; }
std::uint64_t whole_lines(std::uint64_t num_bytes) { return num_bytes / kLine * kLine; }

void check_limits(const TransferLimits& limits) {
  if (limits.most_entries == 0) throw InputError("a DMA list of 0 entries moves nothing; most_entries must be >= 1");
  if (limits.most_entry_bytes < kTransferAlignment || limits.most_entry_bytes % kTransferAlignment != 0) {
    throw InputError(
        message("most_entry_bytes is ", limits.most_entry_bytes, "; a multiple of ", kTransferAlignment, " is needed"));
  }
}

}  // namespace

Layout least_layout(const Owners& owners) {
  Layout layout;
  layout.num_workers = owners.num_workers();
  layout.bitmap = lines((std::uint64_t(owners.share()) + 7) / 8);
  layout.queue = kLine;
  layout.lists = lines(header_bytes(owners.num_workers()) + kTransferAlignment);
  layout.next = kLine;
  layout.message = kLine;
  layout.transfers = kLine;
  return layout;
}

Layout divide_store(const Owners& owners, std::uint64_t local_store_bytes, const TransferLimits& limits) {
  check_limits(limits);
  Layout layout = least_layout(owners);
  const std::uint64_t least = layout.total();
  if (local_store_bytes < least) {
    throw CapacityError(message("local_store_bytes is ", local_store_bytes, "; ", owners.num_workers(),
                                owners.num_workers() == 1 ? " worker needs " : " workers need ", "at least ", least,
                                " each: ", layout.bitmap, " for the bitmap of ", owners.share(), " vertices, ",
                                least - layout.bitmap, " for buffers; use local_store_bytes=", least,
                                " or more, or more workers"));
  }
  // What is beyond the least, in 64ths: 2 x 1 bQ, 2 x 12 bG, 2 x 4 bQnext, 28 all Qout and Qin, 2 the DMA list.
  const std::uint64_t rest = local_store_bytes - least;
  const auto grow = [&](std::uint64_t& part, std::uint64_t shares, std::uint64_t pieces) {
    part = std::min(part + whole_lines(rest / 64 * shares / pieces), kMostBufferBytes);
  };
  grow(layout.queue, 1, 1);
  grow(layout.lists, 12, 1);
  grow(layout.next, 4, 1);
  grow(layout.message, 28, 2 * std::uint64_t(owners.num_workers()) - 1);
  grow(layout.transfers, 2, 1);
  return layout;
}

}  // namespace local_store
}  // namespace gaspipe
