// SPDX-License-Identifier: Apache-2.0
// A Csr's rows as the engine's loops take them.
#pragma once

#include "gaspipe/csr.h"
#include "gaspipe/engine/rows.h"

namespace gaspipe {

// The rows of `csr` for the engine: without weights, or with weights that lie elsewhere.
inline abi::Csr table_of(const Csr& csr, const void* weights = nullptr) {
  return {csr.num_rows,       csr.num_edges(), csr.offsets.data(), csr.offsets.is_wide() ? 8 : 4,
          csr.targets.data(), weights};
}

}  // namespace gaspipe
