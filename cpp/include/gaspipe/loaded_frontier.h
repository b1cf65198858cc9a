// SPDX-License-Identifier: Apache-2.0
// Engines of frontier programs (gaspipe/frontier.h) whose functors were compiled into a library (frontier/abi.h).
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "gaspipe/domain.h"
#include "gaspipe/error.h"
#include "gaspipe/frontier/abi.h"
#include "gaspipe/frontier/options.h"
#include "gaspipe/frontier/source.h"
#include "gaspipe/graph.h"

namespace gaspipe {

// The table of a library; it stays loaded. Error where it has none of this name and version.
const abi::FrontierTable& load_frontier(const std::string& path, const std::string& name);

class LoadedSet;

// One call at a time, of the engine and of its sets: InputError where it is at work in another thread, or in the
// function that logs.
class LoadedFrontier : public std::enable_shared_from_this<LoadedFrontier> {
 public:
  // A number, or nothing.
  struct Answer {
    abi::FrontierOutcome::Kind kind;
    std::int64_t integer;
    double real;
  };

  // `default_accumulator` has the size that the table says. Edge values start as the graph's weights where these are
  // converted to `weight_type`; InputError where one does not fit.
  LoadedFrontier(const abi::FrontierTable& table, const Graph& graph, const FrontierOptions& options,
                 std::vector<std::uint8_t> default_accumulator, abi::Scalar weight_type);
  // Of a domain: its own vertices, then its ghosts. Functors see ids and degrees of the whole graph; who calls gives
  // ghosts their values.
  LoadedFrontier(const abi::FrontierTable& table, const Domain& domain, const FrontierOptions& options,
                 std::vector<std::uint8_t> default_accumulator, abi::Scalar weight_type);
  ~LoadedFrontier();
  LoadedFrontier(const LoadedFrontier&) = delete;
  LoadedFrontier& operator=(const LoadedFrontier&) = delete;

  const abi::FrontierTable& table() const { return table_; }
  VertexId num_vertices() const { return source_.graph().num_vertices(); }
  EdgeCount num_edges() const { return source_.graph().num_edges(); }
  double seconds() const { return table_.seconds(engine_); }

  // Sets are null where a call has none. Error with the text of an exception that a functor threw.
  Answer call(std::uint32_t functor, abi::FrontierCall call, LoadedSet* dst, const LoadedSet* src,
              const std::vector<std::uint8_t>& parameters);
  void* values(abi::FrontierValues which, bool will_write);
  // Of the answers that kVertexReduce gave for two parts of a set.
  Answer combine(std::uint32_t functor, const std::vector<std::uint8_t>& parameters, const Answer& a, const Answer& b);

  std::shared_ptr<LoadedSet> all();
  std::shared_ptr<LoadedSet> set_of(const Array<VertexId>& vertices);

  // f(), while nothing else calls the library.
  template <class F>
  auto alone(const F& f) {
    const std::unique_lock<std::mutex> held(at_work_, std::try_to_lock);
    if (held.owns_lock()) return f();
    throw InputError("this engine is at work, in another thread or in its own log; it takes one call at a time");
  }

 private:
  void open(const Csr& csr, abi::Scalar weight_type);
  void check_call(std::uint32_t functor, const std::vector<std::uint8_t>& parameters) const;
  // Calls f(&outcome), and throws what its status says.
  template <class F>
  Answer checked(const F& f);
  template <class F>
  std::int32_t guarded(const F& f);
  std::shared_ptr<LoadedSet> make_set(const VertexId* vertices, std::uint64_t size, bool is_universal);

  const abi::FrontierTable& table_;
  const FrontierOptions options_;
  frontier::Threads threads_;
  frontier::Source source_;
  const std::vector<std::uint8_t> default_accumulator_;
  std::vector<VertexId> ids_;  // of a domain
  std::vector<EdgeCount> outdegrees_;
  abi::Host host_{};
  std::mutex at_work_;
  std::exception_ptr thrown_;  // inside a callback
  void* engine_ = nullptr;
};

// A set of an engine's vertices, which keeps the engine.
class LoadedSet {
 public:
  LoadedSet(std::shared_ptr<LoadedFrontier> engine, void* set) : engine_(std::move(engine)), set_(set) {}
  ~LoadedSet() { table().free_set(set_); }
  LoadedSet(const LoadedSet&) = delete;
  LoadedSet& operator=(const LoadedSet&) = delete;

  const LoadedFrontier& engine() const { return *engine_; }
  void* get() const { return set_; }
  std::uint64_t size() const {
    return engine_->alone([&] { return table().set_size(set_); });
  }
  bool is_bitmap() const {
    return engine_->alone([&] { return table().set_is_bitmap(set_) != 0; });
  }
  bool contains(VertexId v) const {
    return engine_->alone([&] { return table().set_contains(set_, v) != 0; });
  }
  Array<VertexId> vertices() const;
  void convert(bool to_bitmap);
  void clear();

 private:
  const abi::FrontierTable& table() const { return engine_->table(); }

  const std::shared_ptr<LoadedFrontier> engine_;
  void* const set_;
};

}  // namespace gaspipe
