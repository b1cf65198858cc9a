// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/intake.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <type_traits>

#include "gaspipe/find_first.h"

namespace gaspipe {
namespace {

constexpr std::uint64_t kCopyGrain = 1 << 16;

// An id as the caller wrote it: 32-bit ids may have been negative.
template <class Id>
std::string id_text(Id id) {
  if constexpr (std::is_same_v<Id, std::uint32_t>) {
    const auto number = static_cast<std::int32_t>(id);
    return number < 0 ? message(number, " (unsigned: ", id, ")") : message(id);
  } else {
    return message(id);
  }
}

template <class Id>
[[noreturn]] void refuse_id(const char* name, std::uint64_t position, Id id, std::uint64_t limit) {
  throw InputError(message(name, "[", position, "] is ", id_text(id), "; ", limit, " vertices allow 0 to ",
                           std::int64_t(limit) - 1));
}

void validate_ids(const char* name, const Array<VertexId>& ids, std::uint64_t limit, Workers& workers) {
  const auto least_bad = static_cast<VertexId>(limit);  // kMostVertices fit: comparing words of 32 bits is faster
  const VertexId* data = ids.data();
  const std::uint64_t bad = find_first(ids.size(), workers, [=](std::uint64_t i) { return data[i] >= least_bad; });
  if (bad < ids.size()) refuse_id(name, bad, ids[bad], limit);
}

template <class T>
Array<T> copied_on_all(const Array<T>& array, Workers& workers) {
  const Writable<T> copy(array.size());
  workers.each(array.size(), kCopyGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    std::copy(array.data() + first, array.data() + last, copy.data() + first);
  });
  return copy.freeze();
}

// Block by block, so that what was read for one loop is at hand for the next.
template <class Id>
Array<VertexId> narrowed(const char* name, const Array<Id>& ids, std::uint64_t limit, Workers& workers) {
  constexpr std::uint64_t kBlock = 1 << 10;
  const auto least_bad = static_cast<VertexId>(limit);
  const Id* from = ids.data();
  const Writable<VertexId> narrow(ids.size());
  VertexId* const to = narrow.data();
  std::atomic<std::uint64_t> found{ids.size()};
  workers.each(ids.size(), kCopyGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t block = first; block < last; block += kBlock) {
      const std::uint64_t end = std::min(block + kBlock, last);
      std::uint64_t bits = 0;  // of negative ones the upper half is not 0 either
      for (std::uint64_t i = block; i < end; ++i) {
        bits |= static_cast<std::uint64_t>(from[i]);
        to[i] = static_cast<VertexId>(from[i]);
      }
      unsigned any = bits > std::numeric_limits<VertexId>::max() ? 1 : 0;
      for (std::uint64_t i = block; i < end; ++i) any |= to[i] >= least_bad ? 1u : 0u;
      if (any == 0) continue;
      std::uint64_t i = block;
      while (static_cast<std::uint64_t>(from[i]) < limit) ++i;
      std::uint64_t best = found;
      while (i < best && !found.compare_exchange_weak(best, i)) {
      }
      return;
    }
  });
  if (found < ids.size()) refuse_id(name, found, ids[found], limit);
  return narrow.freeze();
}

// As vertices, which are below `limit`; InputError gives the position of the first id that is not, in the array that
// the caller knows as `name`. With `copies` the result has its own memory, else it shares that of ids of 32 bits.
Array<VertexId> take_ids(const char* name, const AnyIds& ids, std::uint64_t limit, bool copies, Workers& workers) {
  return std::visit(
      [&](const auto& array) {
        using Id = typename std::decay_t<decltype(array)>::Element;
        if constexpr (sizeof(Id) == sizeof(VertexId)) {
          // A negative one becomes an id that no graph has.
          const Array<VertexId> same(array.owner(), reinterpret_cast<const VertexId*>(array.data()), array.size());
          if (copies) return narrowed(name, same, limit, workers);
          validate_ids(name, same, limit, workers);
          return same;
        } else {
          return narrowed(name, array, limit, workers);
        }
      },
      ids);
}

Weights copied_weights(const Weights& weights, Workers& workers) {
  return std::visit(
      [&](const auto& array) -> Weights {
        if constexpr (std::is_same_v<std::decay_t<decltype(array)>, std::monostate>) {
          return array;
        } else {
          return copied_on_all(array, workers);
        }
      },
      weights);
}

