// SPDX-License-Identifier: Apache-2.0
// What the hardware relies on, tested for every registered program over values that a run reaches: updates may meet in
// any order and in any stage, kIdentity is neutral, and what a program declares is true. Values are collected by a
// plain serial super-step of our own over small random graphs.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/cpp/testing.h"

namespace gaspipe {
namespace laws {

template <class T>
void expect_same(T a, T b, const char* law) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a == b) return;
    EXPECT_LE(std::abs(a - b), 1e-6 * std::max(std::abs(a), std::abs(b))) << law;
  } else {
    EXPECT_EQ(a, b) << law;
  }
}

// Gives what a program cannot do without: a vector of small numbers.
template <class Number>
struct FillParameters {
  std::mt19937& random;
  std::vector<Number>& numbers;
  VertexId num_vertices;

  template <class Value>
  void operator()(const char*, Value&, Allowed, const char*) const {}
  void operator()(const char*, VectorView& vector, Allowed, const char*) const {
    for (VertexId v = 0; v < num_vertices; ++v) numbers.push_back(static_cast<Number>(random() % 7 + 1));
    vector.data = numbers.data();
    vector.size = numbers.size();
  }
};

template <class Program, class Parameters, class Number>
void check(const char* name) {
  using Hooks = typename Program::Hooks;
  using Traits = gaspipe::Traits<Hooks>;
  using Property = typename Traits::Property;
  using Update = typename Traits::Update;
  using EdgeProperty = typename Traits::EdgeProperty;

  for (unsigned seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(::testing::Message() << name << ", seed " << seed);
    std::mt19937 random(seed);
    const VertexId n = 2 + random() % 20;
    const Csr csr = testing::csr_of(n, testing::random_edges(n, n * 3, seed));
    Context<Parameters> context;
    context.num_vertices = n;
    context.num_edges = csr.num_edges();
    context.offsets = csr.offsets.data();
    context.scale_bits = 31;
    std::vector<Number> numbers;
    context.parameters.each(FillParameters<Number>{random, numbers, n});
    Program program{context};
    if constexpr (engine::HasPasses<Program>::value) program.start(0);
    std::vector<Property> property;
    for (VertexId v = 0; v < n; ++v) property.push_back(program.initial(v));

    std::vector<Update> updates = {Traits::identity()};
    typename Traits::Sum sums[Traits::kExtraSlots] = {};
    for (int step = 0; step < 4; ++step) {
      std::vector<Update> gathered(n, Traits::identity());
      for (VertexId v = 0; v < n; ++v) {
        for (EdgeCount e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) {
          const Update update = Hooks::scatterFunc(Hooks::preprocessProperty(property[v]), EdgeProperty(random() % 9));
          if (!Traits::is_source(property[v]))
            EXPECT_FALSE(Traits::is_active(update)) << "a vertex that is no source sends nothing";
          if (!Traits::is_active(update)) continue;
          updates.push_back(update);
          gathered[csr.targets[e]] = Hooks::gatherFunc(gathered[csr.targets[e]], update);
        }
      }
      const auto arg = engine::read_arg(program, step, sums);
      typename Traits::Extra extra[Traits::kExtraSlots] = {};
      for (VertexId v = 0; v < n; ++v) {
        typename Traits::Aux aux[Traits::kAuxSlots];
        engine::read_aux(program, v, csr.degree(v), aux);
        if constexpr (Traits::kIdempotent) {
          typename Traits::Extra counted[Traits::kExtraSlots] = {};
          EXPECT_EQ(Traits::apply(Traits::identity(), property[v], aux, counted, arg), property[v])
              << "no update, no change";
          for (const auto& count : counted) EXPECT_EQ(count, 0u) << "no update, nothing counted";
        }
        property[v] = Traits::apply(gathered[v], property[v], aux, extra, arg);
      }
      for (int k = 0; k < Traits::kExtraSlots; ++k) sums[k] = extra[k];
    }

    const Update identity = Traits::identity();
    const auto pick = [&] { return updates[random() % updates.size()]; };
    for (int i = 0; i < 300; ++i) {
      const Update a = pick(), b = pick(), c = pick();
      const Update had = Hooks::gatherFunc(Hooks::gatherFunc(identity, c), a);
      expect_same(Hooks::gatherFunc(had, b), Hooks::gatherFunc(Hooks::gatherFunc(Hooks::gatherFunc(identity, b), a), c),
                  "gather in any order");
      expect_same(Hooks::gatherFunc(had, b),
                  Hooks::gatherFunc(Hooks::gatherFunc(identity, c), Hooks::updateMergeInRAWSolver(a, b)),
                  "two updates merged in the RAW solver count like two gathered");
      expect_same(Hooks::applyMerge(had, b), Hooks::applyMerge(b, had), "applyMerge in either order");
      expect_same(Hooks::applyMerge(had, identity), had, "kIdentity is neutral in applyMerge");
      expect_same(Hooks::applyMerge(Hooks::gatherFunc(identity, a), Hooks::gatherFunc(identity, b)),
                  Hooks::gatherFunc(Hooks::gatherFunc(identity, a), b), "two compute units count like one");
      if constexpr (Traits::kIdempotent) expect_same(Hooks::gatherFunc(had, a), had, "landing twice does no harm");
    }
  }
}

template <template <class> class Program, class Parameters, class... Numbers>
void check_all(const char* name, NumberList<Numbers...>) {
  (check<Program<Numbers>, Parameters, Numbers>(name), ...);
}

}  // namespace laws
}  // namespace gaspipe
