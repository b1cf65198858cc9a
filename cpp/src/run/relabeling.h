// SPDX-License-Identifier: Apache-2.0
// What a program is told of the vertices of a prepared graph: how it calls them, and the degrees by these ids.
#pragma once

#include "gaspipe/prepared.h"

namespace gaspipe {

class Relabeling {
 public:
  // `rows`: of the prepared graph, as they are walked; null where they are not. `own`: of the graph itself, with the
  // same degrees; null where there are none at hand. The table is valid until the next call, while `form` lives.
  const abi::Relabeling* fill(const PreparedGraph& form, const Csr* rows, const Csr* own, Workers& workers) {
    offsets_ = rows == nullptr ? Offsets() : own != nullptr ? own->offsets : offsets_by_id(form, *rows, workers);
    table_ = {form.ids.data(), offsets_.data(), offsets_.is_wide() ? 8 : 4};
    return &table_;
  }

 private:
  static Offsets offsets_by_id(const PreparedGraph& form, const Csr& rows, Workers& workers) {
    const Writable<std::uint64_t> offsets(std::size_t(rows.num_rows) + 1);
    workers.each(rows.num_rows, 1 << 14, [&](std::uint64_t first, std::uint64_t last, int) {
      for (auto v = static_cast<VertexId>(first); v < last; ++v) {
        offsets[std::size_t(form.ids[v]) + 1] = rows.degree(v);
      }
    });
    offsets[0] = 0;
    for (std::size_t i = 0; i < rows.num_rows; ++i) offsets[i + 1] += offsets[i];
    return Offsets(offsets.freeze());
  }

  Offsets offsets_;
  abi::Relabeling table_{};
};

}  // namespace gaspipe
