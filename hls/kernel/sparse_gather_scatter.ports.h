// SPDX-License-Identifier: Apache-2.0
// A pipeline for sparse partitions: hls/kernel/sparse_gather_scatter.h. It has two channels of HBM.
#pragma once

#include "hls/kernel/port.h"

namespace gaspipe {
namespace kernel {
namespace sparse_gather_scatter {

constexpr Each kInstances = Each::kUnit;
constexpr const char* kShortName = "sparse";

constexpr const char* kBeside = "exchange_parts";  // its region is in the top too

constexpr Port kPorts[] = {
    {"edges", PortKind::kRead, "std::uint32_t", Each::kOne, Bank::kSources, "edges"},
    {"memory", PortKind::kRead, "std::uint32_t", Each::kOne, Bank::kVertices, "vertices", kAhead},
    {"parts", PortKind::kRead, "Value", Each::kOne, Bank::kVertices, "vertices", kAhead},
    {"gathered", PortKind::kWrite, "Value", Each::kOne, Bank::kVertices, "vertices"},
    {"updated", PortKind::kWrite, "Property", Each::kOne, Bank::kVertices, "vertices"},
    {"num_sub_partitions", PortKind::kScalar, "std::uint32_t", Each::kOne, Bank::kNone, "control"},
    {"num_cleared", PortKind::kScalar, "std::uint32_t", Each::kOne, Bank::kNone, "control"},
    {"num_vertices", PortKind::kScalar, "VertexId", Each::kOne, Bank::kNone, "control"},
    {"to_apply", PortKind::kSend, "Value", Each::kOne, Bank::kNone, "gathered"},
    {"from_apply", PortKind::kTake, "Property", Each::kOne, Bank::kNone, "updated"},
};

}  // namespace sparse_gather_scatter
}  // namespace kernel
}  // namespace gaspipe