// All but the targets, of which there are so many.
void validate_rows(const Csr& csr, std::uint64_t num_edges, Workers& workers) {
  if (csr.offsets.size() != std::size_t(csr.num_rows) + 1) {
    throw InputError(message("indptr has ", csr.offsets.size(), " entries; ", csr.num_rows, " rows need ",
                             std::uint64_t(csr.num_rows) + 1));
  }
  if (csr.offsets[0] != 0) throw InputError(message("indptr starts with ", csr.offsets[0], "; it must start with 0"));
  if (csr.offsets[csr.num_rows] != num_edges) {
    throw InputError(message("indptr ends with ", csr.offsets[csr.num_rows], " but there are ", num_edges,
                             " indices; the two must be equal"));
  }
  // Of known width, as vectors.
  const auto find_fall = [&](const auto* offsets) {
    return find_first(csr.num_rows, workers, [=](std::uint64_t v) { return offsets[v] > offsets[v + 1]; });
  };
  const std::uint64_t row =
      csr.offsets.is_wide() ? find_fall(csr.offsets.wide().data()) : find_fall(csr.offsets.narrow().data());
  if (row < csr.num_rows) {
    throw InputError(message("indptr falls from ", csr.offsets[row], " to ", csr.offsets[row + 1], " at row ", row,
                             "; it must never decrease"));
  }
}

void check_sizes(std::uint64_t num_vertices, std::uint64_t num_sources, std::uint64_t num_targets) {
  if (num_vertices > kMostVertices) {
    throw InputError(message(num_vertices, " vertices are too many; at most ", kMostVertices, " fit 32-bit ids"));
  }
  if (num_sources != num_targets) {
    throw InputError(
        message("there are ", num_sources, " sources and ", num_targets, " destinations; the two must be equal"));
  }
}

std::uint64_t num_ids(const AnyIds& ids) {
  return std::visit([](const auto& array) -> std::uint64_t { return array.size(); }, ids);
}

}  // namespace

Offsets copy_of(const Offsets& offsets, Workers& workers) {
  if (!offsets.is_wide()) return Offsets(copied_on_all(offsets.narrow(), workers));
  const std::uint64_t* from = offsets.wide().data();
  const std::uint64_t size = offsets.size();
  const bool fits = find_first(size, workers, [=](std::uint64_t i) {
                      return from[i] > std::numeric_limits<std::uint32_t>::max();
                    }) == size;
  if (!fits) return Offsets(copied_on_all(offsets.wide(), workers));
  const Writable<std::uint32_t> narrow(size);
  workers.each(size, kCopyGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t i = first; i < last; ++i) narrow[i] = static_cast<std::uint32_t>(from[i]);
  });
  return Offsets(narrow.freeze());
}

void validate(const Csr& csr, Workers& workers) {
  validate_rows(csr, csr.num_edges(), workers);
  validate_ids("indices", csr.targets, csr.num_columns, workers);
}

void validate(const EdgeList& edges, std::uint64_t num_columns, Workers& workers) {
  check_sizes(std::max(edges.num_vertices, num_columns), edges.sources.size(), edges.targets.size());
  validate_ids("sources", edges.sources, edges.num_vertices, workers);
  validate_ids("destinations", edges.targets, num_columns, workers);
}

Csr take_rows(std::uint64_t num_rows, std::uint64_t num_columns, Offsets offsets, const AnyIds& targets,
              Weights weights, bool copies, Workers& workers) {
  if (std::max(num_rows, num_columns) > kMostVertices) {
    throw InputError(message("a matrix of ", num_rows, " x ", num_columns, " has too many vertices; at most ",
                             kMostVertices, " fit 32-bit ids"));
  }
  Csr csr;
  csr.num_rows = static_cast<VertexId>(num_rows);
  csr.num_columns = static_cast<VertexId>(num_columns);
  csr.offsets = std::move(offsets);
  validate_rows(csr, num_ids(targets), workers);
  csr.targets = take_ids("indices", targets, num_columns, copies, workers);
  if (copies) csr.offsets = copy_of(csr.offsets, workers);
  csr.weights = copies ? copied_weights(weights, workers) : std::move(weights);
  return csr;
}

EdgeList take_edges(std::uint64_t num_vertices, const AnyIds& sources, const AnyIds& targets, Weights weights,
                    Workers& workers) {
  check_sizes(num_vertices, num_ids(sources), num_ids(targets));
  return {num_vertices, take_ids("sources", sources, num_vertices, false, workers),
          take_ids("destinations", targets, num_vertices, false, workers), std::move(weights)};
}

}  // namespace gaspipe
