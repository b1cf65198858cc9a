// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/device_graph.h"

#include <algorithm>
#include <cstring>

#include "gaspipe/error.h"

namespace gaspipe {
namespace {

constexpr std::uint64_t kCopiedAtOnce = 1 << 16;  // elements that a worker copies at once

template <class T>
std::uint64_t words_of(std::uint64_t num_values) {
  return (num_values + Word<T>::kSize - 1) / Word<T>::kSize;
}

// Words of which lane i is f(i), and `rest` from num_values on.
template <class T, class F>
Array<Word<T>> filled(std::uint64_t num_values, T rest, Workers& workers, const F& f) {
  const Writable<Word<T>> words(words_of<T>(num_values));
  workers.each(words.size() * Word<T>::kSize, kCopiedAtOnce, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t i = first; i < last; ++i) {
      words[i / Word<T>::kSize].lane[i % Word<T>::kSize] = i < num_values ? f(i) : rest;
    }
  });
  workers.check();
  return words.freeze();
}

template <class T>
void gather(const VertexId* targets, EdgeCount num_edges, const void* properties, void* values, Workers& workers) {
  const auto* from = static_cast<const T*>(properties);
  auto* to = static_cast<T*>(values);
  workers.each(num_edges, kCopiedAtOnce, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t e = first; e < last; ++e) to[e] = from[targets[e]];
  });
  workers.check();
}

}  // namespace

DeviceRows DeviceRows::make(const Csr& csr, Workers& workers) {
  DeviceRows rows;
  rows.num_vertices = csr.num_rows;
  rows.num_edges = csr.num_edges();
  rows.offsets = filled<std::uint64_t>(std::uint64_t(csr.num_rows) + 1, csr.num_edges(), workers,
                                       [&](std::uint64_t i) { return csr.offsets[i]; });
  rows.targets = filled<VertexId>(csr.num_edges(), kNoVertex, workers, [&](std::uint64_t e) { return csr.targets[e]; });
  return rows;
}

DeviceReplica::DeviceReplica(std::shared_ptr<const DeviceRows> rows, int value_bytes)
    : rows_(std::move(rows)),
      value_bytes_(value_bytes),
      words_((rows_->num_edges * static_cast<unsigned>(value_bytes) + 63) / 64) {
  if (value_bytes != 4 && value_bytes != 8) {
    throw InputError(message("properties have ", value_bytes, " bytes; replicas hold 4 or 8"));
  }
  std::memset(static_cast<void*>(words_.data()), 0, words_.size() * sizeof words_.data()[0]);
}

void DeviceReplica::refresh(const void* properties, Workers& workers) {
  const auto* targets = reinterpret_cast<const VertexId*>(rows_->targets.data());
  if (value_bytes_ == 4) {
    gather<std::uint32_t>(targets, rows_->num_edges, properties, words_.data(), workers);
  } else {
    gather<std::uint64_t>(targets, rows_->num_edges, properties, words_.data(), workers);
  }
}

DeviceSet DeviceSet::make(const Array<VertexId>& vertices) {
  const Writable<Word<VertexId>> words(words_of<VertexId>(vertices.size()));
  auto* to = reinterpret_cast<VertexId*>(words.data());
  std::copy(vertices.begin(), vertices.end(), to);
  std::fill(to + vertices.size(), to + words.size() * Word<VertexId>::kSize, kNoVertex);
  return {vertices.size(), words.freeze()};
}

bool DeviceSet::holds(const Array<VertexId>& others) const {
  const auto* held = reinterpret_cast<const VertexId*>(vertices.data());
  return std::equal(others.begin(), others.end(), held, held + num_vertices);
}

std::shared_ptr<const DeviceRows> DeviceGraph::rows(View view, Workers& workers) {
  const std::lock_guard<std::mutex> lock(guard_);
  auto& made = rows_[view];
  if (!made) made = std::make_shared<const DeviceRows>(DeviceRows::make(*graph_.view(view, workers), workers));
  return made;
}

std::shared_ptr<DeviceReplica> DeviceGraph::replica(View view, int value_bytes, Workers& workers) {
  const std::shared_ptr<const DeviceRows> of = rows(view, workers);
  const std::lock_guard<std::mutex> lock(guard_);
  auto& made = replicas_[{view, value_bytes}];
  if (!made) made = std::make_shared<DeviceReplica>(of, value_bytes);
  return made;
}

std::shared_ptr<const DeviceSet> DeviceGraph::set(int number, const Array<VertexId>& vertices) {
  const std::lock_guard<std::mutex> lock(guard_);
  auto& made = sets_[number];
  if (!made || !made->holds(vertices)) made = std::make_shared<const DeviceSet>(DeviceSet::make(vertices));
  return made;
}

}  // namespace gaspipe
