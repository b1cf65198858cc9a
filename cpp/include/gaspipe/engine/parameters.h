// SPDX-License-Identifier: Apache-2.0
// A program's parameters as the table has them.
#pragma once

#include "gaspipe/abi.h"
#include "hls/program.h"
#include "hls/types.h"

namespace gaspipe {
namespace engine {

// A plain array: a vector's growth is a noticeable part of what a user waits for while a small program is compiled.
struct ParameterList {
  static constexpr std::uint32_t kMost = 64;
  abi::Parameter entries[kMost];
  std::uint32_t size = 0;
};

// Visitors for Parameters::each: one lists, one assigns.
struct ListParameters {
  ParameterList& list;

  void operator()(const char* name, VertexId value, Allowed allowed, const char* doc) const {
    add(name, doc, allowed.is_vertex ? abi::kVertex : abi::kInteger, value, allowed);
  }
  void operator()(const char* name, int value, Allowed allowed, const char* doc) const {
    add(name, doc, abi::kInteger, value, allowed);
  }
  void operator()(const char* name, double value, Allowed allowed, const char* doc) const {
    add(name, doc, abi::kReal, value, allowed);
  }
  void operator()(const char* name, bool value, Allowed allowed, const char* doc) const {
    add(name, doc, abi::kFlag, value, allowed);
  }
  void operator()(const char* name, const ArrayView&, Allowed allowed, const char* doc) const {
    add(name, doc, abi::kArray, 0, allowed);
  }
  void operator()(const char* name, const VectorView&, Allowed allowed, const char* doc) const {
    add(name, doc, abi::kVector, 0, allowed);
  }
  void operator()(const char* name, const VertexListView&, Allowed allowed, const char* doc) const {
    add(name, doc, abi::kVertices, 0, allowed);
  }
  void operator()(const char* name, const VertexPairsView&, Allowed allowed, const char* doc) const {
    add(name, doc, abi::kPairs, 0, allowed);
  }

 private:
  void add(const char* name, const char* doc, abi::ParameterKind kind, double value, const Allowed& allowed) const {
    if (list.size == ParameterList::kMost) __builtin_trap();
    list.entries[list.size++] = {
        name, doc, kind, value, allowed.low, allowed.high, allowed.open_low, allowed.open_high};
  }
};

class AssignParameters {
 public:
  explicit AssignParameters(const abi::Argument* first) : next(first) {}

  void operator()(const char*, VertexId& value, Allowed, const char*) {
    value = static_cast<VertexId>(next++->integer);
  }
  void operator()(const char*, int& value, Allowed, const char*) { value = static_cast<int>(next++->integer); }
  void operator()(const char*, double& value, Allowed, const char*) { value = next++->real; }
  void operator()(const char*, bool& value, Allowed, const char*) { value = next++->integer != 0; }
  void operator()(const char*, ArrayView& value, Allowed, const char*) { take(value); }
  void operator()(const char*, VectorView& value, Allowed, const char*) { take(value); }
  void operator()(const char*, VertexListView& value, Allowed, const char*) { take(value); }
  void operator()(const char*, VertexPairsView& value, Allowed, const char*) { take(value); }

 private:
  template <class ViewOfData>
  void take(ViewOfData& view) {
    view.data = static_cast<decltype(view.data)>(next->data);
    view.size = next++->size;
  }

  const abi::Argument* next;
};

}  // namespace engine
}  // namespace gaspipe
