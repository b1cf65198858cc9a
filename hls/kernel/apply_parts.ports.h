// SPDX-License-Identifier: Apache-2.0
// The kernel after two kinds of pipelines: hls/kernel/apply_parts.h. It has four channels of HBM to itself.
#pragma once

#include "hls/kernel/port.h"

namespace gaspipe {
namespace kernel {
namespace apply_parts {

constexpr Each kInstances = Each::kOne;
constexpr const char* kShortName = "apply_parts";

constexpr Port kPorts[] = {
    {"properties", PortKind::kRead, "Property", Each::kOne, Bank::kOld, "vertices"},
    {"aux", PortKind::kRead, "Aux", Each::kAux, Bank::kInputs, "aux"},
    {"own", PortKind::kWrite, "Property", Each::kOne, Bank::kNew, "vertices"},
    {"sums", PortKind::kWrite, "std::uint64_t", Each::kOne, Bank::kInputs, "aux_0"},
    {"first", PortKind::kScalar, "VertexId", Each::kOne, Bank::kNone, "control"},
    {"last", PortKind::kScalar, "VertexId", Each::kOne, Bank::kNone, "control"},
    {"arg", PortKind::kScalar, "std::uint32_t", Each::kArgWord, Bank::kNone, "control"},
    {"gathered", PortKind::kTake, "Value", Each::kUnit, Bank::kNone, "gathered"},
    {"updated", PortKind::kSend, "Property", Each::kUnit, Bank::kNone, "updated"},
};

// Of apply and, in place of its streams, the pipelines that exchange with it: what the emulator runs as one.
constexpr Port kWithPipelines[] = {
    {"edges", PortKind::kRead, "std::uint32_t", Each::kUnit, Bank::kSources, "edges"},
    {"parts", PortKind::kRead, "Value", Each::kUnit, Bank::kVertices, "vertices"},
    {"updated", PortKind::kWrite, "Property", Each::kUnit, Bank::kVertices, "vertices"},
    {"properties", PortKind::kRead, "Property", Each::kOne, Bank::kOld, "vertices"},
    {"aux", PortKind::kRead, "Aux", Each::kAux, Bank::kInputs, "aux"},
    {"own", PortKind::kWrite, "Property", Each::kOne, Bank::kNew, "vertices"},
    {"sums", PortKind::kWrite, "std::uint64_t", Each::kOne, Bank::kInputs, "aux_0"},
    {"num_sub_partitions", PortKind::kScalar, "std::uint32_t", Each::kUnit, Bank::kNone, "control"},
    {"first", PortKind::kScalar, "VertexId", Each::kOne, Bank::kNone, "control"},
    {"last", PortKind::kScalar, "VertexId", Each::kOne, Bank::kNone, "control"},
    {"arg", PortKind::kScalar, "std::uint32_t", Each::kArgWord, Bank::kNone, "control"},
};

}  // namespace apply_parts
}  // namespace kernel
}  // namespace gaspipe
