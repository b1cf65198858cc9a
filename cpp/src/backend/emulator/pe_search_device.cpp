// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/backend/emulator/pe_search_device.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "cpp/src/clock.h"
#include "cpp/src/predict/senders.h"

namespace gaspipe {
namespace {

constexpr VertexId kAtOnce = 1 << 12;  // vertices of a worker: what it has of them stays in its cache

// Calls f with an integral constant: the bytes of a value.
template <class F>
auto with_bytes(std::int32_t bytes, const F& f) {
  if (bytes == 4) return f(std::integral_constant<std::size_t, 4>());
  if (bytes == 8) return f(std::integral_constant<std::size_t, 8>());
  return f(std::integral_constant<std::size_t, 64>());
}

// Those at the places of `vertices`, one after the other.
Lines picked(const Lines& from, const VertexId* vertices, VertexId number, std::int32_t bytes) {
  Lines values = lines_of(number, bytes);
  const auto* const source = reinterpret_cast<const std::uint8_t*>(from.data());
  auto* const target = reinterpret_cast<std::uint8_t*>(values.data());
  with_bytes(bytes, [&](auto size) {
    for (VertexId i = 0; i < number; ++i) std::memcpy(target + i * size, source + vertices[i] * size, size);
  });
  return values;
}

void put_values(Lines& to, const VertexId* vertices, VertexId number, const Lines& values, std::int32_t bytes) {
  auto* const target = reinterpret_cast<std::uint8_t*>(to.data());
  const auto* const source = reinterpret_cast<const std::uint8_t*>(values.data());
  with_bytes(bytes, [&](auto size) {
    for (VertexId i = 0; i < number; ++i) std::memcpy(target + vertices[i] * size, source + i * size, size);
  });
}

// Whether all are the same bits.
bool are_alike(const Lines& values, VertexId number, std::int32_t bytes) {
  const auto* const data = reinterpret_cast<const std::uint8_t*>(values.data());
  const auto size = static_cast<std::size_t>(bytes);
  return number == 0 || std::memcmp(data, data + size, (number - 1) * size) == 0;
}

abi::Buffer buffer_of(Lines& lines) { return {lines.data(), lines.size() * sizeof(Lines::value_type)}; }

}  // namespace

PeSearchDevice::PeSearchDevice(const abi::Instance& instance, const pe_array::PullRows& rows, const RunOptions& options,
                               Workers& workers)
    : instance_(instance),
      host_(instance),
      rows_(rows),
      options_(options),
      workers_(workers),
      properties_(lines_of(rows.num_vertices(), instance.property_bytes)),
      aux_(static_cast<std::size_t>(instance.num_aux), lines_of(rows.num_vertices(), instance.aux_bytes)) {}

void PeSearchDevice::write_aux(std::size_t k, const void* data, std::uint64_t num_bytes) {
  std::memcpy(aux_[k].data(), data, num_bytes);
}
void PeSearchDevice::read_properties(void* data, std::uint64_t num_bytes) {
  put_levels();
  std::memcpy(data, properties_.data(), num_bytes);
}

void PeSearchDevice::write_properties(const void* properties, std::uint64_t num_bytes) {
  std::memcpy(properties_.data(), properties, num_bytes);
  const VertexId n = rows_.num_vertices();
  const std::vector<std::uint64_t> senders = find_senders(instance_, false, properties_.data(), n, workers_);
  std::vector<VertexId> roots, others;
  for (VertexId v = 0; v < n; ++v) {
    ((senders[v / 64] >> v % 64 & 1) != 0 ? roots : others).push_back(v);
  }
  search_.reset();  // it has the card, if there is one
  search_ = std::make_unique<pe_array::Search>(rows_.lists(), &rows_, nullptr, roots, options_, pe_array::Leads::kHost);
  const auto values_of = [&](const std::vector<VertexId>& vertices) {
    return picked(properties_, vertices.data(), static_cast<VertexId>(vertices.size()), instance_.property_bytes);
  };
  of_level_ = {values_of(roots)};
  open_ = values_of(others);
  by_levels_ = aux_.empty() && instance_.sum_type != abi::kFloat64 &&
               are_alike(of_level_[0], static_cast<VertexId>(roots.size()), instance_.property_bytes) &&
               are_alike(open_, static_cast<VertexId>(others.size()), instance_.property_bytes);
  of_level_[0].resize(1);
  open_.resize(1);
}

void PeSearchDevice::superstep(const void* arg, void* sums, abi::Superstep* stats) {
  std::memset(sums, 0, static_cast<std::size_t>(std::max(1, instance_.num_extras)) * 8);
  *stats = {abi::kPushStep, 0, 0, {}};
  if (search_->is_over()) return;
  *stats = search_->step();
  const auto applying = Clock::now();
  if (!by_levels_ || !apply_to_level(arg, sums)) apply(arg, sums);
  stats->seconds[abi::kApply] = seconds_since(applying);
}

bool PeSearchDevice::apply_to_level(const void* arg, void* sums) {
  std::uint64_t num_found = 0;
  for (int pe = 0; pe < search_->num_pes(); ++pe) num_found += search_->num_found(pe);
  if (num_found == 0) return true;
  const VertexId one = 0;
  Values values;
  Lines counts = apply(of_level_.back(), open_, &one, 1, arg, values);
  if ((values.senders[0] & 1) == 0) {
    put_levels();
    by_levels_ = false;
    return false;
  }
  of_level_.push_back(std::move(values.properties));
  for (std::size_t k = 0; k < host_.num_sums(); ++k) counts[k / 8].lane[k % 8] *= num_found;
  host_.add_counts(counts, sums);
  return true;
}

// Properties of vertices whose levels have one for all of them.
void PeSearchDevice::put_levels() {
  if (!by_levels_) return;
  const std::int32_t* const depth = search_->depth().data();
  auto* const target = reinterpret_cast<std::uint8_t*>(properties_.data());
  with_bytes(instance_.property_bytes, [&](auto size) {
    workers_.each(rows_.num_vertices(), kAtOnce, [&](std::uint64_t first, std::uint64_t last, int) {
      for (std::uint64_t v = first; v < last; ++v) {
        if (depth[v] <= 0 || static_cast<std::size_t>(depth[v]) >= of_level_.size()) continue;
        std::memcpy(target + v * size, of_level_[static_cast<std::size_t>(depth[v])].data(), size);
      }
    });
  });
  workers_.check();
}

void PeSearchDevice::apply(const void* arg, void* sums) {
  const auto num_pes = static_cast<std::uint64_t>(search_->num_pes());
  std::vector<std::uint64_t> begin(num_pes + 1, 0);
  for (std::uint64_t pe = 0; pe < num_pes; ++pe) begin[pe + 1] = begin[pe] + search_->num_found(static_cast<int>(pe));
  std::vector<VertexId> found(begin[num_pes]), parents(begin[num_pes]);
  workers_.each(num_pes, 1, [&](std::uint64_t pe, std::uint64_t, int) {
    std::uint64_t at = begin[pe];
    search_->each_found(static_cast<int>(pe), [&](VertexId v, VertexId parent) {
      found[at] = v;
      parents[at++] = parent;
    });
  });
  workers_.check();
  const std::uint64_t num_ranges = (found.size() + kAtOnce - 1) / kAtOnce;
  std::vector<Lines> counts(num_ranges);
  std::vector<std::vector<std::uint64_t>> senders(num_ranges);
  workers_.each(num_ranges, 1, [&](std::uint64_t range, std::uint64_t, int) {
    const std::uint64_t first = range * kAtOnce;
    const auto number = static_cast<VertexId>(std::min<std::uint64_t>(found.size() - first, kAtOnce));
    const Lines sources = picked(properties_, parents.data() + first, number, instance_.property_bytes);
    const Lines before = picked(properties_, found.data() + first, number, instance_.property_bytes);
    Values values;
    counts[range] = apply(sources, before, found.data() + first, number, arg, values);
    put_values(properties_, found.data() + first, number, values.properties, instance_.property_bytes);
    senders[range] = std::move(values.senders);
  });
  workers_.check();
  for (const Lines& part : counts) host_.add_counts(part, sums);
  // A vertex that does not send yet is still open. keep() asks in the order of the PEs.
  const auto sends = [&](std::uint64_t i) { return (senders[i / kAtOnce][i % kAtOnce / 64] >> i % 64 & 1) != 0; };
  std::uint64_t i = 0;
  while (i < found.size() && sends(i)) ++i;
  if (i == found.size()) return;
  i = 0;
  search_->keep([&](VertexId) { return sends(i++); });
}

Lines PeSearchDevice::apply(const Lines& sources, const Lines& before, const VertexId* vertices, VertexId number,
                            const void* arg, Values& values) {
  Lines gathered = lines_of(number, instance_.update_bytes), properties = before;
  host_.gather(number, sources, gathered);
  std::vector<Lines> aux;
  for (const Lines& input : aux_) aux.push_back(picked(input, vertices, number, instance_.aux_bytes));
  values.properties = before;
  HostKernels::Vertices arrays{buffer_of(gathered), buffer_of(properties), {}, buffer_of(values.properties)};
  for (Lines& input : aux) arrays.aux.push_back(buffer_of(input));
  Lines counts = host_.apply(0, number, arrays, arg);
  values.senders = find_senders(instance_, values.properties.data(), number);
  return counts;
}

}  // namespace gaspipe
