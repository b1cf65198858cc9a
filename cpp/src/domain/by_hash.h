// SPDX-License-Identifier: Apache-2.0
// Owners by a function of the id.
#pragma once

#include <cstdint>

#include "gaspipe/domain.h"

namespace gaspipe {
namespace detail {

template <class OwnerOf>
Ownership by_hash(const Csr& rows, int size, Workers& workers, const OwnerOf& owner_of) {
  const Writable<std::uint16_t> owners(rows.num_rows);
  workers.each(rows.num_rows, 1 << 16, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t v = first; v < last; ++v) {
      owners[v] = static_cast<std::uint16_t>(owner_of(static_cast<std::uint32_t>(v)));
    }
  });
  Ownership ownership;
  ownership.size = size;
  ownership.owners = owners.freeze();
  return ownership;
}

}  // namespace detail
}  // namespace gaspipe
