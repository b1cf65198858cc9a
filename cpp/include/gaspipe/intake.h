// SPDX-License-Identifier: Apache-2.0
// What comes from outside as a graph keeps it: integers of any type as 32-bit ids, copies, ids that are not 0 to n - 1
// numbered. All on all workers, which read an array once.
#pragma once

#include <cstdint>
#include <variant>

#include "gaspipe/array.h"
#include "gaspipe/csr.h"
#include "gaspipe/workers.h"

namespace gaspipe {

using AnyIds = std::variant<Array<std::int32_t>, Array<std::uint32_t>, Array<std::int64_t>, Array<std::uint64_t>>;

// Rows of a matrix, and edges between `num_vertices` vertices; InputError says what is wrong with them, as validate().
// With `copies` the result has its own memory, offsets of 32 bits where they suffice; else it shares what it can.
Csr take_rows(std::uint64_t num_rows, std::uint64_t num_columns, Offsets offsets, const AnyIds& targets,
              Weights weights, bool copies, Workers& workers);
EdgeList take_edges(std::uint64_t num_vertices, const AnyIds& sources, const AnyIds& targets, Weights weights,
                    Workers& workers);

Offsets copy_of(const Offsets& offsets, Workers& workers);  // of 32 bits where they suffice

// Edges whose ends are numbered 0 to k - 1 in the ascending order of the ids that occur. `labels[i]` is the id of
// vertex i, negative ones as two's complement.
struct NumberedEnds {
  Array<VertexId> sources, targets;
  Array<std::uint64_t> labels;
};
// InputError where one end has negative ids and the other is of uint64; CapacityError for too many different ids.
NumberedEnds number_ids(const AnyIds& sources, const AnyIds& targets, Workers& workers);

}  // namespace gaspipe
