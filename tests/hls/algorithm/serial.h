// SPDX-License-Identifier: Apache-2.0
// Runs a program by a plain serial loop over a graph's edges: what its hooks and its host's part compute, with nothing
// of the engine.
#pragma once

#include <gtest/gtest.h>

#include "tests/cpp/testing.h"

namespace gaspipe {
namespace serial {

template <class Program>
struct Run {
  std::vector<double> values;
  std::vector<double> sums;  // of the last super-step
  int steps = 0;
  Until until = Until::kGoOn;
};

// `weights` are words of the number format, an edge's each; those of no edge are 0.
template <template <class> class P, class Number, class Parameters>
Run<P<Number>> run(const Csr& rows, const Parameters& parameters, const std::vector<double>& weights = {},
                   int scale_bits = 31) {
  using Program = P<Number>;
  using Hooks = typename Program::Hooks;
  using Traits = gaspipe::Traits<Hooks>;
  using Update = typename Traits::Update;
  const VertexId n = rows.num_rows;
  Context<Parameters> context;
  context.num_vertices = n;
  context.num_edges = rows.num_edges();
  context.offsets = rows.offsets.data();
  context.scale_bits = scale_bits;
  context.parameters = parameters;
  Program program{context};
  Run<Program> found;
  found.values.assign(n, -7);  // of vertices that are not asked for
  std::uint64_t passes = 1;
  if constexpr (engine::HasPasses<Program>::value) passes = program.num_passes();
  for (std::uint64_t pass = 0; pass < passes; ++pass) {
    if constexpr (engine::HasPasses<Program>::value) program.start(pass);
    std::vector<typename Traits::Property> property;
    for (VertexId v = 0; v < n; ++v) property.push_back(program.initial(v));
    typename Traits::Sum sums[Traits::kExtraSlots] = {};
    for (int step = 0; step < 1000; ++step) {
      std::vector<Update> gathered(n, Traits::identity());
      for (VertexId v = 0; v < n; ++v) {
        for (EdgeCount e = rows.offsets[v]; e < rows.offsets[v + 1]; ++e) {
          const auto weight = static_cast<typename Traits::EdgeProperty>(weights.empty() ? 0 : weights[e]);
          const Update update = Hooks::scatterFunc(Hooks::preprocessProperty(property[v]), weight);
          if (Traits::is_active(update)) {
            Update& so_far = gathered[rows.targets[e]];
            so_far = Hooks::gatherFunc(so_far, update);
          }
        }
      }
      const auto arg = engine::read_arg(program, step, sums);
      typename Traits::Extra extra[Traits::kExtraSlots] = {};
      for (VertexId v = 0; v < n; ++v) {
        typename Traits::Aux aux[Traits::kAuxSlots];
        engine::read_aux(program, v, rows.degree(v), aux);
        property[v] = Traits::apply(gathered[v], property[v], aux, extra, arg);
      }
      found.sums.clear();
      for (int k = 0; k < Traits::kExtraSlots; ++k) found.sums.push_back(static_cast<double>(sums[k] = extra[k]));
      found.steps = step + 1;
      if constexpr (engine::HasPasses<Program>::value) program.collect(step, sums);
      found.until = program.until(step, sums);
      if (found.until != Until::kGoOn) break;
    }
    if constexpr (engine::HasPasses<Program>::value) {
      program.publish(found.values.data());
    } else {
      for (VertexId v = 0; v < n; ++v) found.values[v] = static_cast<double>(engine::value_of(program, property[v], v));
    }
  }
  return found;
}

}  // namespace serial
}  // namespace gaspipe
