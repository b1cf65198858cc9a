# SPDX-License-Identifier: Apache-2.0
"""Source of the library that `Algorithm.check` runs: the hooks over arrays, and runs that merge in any legal order.

The program in it keeps all updates of a vertex until they are applied (an update is the number of a node in a tree).
Only then are they merged: by default one after the other, as they arrived; with a seed, in an order, in pairs on the
way (`updateMergeInRAWSolver`) and in parts (`applyMerge`) that are drawn at random. What no order changes in the
answers of such runs, no device can show.
"""

from __future__ import annotations

from .._card.kernels import NUMBERS
from .cpp import Definition, header_name

HOOKS = {"gather": "gatherFunc", "raw": "updateMergeInRAWSolver", "merge": "applyMerge"}

_PROGRAM = """
#include "gaspipe/engine/on_cpu.h"
#include "@HEADER@"
#include <vector>
namespace {
using Given = gaspipe::algorithm::@NAME@::Hooks<@NUMBER@>;
using Traits = gaspipe::Traits<Given>;
using Value = Traits::Update;
using Size = std::uint64_t;

struct Node {  // an update, or with children all updates below
  Value value;
  std::uint32_t left, right;
};
constexpr std::uint32_t kMostParts = 4;
// Runs have one thread.
std::vector<Node> nodes;
std::vector<Value> recorded, merging, parts;
bool records = false;
Size seed = 0, state = 0;

std::uint32_t below(std::uint32_t end) {  // xorshift64*
  state ^= state >> 12, state ^= state << 25, state ^= state >> 27;
  return static_cast<std::uint32_t>(((state * 0x2545f4914f6cdd1du) >> 32) * end >> 32);
}

std::uint32_t add(const Node& node) {
  if (nodes.empty()) nodes.push_back(Node{Traits::identity(), 0, 0});  // 0 stands for no update
  nodes.push_back(node);
  return static_cast<std::uint32_t>(nodes.size() - 1);
}

void list(std::uint32_t root) {
  static std::vector<std::uint32_t> waiting;
  merging.clear();
  waiting.assign(root != 0, root);
  while (!waiting.empty()) {
    const Node node = nodes[waiting.back()];
    waiting.pop_back();
    if (node.left == 0) {
      merging.push_back(node.value);
    } else {
      waiting.push_back(node.right);
      waiting.push_back(node.left);
    }
  }
}

Value merged(std::uint32_t root) {
  list(root);
  const auto size = static_cast<std::uint32_t>(merging.size());
  if (seed == 0) {
    Value gathered = Traits::identity();
    for (const Value& value : merging) gathered = Given::gatherFunc(gathered, value);
    return gathered;
  }
  for (std::uint32_t i = size; i > 1; --i) std::swap(merging[i - 1], merging[below(i)]);
  parts.assign(1 + below(kMostParts), Traits::identity());
  for (std::uint32_t i = 0; i < size;) {
    Value update = merging[i++];
    while (i < size && below(2) == 0) update = Given::updateMergeInRAWSolver(update, merging[i++]);
    Value& part = parts[below(static_cast<std::uint32_t>(parts.size()))];
    part = Given::gatherFunc(part, update);
  }
  Value all = parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) all = Given::applyMerge(all, parts[i]);
  return all;
}

struct AnyOrder : Given {
  using Property = Traits::Property;
  using EdgeProperty = Traits::EdgeProperty;
  using Update = std::uint32_t;  // a node
  using Extra = Traits::Extra;
  using Arg = Traits::Arg;
  using Aux = Traits::Aux;
  static constexpr int kExtras = Traits::kExtras;
  static constexpr int kAux = Traits::kAux;
  static constexpr Update kIdentity = 0;
  static constexpr bool kReadsEdgeProperty = Traits::kReadsEdgeProperty;
  static bool isActive(Update node) { return Traits::is_active(node == 0 ? Traits::identity() : nodes[node].value); }
  static Update scatterFunc(Property source, EdgeProperty weight) {
    const Value value = Given::scatterFunc(source, weight);
    if (records && Traits::is_active(value)) recorded.push_back(value);
    return add(Node{value, 0, 0});
  }
  static Update gatherFunc(Update a, Update b) { return a == 0 ? b : b == 0 ? a : add(Node{Value{}, a, b}); }
  static Update updateMergeInRAWSolver(Update a, Update b) { return gatherFunc(a, b); }
  static Update applyMerge(Update a, Update b) { return gatherFunc(a, b); }
  template <class AuxOf, class ExtraOf>
  static Property applyFunc(Update node, Property source, const AuxOf& aux, ExtraOf& extra, const Arg& arg) {
    return Given::applyFunc(merged(node), source, aux, extra, arg);
  }
};

template <class Number>
struct Program : gaspipe::algorithm::@NAME@::Program<Number> {
  using Base = gaspipe::algorithm::@NAME@::Program<Number>;
  using Hooks = AnyOrder;
  using Base::Base;
  gaspipe::Until until(int step, const typename Base::Sum* sums) const {
    nodes.clear();
    return Base::until(step, sums);
  }
};
struct Spec {
  template <class Number> using Program = ::Program<Number>;
  using Parameters = gaspipe::algorithm::@NAME@::Parameters;
  using Numbers = gaspipe::algorithm::@NAME@::Numbers;
  static const gaspipe::Description& description() { return gaspipe::algorithm::@NAME@::kDescription; }
};
}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))
EXPORT const gaspipe::abi::Program* gaspipe_program_@NAME@() {
  return gaspipe::engine::program_table<Spec, gaspipe::engine::OnCpu>("@NAME@");
}
EXPORT Size gaspipe_update_is_property() { return gaspipe::contract::Same<Value, Traits::Property>::value; }
EXPORT void gaspipe_start(Size the_seed, Size the_records) {
  seed = the_seed;
  state = the_seed * 0x9e3779b97f4a7c15u | 1;
  records = the_records != 0;
  nodes.clear();
  recorded.clear();
}
EXPORT Size gaspipe_num_recorded() { return recorded.size(); }
EXPORT void gaspipe_recorded(Value* out) { std::copy(recorded.begin(), recorded.end(), out); }
EXPORT void gaspipe_identity(Value* out) { *out = Traits::identity(); }
"""

_OVER_ARRAYS = """EXPORT void gaspipe_@KEY@(const Value* a, const Value* b, Value* out, Size n) {
  for (Size i = 0; i < n; ++i) out[i] = Given::@HOOK@(a[i], b[i]);
}
"""


def orders_source(definition: Definition) -> str:
    """Return the source of the library."""
    text = _PROGRAM + "".join(_OVER_ARRAYS.replace("@KEY@", k).replace("@HOOK@", h) for k, h in HOOKS.items())
    names = {"HEADER": header_name(definition), "NAME": definition.name, "NUMBER": NUMBERS[definition.prop]}
    for key, name in names.items():
        text = text.replace(f"@{key}@", name)
    return text
