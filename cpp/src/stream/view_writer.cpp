// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/view_writer.h"

#include <algorithm>
#include <limits>

namespace gaspipe {

using sorted_edges::destination_of;
using sorted_edges::source_of;

ViewWriter::ViewWriter(EdgeSorter& sorter, int descriptor, std::uint64_t start, const std::string& path,
                       const Options& options)
    : sorter_(sorter),
      options_(options),
      type_(sorter.weight_type()),
      section_(descriptor, start, path),
      blocks_(
          weight_bytes(type_),
          [this](const BlockEntry& entry, const std::uint8_t* bytes) {
            section_.align(kBlockAlignment);
            index_.push_back(entry);
            index_.back().start = section_.size();
            section_.write(bytes, entry.bytes);
          },
          options.most_block_edges),
      degrees_(options.counts_degrees ? options.num_vertices : 0),
      last_key_(sorted_edges::kNoKey),
      fingerprint_(Fingerprint::random_key()) {
  if (type_ != WeightType::kNone) facts_.largest_weight = 0;
}

void ViewWriter::note_weight(double weight) {
  facts_.negative_or_nan |= !(weight >= 0);
  if (weight > facts_.largest_weight && weight <= std::numeric_limits<double>::max()) facts_.largest_weight = weight;
}

void ViewWriter::write_edge(std::uint64_t key, std::uint64_t weight) {
  const auto add = [&](auto value) {
    note_weight(static_cast<double>(value));
    blocks_.add(source_of(key), destination_of(key), &value);
  };
  switch (type_) {
    case WeightType::kNone:
      return blocks_.add(source_of(key), destination_of(key));
    case WeightType::kInt32:
      return add(static_cast<std::int32_t>(sorted_edges::integer_of(weight)));
    case WeightType::kInt64:
      return add(sorted_edges::integer_of(weight));
    case WeightType::kFloat32:
      return add(static_cast<float>(sorted_edges::real_of(weight)));
    case WeightType::kFloat64:
      return add(sorted_edges::real_of(weight));
  }
}

// What an edge tells of the graph, weights aside.
void ViewWriter::take(std::uint64_t key) {
  const VertexId source = source_of(key);
  if (num_edges_ > 0 && source_of(last_key_) != source) fingerprint_.end_row(source_of(last_key_));
  fingerprint_.add_destination(destination_of(key));
  if (options_.counts_degrees && ++degrees_[source] == 0) overflows_.push_back(source);
  ++num_edges_;
  last_key_ = key;
}

std::uint64_t ViewWriter::write(std::uint64_t most_edges) {
  std::uint64_t num_written = 0;
  while (num_written < most_edges) {
    const EdgeSorter::Batch batch = sorter_.next();
    if (batch.num_edges == 0) break;
    for (std::size_t i = 0; i < batch.num_edges; ++i) {
      const std::uint64_t key = batch.keys[i];
      if (key == last_key_) {
        if (options_.drops_repeated) continue;
        facts_.is_simple = false;
      }
      take(key);
      write_edge(key, batch.weights == nullptr ? 0 : batch.weights[i]);
    }
    num_written += batch.num_edges;
  }
  return num_written;
}

std::uint32_t ViewWriter::finish() {
  blocks_.finish();
  if (num_edges_ > 0) fingerprint_.end_row(source_of(last_key_));
  return section_.finish();
}

EdgeFacts ViewWriter::facts() const {
  EdgeFacts facts = facts_;
  facts.is_symmetric = fingerprint_.sum() == 0;
  return facts;
}

std::uint32_t ViewWriter::write_offsets(int descriptor, std::uint64_t start, const std::string& path) const {
  SectionWriter section(descriptor, start, path);
  std::vector<VertexId> overflows = overflows_;
  std::sort(overflows.begin(), overflows.end());
  auto overflow = overflows.begin();
  std::uint64_t offset = 0;
  const auto write = [&] {
    const auto narrow = static_cast<std::uint32_t>(offset);
    has_wide_offsets() ? section.write(&offset, sizeof(offset)) : section.write(&narrow, sizeof(narrow));
  };
  write();
  for (std::uint64_t v = 0; v < degrees_.size(); ++v) {
    offset += degrees_[v];
    for (; overflow != overflows.end() && *overflow == v; ++overflow) offset += std::uint64_t(1) << 32;
    write();
  }
  return section.finish();
}

std::uint64_t ViewWriter::most_memory(std::uint32_t weight_bytes) {
  // Columns that grow by doubling, a block's bytes, and the section's buffer; sources and lengths of runs, and those as
  // bytes, one per edge at worst.
  constexpr std::uint64_t kEdge = 2 * (2 + 4 + 4) + 2 + 11;
  return kMostBlockEdges * (kEdge + 3 * std::uint64_t(weight_bytes)) + (std::uint64_t(2) << 20);
}

}  // namespace gaspipe
