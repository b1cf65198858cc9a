// SPDX-License-Identifier: Apache-2.0
// A pipeline for sparse partitions: hls/kernel/sparse_gather_scatter.h. It has two channels of HBM.
#pragma once

#include "hls/kernel/port.h"

namespace gaspipe {
namespace kernel {
namespace sparse_gather_scatter {

constexpr Each kInstances = Each::kUnit;
constexpr const char* kShortName = "sparse";

constexpr Port kPorts[] = {
    {"edges", PortKind::kRead, "std::uint32_t", Each::kOne, Bank::kSources, "edges"},
    {"weights", PortKind::kRead, "EdgeProperty", Each::kIfWeighted, Bank::kVertices, "weights"},
    {"properties", PortKind::kRead, "Property", Each::kOne, Bank::kVertices, "vertices"},
    {"gathered", PortKind::kWrite, "Value", Each::kOne, Bank::kVertices, "vertices"},
    {"num_sub_partitions", PortKind::kScalar, "std::uint32_t", Each::kOne, Bank::kNone, "control"},
    {"num_cleared", PortKind::kScalar, "std::uint32_t", Each::kOne, Bank::kNone, "control"},
};

}  // namespace sparse_gather_scatter
}  // namespace kernel
}  // namespace gaspipe
