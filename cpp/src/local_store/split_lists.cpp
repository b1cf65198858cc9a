// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/local_store/split_lists.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "cpp/src/graph/each_row.h"
#include "gaspipe/error.h"

namespace gaspipe {
namespace local_store {

int checked_workers(int num_workers) {
  if (num_workers < 1 || num_workers > kMostWorkers) {
    throw InputError(message("workers is ", num_workers, "; allowed are 1 to ", kMostWorkers));
  }
  return num_workers;
}

namespace {

int checked_bits(int code_bits, std::uint64_t largest_id) {
  if (code_bits == 0) return code_bits_for(largest_id);
  const bool fits = code_bits == 64 || (code_bits == 32 && bits_of_id(largest_id) < 32);
  if (!fits) {
    throw InputError(message("codes of ", code_bits, " bits do not hold the id ", largest_id,
                             " and a length; allowed are ", bits_of_id(largest_id) < 32 ? "32 and 64" : "64"));
  }
  return code_bits;
}

std::uint64_t last_vertex(const Csr& csr) { return csr.num_rows == 0 ? 0 : csr.num_rows - 1; }

// Bytes of records before each vertex's. Blocks of vertices are summed by all workers, then shifted.
Array<std::uint64_t> find_starts(const Csr& csr, int num_workers, int code_bits, Workers& workers) {
  constexpr std::uint64_t kBlock = 1 << 14;
  const std::uint64_t n = csr.num_rows;
  const Writable<std::uint64_t> starts(n + 1);
  std::vector<std::uint64_t> before((n + kBlock - 1) / kBlock + 1, 0);
  workers.each(n, kBlock, [&](std::uint64_t first, std::uint64_t last, int) {
    std::uint64_t sum = 0;
    for (std::uint64_t v = first; v < last; ++v) {
      const EdgeCount degree = csr.degree(static_cast<VertexId>(v));
      if (degree > std::numeric_limits<std::uint32_t>::max()) {
        throw CapacityError(message("vertex ", v, " has ", degree, " out-edges; a split list has at most ",
                                    std::numeric_limits<std::uint32_t>::max(), "; use method=\"auto\""));
      }
      starts[v] = sum;
      sum += record_bytes(degree, num_workers, code_bits);
    }
    before[first / kBlock + 1] = sum;
  });
  for (std::size_t block = 1; block < before.size(); ++block) before[block] += before[block - 1];
  workers.each(n, kBlock, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t v = first; v < last; ++v) starts[v] += before[first / kBlock];
  });
  starts[n] = before.back();
  return starts.freeze();
}

}  // namespace

SplitLists::SplitLists(const Csr& csr, int num_workers, Workers& workers, int code_bits)
    : owners_(csr.num_rows, checked_workers(num_workers)),
      num_edges_(csr.num_edges()),
      code_bits_(checked_bits(code_bits, last_vertex(csr))),
      split_(split_for(code_bits_, last_vertex(csr))) {
  starts_ = find_starts(csr, num_workers, code_bits_, workers);
  const Writable<std::uint8_t> records(starts_[csr.num_rows]), is_target(csr.num_rows);
  workers.each(csr.num_rows, 1 << 16, [&](std::uint64_t first, std::uint64_t last, int) {
    std::fill(is_target.data() + first, is_target.data() + last, std::uint8_t(0));
  });
  if (code_bits_ == 32) {
    fill<std::uint32_t>(csr, records.data(), is_target.data(), workers);
  } else {
    fill<std::uint64_t>(csr, records.data(), is_target.data(), workers);
  }
  const Writable<VertexId> num_targets(num_workers);
  workers.each(num_workers, 1, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t worker = first; worker < last; ++worker) {
      const std::uint8_t* const own = is_target.data() + owners_.first(static_cast<int>(worker));
      num_targets[worker] =
          static_cast<VertexId>(std::count(own, own + owners_.count(static_cast<int>(worker)), std::uint8_t(1)));
    }
  });
  records_ = records.freeze();
  is_target_ = is_target.freeze();
  num_targets_ = num_targets.freeze();
}

template <class Code>
void SplitLists::fill(const Csr& csr, std::uint8_t* records, std::uint8_t* is_target, Workers& workers) {
  const int num_workers = owners_.num_workers();
  // Read once per edge: a quarter of the memory that the offsets would take there, and no difference to compute.
  const Writable<Code> codes(csr.num_rows);
  workers.each(csr.num_rows, 1 << 14, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t i = first; i < last; ++i) {
      const auto v = static_cast<VertexId>(i);
      codes[i] = make_code<Code>(v, csr.degree(v), split_);
    }
  });
  detail::each_row(csr.offsets, workers, [&](std::uint64_t first, std::uint64_t last) {
    std::vector<std::uint32_t> next(num_workers);
    for (std::uint64_t v = first; v < last; ++v) {
      const EdgeCount begin = csr.offsets[v], end = csr.offsets[v + 1];
      if (begin == end) continue;
      std::uint8_t* const record = records + starts_[v];
      std::uint8_t* const end_of_record = records + starts_[v + 1];
      auto* const header = reinterpret_cast<SubList*>(record);
      auto* const payload = reinterpret_cast<Code*>(record + header_bytes(num_workers));
      std::fill(next.begin(), next.end(), 0);
      for (EdgeCount e = begin; e < end; ++e) ++next[owners_.of(csr.targets[e])];
      std::uint32_t offset = 0;
      for (int worker = 0; worker < num_workers; ++worker) {
        header[worker] = {offset, next[worker]};
        next[worker] = offset;
        offset += header[worker].length;
      }
      std::fill(reinterpret_cast<std::uint8_t*>(header + num_workers), reinterpret_cast<std::uint8_t*>(payload),
                std::uint8_t(0));
      for (EdgeCount e = begin; e < end; ++e) {
        const VertexId target = csr.targets[e];
        payload[next[owners_.of(target)]++] = codes[target];
        // Several threads may write the same 1.
        std::uint8_t* const mark = is_target + target;
        if (__atomic_load_n(mark, __ATOMIC_RELAXED) == 0) __atomic_store_n(mark, std::uint8_t(1), __ATOMIC_RELAXED);
      }
      std::fill(reinterpret_cast<std::uint8_t*>(payload + offset), end_of_record, std::uint8_t(0));
    }
  });
}

void SplitLists::check_workers(int num_workers) const {
  if (num_workers == this->num_workers()) return;
  throw InputError(message("these lists are split for ", this->num_workers(), " workers, and workers is ", num_workers,
                           "; split the graph again, SplitLists(csr, ", num_workers,
                           ", ...), or use workers=", this->num_workers()));
}

}  // namespace local_store
}  // namespace gaspipe
