// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/local_store/list_writer.h"

#include <algorithm>
#include <limits>

#include "cpp/src/stream/temporary_file.h"
#include "gaspipe/crc32.h"
#include "gaspipe/error.h"
#include "gaspipe/view_writer.h"

namespace gaspipe {
namespace local_store {
namespace {

constexpr std::size_t kMostPayload = std::size_t(1) << 20;  // bytes of a list that are held in memory
constexpr std::uint8_t kZeros[kListPage] = {};

std::uint64_t largest_id(std::uint64_t num_vertices) { return num_vertices == 0 ? 0 : num_vertices - 1; }

}  // namespace

ListWriter::ListWriter(EdgeSorter& sorter, const ViewWriter& forward, int num_workers, int descriptor,
                       std::uint64_t start, const std::string& path, const std::string& folder, int code_bits)
    : sorter_(sorter),
      degrees_(forward.degrees()),
      owners_(static_cast<VertexId>(degrees_.size()), checked_workers(num_workers)),
      code_bits_(code_bits == 0 ? code_bits_for(largest_id(degrees_.size())) : code_bits),
      split_(split_for(code_bits_, largest_id(degrees_.size()))),
      section_(descriptor, start, path),
      rest_(std::make_unique<detail::TemporaryFile>(folder, "a long list")),
      header_(static_cast<std::size_t>(num_workers)),
      targets_((degrees_.size() + 7) / 8, 0) {
  if (sorter.order() != EdgeOrder::kRows) throw InputError("lists are made of edges in the order of rows");
  if (!forward.overflows().empty()) {
    throw CapacityError(message("vertex ", forward.overflows().front(), " has more out-edges than the ",
                                std::numeric_limits<std::uint32_t>::max(), " of a split list; omit workers"));
  }
  payload_.reserve(kMostPayload + sizeof(std::uint64_t));
  std::uint64_t num_bytes = 0;
  for (const std::uint32_t degree : degrees_) num_bytes += record_bytes(degree, num_workers, code_bits_);
  checks_.reserve((num_bytes + kListPage - 1) / kListPage);
  section_.write(kZeros, first_record(start));
}
ListWriter::~ListWriter() = default;

std::uint64_t ListWriter::write(std::uint64_t most_edges) {
  std::uint64_t num_written = 0;
  while (num_written < most_edges) {
    const EdgeSorter::Batch batch = sorter_.next();
    if (batch.num_edges == 0) break;
    for (std::size_t i = 0; i < batch.num_edges; ++i) {
      const auto source = static_cast<VertexId>(batch.keys[i] >> 32);
      if (!has_list_ || source != source_) {
        end_list();
        has_list_ = true;
        source_ = source;
      }
      add(static_cast<VertexId>(batch.keys[i]));
    }
    num_written += batch.num_edges;
  }
  return num_written;
}

// Targets ascend, and so do their owners.
void ListWriter::add(VertexId target) {
  if (target >= next_first_) {
    owner_ = owners_.of(target);
    next_first_ = std::uint64_t(owners_.share()) * (static_cast<std::uint64_t>(owner_) + 1);
  }
  ++header_[static_cast<std::size_t>(owner_)].length;
  targets_[target / 8] |= static_cast<std::uint8_t>(1u << target % 8);
  const std::uint64_t code = code_bits_ == 32 ? make_code<std::uint32_t>(target, degrees_[target], split_)
                                              : make_code<std::uint64_t>(target, degrees_[target], split_);
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&code);
  payload_.insert(payload_.end(), bytes, bytes + code_bits_ / 8);
  if (payload_.size() < kMostPayload) return;
  rest_->append(payload_.data(), payload_.size());
  payload_.clear();
}

void ListWriter::end_list() {
  if (!has_list_) return;
  std::uint32_t offset = 0;
  for (SubList& list : header_) {
    list.offset = offset;
    offset += list.length;
  }
  put(header_.data(), header_.size() * sizeof(SubList));
  pad();
  if (rest_->size() > rest_begin_) {
    std::vector<std::uint8_t> buffer(std::size_t(1) << 20);
    for (std::uint64_t at = rest_begin_; at < rest_->size();) {
      const std::size_t taken = std::min<std::uint64_t>(buffer.size(), rest_->size() - at);
      rest_->read(at, buffer.data(), taken);
      put(buffer.data(), taken);
      at += taken;
    }
    rest_->release(rest_begin_, rest_->size() - rest_begin_);
    rest_begin_ = rest_->size();
  }
  put(payload_.data(), payload_.size());
  pad();
  std::fill(header_.begin(), header_.end(), SubList{0, 0});
  payload_.clear();
  next_first_ = 0;
  has_list_ = false;
}

void ListWriter::put(const void* data, std::uint64_t size) {
  section_.write(data, size);
  const auto* at = static_cast<const std::uint8_t*>(data);
  while (size > 0) {
    const std::uint64_t taken = std::min(size, kListPage - record_size_ % kListPage);
    of_page_ = crc32(at, taken, of_page_);
    record_size_ += taken;
    at += taken;
    size -= taken;
    if (record_size_ % kListPage != 0) break;
    checks_.push_back(of_page_);
    of_page_ = 0;
  }
}
void ListWriter::pad() { put(kZeros, padded(record_size_) - record_size_); }

std::uint32_t ListWriter::finish() {
  end_list();
  if (record_size_ % kListPage != 0) checks_.push_back(of_page_);
  return section_.finish();
}

std::uint64_t ListWriter::most_memory(std::uint64_t num_vertices, std::uint64_t num_edges, int num_workers) {
  const std::uint64_t code_bytes = static_cast<std::uint64_t>(code_bits_for(largest_id(num_vertices))) / 8;
  const std::uint64_t records =
      num_edges * code_bytes + std::min(num_vertices, num_edges) * (header_bytes(num_workers) + kTransferAlignment);
  // Checksums twice, for they are handed over as a copy; so are bits of targets.
  return records / kListPage * 8 + num_vertices / 4 + kMostPayload + (std::uint64_t(3) << 20);
}

}  // namespace local_store
}  // namespace gaspipe
