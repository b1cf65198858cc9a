// SPDX-License-Identifier: Apache-2.0
// Product of a sparse matrix and a vector. An entry (i, j) is walked from j to i: column j scatters x[j], row i gathers
// the products in one super-step. Integers wrap around as NumPy's do; their sums are the same in any order.
// Method: X. Chen et al., "ThunderGP", FPGA 2021.
#pragma once

#include "hls/types.h"

namespace gaspipe {
namespace algorithm {
namespace spmv {

constexpr Description kDescription = {
    "Product of a sparse matrix and a vector, `A @ x`.",
    "An edge i -> j is the entry A[i, j], its weight the value; without weights every entry is 1, and parallel edges "
    "add up. The matrix may be rectangular, and empty. The number format follows the dtypes of matrix and vector as in "
    "NumPy, once bool and integers below 32 bits count as int32, uint32 as int64 and float16 as float32: int32 and "
    "int64 give integers; uint64 gives uint64 with bool and unsigned integers (computed in int64, whose bits are the "
    "same), float64 with signed ones; float32 with float32 gives float32; all else float64. A SciPy matrix counts as "
    "its own dtype, a Graph as that of its weights, which are signed. Integer sums and products wrap around on "
    "overflow as NumPy's do, without a warning; a wider `number` or dtype has room for more. Floating-point sums are "
    "rounded in another order than SciPy's.",
    "product", "`A @ x`, of the number format's dtype",
    "X. Chen et al., \"ThunderGP: HLS-based Graph Processing Framework on FPGAs\", FPGA 2021, "
    "doi:10.1145/3431920.3439290."};

using Numbers = NumberList<std::int32_t, std::int64_t, float, double>;

// Arithmetic that wraps around: signed overflow has no meaning in C++, the unsigned words' has.
template <class Number, class Word = Number>
struct Wrapping {
  static Number add(Number a, Number b) { return static_cast<Number>(static_cast<Word>(a) + static_cast<Word>(b)); }
  static Number multiply(Number a, Number b) {
    return static_cast<Number>(static_cast<Word>(a) * static_cast<Word>(b));
  }
};
template <class Number>
struct Arithmetic : Wrapping<Number> {};
template <>
struct Arithmetic<std::int32_t> : Wrapping<std::int32_t, std::uint32_t> {};
template <>
struct Arithmetic<std::int64_t> : Wrapping<std::int64_t, std::uint64_t> {};

template <class Number>
struct Hooks {
  using Property = Number;
  static constexpr Property kIdentity = 0;
  static constexpr bool kReadsEdgeProperty = true;
  static constexpr int kAux = 0;

  static Property preprocessProperty(Property x) { return x; }
  static Property scatterFunc(Property x, Property entry) { return Arithmetic<Number>::multiply(entry, x); }
  static Property updateMergeInRAWSolver(Property a, Property b) { return Arithmetic<Number>::add(a, b); }
  static Property gatherFunc(Property sum, Property update) { return Arithmetic<Number>::add(sum, update); }
  static Property applyMerge(Property a, Property b) { return Arithmetic<Number>::add(a, b); }
  static Property applyFunc(Property tProp, Property /*source*/, Property /*outDeg*/, unsigned& /*extra*/,
                            unsigned /*arg*/) {
    return tProp;
  }
};

struct Parameters {
  VectorView x;
  template <class Visit>
  void each(Visit&& visit) {
    visit("x", x, Allowed::any(), "The vector, a number per column.");
  }
};

template <class Number>
struct Program {
  using Hooks = spmv::Hooks<Number>;
  using Value = Number;
  static constexpr View kView = View::kReverse;
  static constexpr bool kRectangular = true;
  static constexpr bool kAsksDegrees = false;
  const Context<Parameters>& context;

  const Number* initial_values() const {
    const VectorView& x = context.parameters.x;
    return x.size < context.num_vertices ? nullptr : static_cast<const Number*>(x.data);
  }
  Number initial(VertexId v) const { return context.parameters.x.template at<Number>(v); }
  Until until(int /*step*/, const std::uint64_t* /*sums*/) const { return Until::kDone; }
};

}  // namespace spmv
}  // namespace algorithm
}  // namespace gaspipe
