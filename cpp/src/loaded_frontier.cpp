// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/loaded_frontier.h"

#include <new>
#include <utility>

#include "cpp/src/load.h"
#include "gaspipe/convert.h"
#include "gaspipe/error.h"
#include "gaspipe/rows.h"

namespace gaspipe {

const abi::FrontierTable& load_frontier(const std::string& path, const std::string& name) {
  using Table = const abi::FrontierTable* (*)();
  const auto get = reinterpret_cast<Table>(load_symbol(path, "gaspipe_frontier_" + name));
  const abi::FrontierTable* const table = get();
  if (table == nullptr || table->abi_version != abi::kFrontierAbiVersion) {
    throw Error(message(path, " was built for version ", table == nullptr ? 0 : table->abi_version,
                        " of the table of frontier programs; this gaspipe has version ", abi::kFrontierAbiVersion,
                        "; build it again"));
  }
  return *table;
}

LoadedFrontier::LoadedFrontier(const abi::FrontierTable& table, const Graph& graph, const FrontierOptions& options,
                               std::vector<std::uint8_t> default_accumulator, abi::Scalar weight_type)
    : table_(table),
      options_(options),
      threads_(options.num_threads, options.interrupted),
      source_(graph, threads_),
      default_accumulator_(std::move(default_accumulator)) {
  open(*graph.csr(), weight_type);
}

LoadedFrontier::LoadedFrontier(const abi::FrontierTable& table, const Domain& domain, const FrontierOptions& options,
                               std::vector<std::uint8_t> default_accumulator, abi::Scalar weight_type)
    : table_(table),
      options_(options),
      threads_(options.num_threads, options.interrupted),
      source_(*domain.graph, threads_),
      default_accumulator_(std::move(default_accumulator)) {
  const std::uint64_t size = std::uint64_t(domain.num_own) + domain.num_ghosts;
  ids_.resize(size);
  outdegrees_.resize(size);
  for (VertexId v = 0; v < size; ++v) {
    ids_[v] = domain.global(v);
    outdegrees_[v] = domain.offsets[std::uint64_t(ids_[v]) + 1] - domain.offsets[ids_[v]];
  }
  open(*domain.graph->csr(), weight_type);
}

void LoadedFrontier::open(const Csr& csr, abi::Scalar weight_type) {
  check(options_);
  if (default_accumulator_.size() != table_.accumulator_bytes) {
    throw InputError(message("the default accumulator has ", default_accumulator_.size(), " bytes; an accumulator has ",
                             table_.accumulator_bytes));
  }
  host_.self = this;
  host_.num_threads = threads_.host().num_threads;
  host_.near_bytes = threads_.host().near_bytes;
  host_.parallel_for = [](void* self, std::uint64_t n, std::uint64_t grain,
                          void (*body)(void*, std::uint64_t, std::uint64_t, std::int32_t),
                          void* context) -> std::int32_t {
    LoadedFrontier& here = *static_cast<LoadedFrontier*>(self);
    return here.guarded([&] {
      here.threads_.workers().each(
          n, grain, [&](std::uint64_t first, std::uint64_t last, int worker) { body(context, first, last, worker); });
    });
  };
  host_.poll = [](void* self, std::int32_t worker) -> std::int32_t {
    const abi::Host& own = static_cast<LoadedFrontier*>(self)->threads_.host();
    return own.poll(own.self, worker);
  };

  Array<std::uint8_t> weights;
  if (weight_type != abi::kNone && csr.is_weighted() && csr.num_edges() > 0) {
    weights = convert_weights(csr, weight_type, threads_.workers());
  }
  abi::FrontierGraph lent{};
  lent.csr = table_of(csr);
  lent.self = this;
  lent.in_edges = [](void* self, std::int32_t with_places, std::int32_t are_needed) -> const abi::Csr* {
    LoadedFrontier& here = *static_cast<LoadedFrontier*>(self);
    const abi::Csr* found = nullptr;
    here.guarded([&] { found = frontier::Source::in_edges(&here.source_, with_places != 0, are_needed != 0); });
    return found;
  };
  lent.edge_values = weights.data();
  lent.ids = ids_.empty() ? nullptr : ids_.data();
  lent.outdegrees = outdegrees_.empty() ? nullptr : outdegrees_.data();
  abi::FrontierSettings settings{};
  settings.direction = static_cast<std::int32_t>(options_.direction);
  settings.group = options_.group;
  settings.scan = options_.scan;
  settings.log_level = static_cast<std::int32_t>(options_.log_level);
  settings.self = this;
  if (options_.log) {
    settings.log = [](void* self, std::int32_t level, const char* text) {
      LoadedFrontier& here = *static_cast<LoadedFrontier*>(self);
      here.guarded([&] { here.options_.log(static_cast<LogLevel>(level), text); });
    };
  }
  settings.default_accumulator = default_accumulator_.data();
  checked([&](abi::FrontierOutcome* outcome) { return table_.open(&lent, &settings, &host_, outcome, &engine_); });
}

LoadedFrontier::~LoadedFrontier() {
  if (engine_ != nullptr) table_.close(engine_);
}

template <class F>
std::int32_t LoadedFrontier::guarded(const F& f) {
  try {
    f();
    return 0;
  } catch (...) {
    if (!thrown_) thrown_ = std::current_exception();
    return 1;
  }
}

template <class F>
LoadedFrontier::Answer LoadedFrontier::checked(const F& f) {
  char text[1024] = "";
  abi::FrontierOutcome outcome{};
  outcome.message = text;
  outcome.message_size = sizeof text;
  const std::int32_t status = alone([&] {
    const std::int32_t ended = f(&outcome);
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
    return ended;
  });
  switch (status) {
    case abi::kOk:
      return {static_cast<abi::FrontierOutcome::Kind>(outcome.kind), outcome.integer, outcome.real};
    case abi::kCancelled:
      throw Cancelled();
    case abi::kOutOfMemory:
      throw std::bad_alloc();
    case abi::kBadParameter:
      throw InputError(text);
    default:
      throw Error(message(table_.name, ": the program threw an exception: ", text));
  }
}

LoadedFrontier::Answer LoadedFrontier::call(std::uint32_t functor, abi::FrontierCall call, LoadedSet* dst,
                                            const LoadedSet* src, const std::vector<std::uint8_t>& parameters) {
  check_call(functor, parameters);
  for (const LoadedSet* set : {static_cast<const LoadedSet*>(dst), src}) {
    if (set != nullptr && &set->engine() != this) throw InputError("this set of vertices is of another engine");
  }
  return checked([&](abi::FrontierOutcome* outcome) {
    return table_.call(engine_, functor, call, dst == nullptr ? nullptr : dst->get(),
                       src == nullptr ? nullptr : src->get(), parameters.data(), outcome);
  });
}

void LoadedFrontier::check_call(std::uint32_t functor, const std::vector<std::uint8_t>& parameters) const {
  if (functor >= table_.num_functors) throw InputError(message("there is no functor number ", functor));
  if (parameters.size() != table_.parameter_bytes) {
    throw InputError(
        message("parameters have ", parameters.size(), " bytes; the program takes ", table_.parameter_bytes));
  }
}

LoadedFrontier::Answer LoadedFrontier::combine(std::uint32_t functor, const std::vector<std::uint8_t>& parameters,
                                               const Answer& a, const Answer& b) {
  check_call(functor, parameters);
  const abi::FrontierFunctor& which = table_.functors[functor];
  if (which.combine == nullptr) throw InputError(message(which.name, " does not serve vertexReduce"));
  const auto outcome_of = [](const Answer& answer) {
    abi::FrontierOutcome outcome{};
    outcome.kind = answer.kind;
    outcome.integer = answer.integer;
    outcome.real = answer.real;
    return outcome;
  };
  const abi::FrontierOutcome first = outcome_of(a), second = outcome_of(b);
  return checked(
      [&](abi::FrontierOutcome* outcome) { return which.combine(parameters.data(), &first, &second, outcome); });
}

void* LoadedFrontier::values(abi::FrontierValues which, bool will_write) {
  return alone([&] { return table_.values(engine_, which, will_write); });
}

std::shared_ptr<LoadedSet> LoadedFrontier::make_set(const VertexId* vertices, std::uint64_t size, bool is_universal) {
  void* set = nullptr;
  checked([&](abi::FrontierOutcome* outcome) {
    return table_.make_set(engine_, vertices, size, is_universal, outcome, &set);
  });
  return std::make_shared<LoadedSet>(shared_from_this(), set);
}
std::shared_ptr<LoadedSet> LoadedFrontier::all() { return make_set(nullptr, 0, true); }
std::shared_ptr<LoadedSet> LoadedFrontier::set_of(const Array<VertexId>& vertices) {
  return make_set(vertices.data(), vertices.size(), false);
}

Array<VertexId> LoadedSet::vertices() const {
  return engine_->alone([&] {
    const Writable<VertexId> list(table().set_size(set_));
    if (table().list_set(set_, list.data()) != abi::kOk) throw std::bad_alloc();
    return list.freeze();
  });
}
void LoadedSet::convert(bool to_bitmap) {
  const std::int32_t status = engine_->alone([&] { return table().convert_set(set_, to_bitmap); });
  if (status != abi::kOk) throw std::bad_alloc();
}
void LoadedSet::clear() {
  const std::int32_t status = engine_->alone([&] { return table().clear_set(set_); });
  if (status != abi::kOk) throw std::bad_alloc();
}

}  // namespace gaspipe
