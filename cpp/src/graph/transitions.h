// SPDX-License-Identifier: Apache-2.0
// Edges with the probabilities at which a random surfer follows them.
#pragma once

#include "gaspipe/abi.h"
#include "gaspipe/csr.h"

namespace gaspipe {
namespace detail {

// The edges of `csr` whose weight is not 0, each with its weight over the sum of its row's (without weights, all weigh
// 1): for kFloat64 and kFloat32 as such, for kUint32 as int64 fractions of 2^31, which add up to 2^31 in every row.
// InputError names the first edge whose weight is negative or not finite.
Csr transitions(const Csr& csr, abi::Scalar type, Workers& workers);

}  // namespace detail
}  // namespace gaspipe
