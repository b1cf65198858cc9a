// SPDX-License-Identifier: Apache-2.0
// Which number formats a run tries.
#pragma once

#include <string>
#include <vector>

#include "gaspipe/abi.h"
#include "gaspipe/csr.h"

namespace gaspipe {

abi::Scalar weight_type(const Csr& csr);
int bytes_of(abi::Scalar type);
inline bool is_float(abi::Scalar type) { return type == abi::kFloat32 || type == abi::kFloat64; }

// The formats to try, in order; `common_type` is that of the question's vectors and the weights. Weighted programs
// follow the weights' kind and width; the next wider one of the same kind stands by for sums that do not fit.
// InputError for a `number` that the program does not have.
std::vector<const abi::Instance*> choose_instances(const abi::Program& program, const std::string& number,
                                                   const Csr& csr, abi::Scalar common_type);

}  // namespace gaspipe
