// SPDX-License-Identifier: Apache-2.0
// Makes the table of a frontier program (frontier/abi.h) for a library that is compiled from a user's source:
//
//   struct Types { using Vertex, Edge, Accum, Parameters = ...; }
//   frontier_table<Types, F, ...>("name", {"F", ...})
//
// A functor that has a member `parameters` gets those of the call. No exception leaves the library: what a functor
// throws on a thread of the core is kept until the call ends.
#pragma once

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <type_traits>
#include <vector>

#include "gaspipe/frontier/abi.h"
#include "gaspipe/frontier/guarded_host.h"
#include "gaspipe/frontier/loops.h"
#include "gaspipe/frontier/offer.h"

namespace gaspipe {
namespace frontier {

inline void tell(abi::FrontierOutcome* outcome, const char* text) {
  if (outcome->message_size == 0) return;
  std::strncpy(outcome->message, text, outcome->message_size - 1);
  outcome->message[outcome->message_size - 1] = '\0';
}

template <class Body>
std::int32_t status_of(abi::FrontierOutcome* outcome, const Body& body) {
  try {
    body();
    return abi::kOk;
  } catch (const Cancelled&) {
    return abi::kCancelled;
  } catch (const std::bad_alloc&) {
    return abi::kOutOfMemory;
  } catch (const InputError& error) {
    tell(outcome, error.what());
    return abi::kBadParameter;
  } catch (const std::exception& error) {
    tell(outcome, error.what());
  } catch (...) {
    tell(outcome, "an exception that is no std::exception");
  }
  return abi::kBadDesign;
}

template <class Types>
class LibraryEngine : public Loops<typename Types::Vertex, typename Types::Edge, typename Types::Accum> {
 public:
  using Vertex = typename Types::Vertex;
  using Edge = typename Types::Edge;
  using Accum = typename Types::Accum;
  using Base = Loops<Vertex, Edge, Accum>;

  LibraryEngine(const abi::FrontierGraph& graph, const abi::FrontierSettings& settings, const abi::Host& host)
      : Base(*static_cast<const Accum*>(settings.default_accumulator), options_of(settings)),
        host_(host),
        graph_(graph) {
    const auto in_edges = [](void* self, bool with_places, bool are_needed) -> const abi::Csr* {
      const abi::FrontierGraph& lent = static_cast<LibraryEngine*>(self)->graph_;
      return lent.in_edges(lent.self, with_places, are_needed);
    };
    this->attach({graph.csr, this, in_edges, graph.ids, graph.outdegrees}, host_.host(), first_edge_values());
  }
  GuardedHost& host() { return host_; }

 private:
  static FrontierOptions options_of(const abi::FrontierSettings& settings) {
    FrontierOptions options;
    options.direction = static_cast<FrontierOptions::Direction>(settings.direction);
    options.group = settings.group;
    options.scan = settings.scan != 0;
    options.log_level = static_cast<LogLevel>(settings.log_level);
    if (settings.log != nullptr) {
      options.log = [log = settings.log, self = settings.self](LogLevel level, const std::string& text) {
        log(self, static_cast<std::int32_t>(level), text.c_str());
      };
    }
    return options;
  }
  engine::Block<Edge> first_edge_values() const {
    if constexpr (std::is_empty_v<Edge>) {
      return {};
    } else {
      auto values = engine::make_block<Edge>(graph_.csr.num_edges);
      if (graph_.edge_values != nullptr) {
        std::memcpy(static_cast<void*>(values.get()), graph_.edge_values, graph_.csr.num_edges * sizeof(Edge));
      } else if constexpr (std::is_arithmetic_v<Edge>) {
        std::fill_n(values.get(), graph_.csr.num_edges, Edge(1));
      } else {
        std::fill_n(values.get(), graph_.csr.num_edges, Edge{});
      }
      return values;
    }
  }

  GuardedHost host_;
  const abi::FrontierGraph graph_;
};

template <class Types, class F>
F with_parameters(const void* parameters) {
  F f{};
  if constexpr (HasParameters<F>::value) {
    if (parameters != nullptr) f.parameters = *static_cast<const typename Types::Parameters*>(parameters);
  }
  return f;
}

template <class T>
void set_outcome(abi::FrontierOutcome* outcome, const T& value) {
  static_assert(std::is_arithmetic_v<T>, "a program or a vertexReduce returns a number or nothing");
  outcome->kind = std::is_floating_point_v<T> ? abi::FrontierOutcome::kReal : abi::FrontierOutcome::kInteger;
  outcome->integer = std::is_floating_point_v<T> ? 0 : static_cast<std::int64_t>(value);
  outcome->real = static_cast<double>(value);
}

template <class Types, class F>
void call_functor(LibraryEngine<Types>& engine, std::int32_t call, VertexSubset* dst, const VertexSubset* src,
                  const void* parameters, abi::FrontierOutcome* outcome) {
  using TheOffer = Offer<Types, F>;
  const F f = with_parameters<Types, F>(parameters);
  if constexpr (TheOffer::kEdges) {
    if (call == abi::kEdgeFilter) return engine.edgeFilter(*dst, *src, f);
    if (call == abi::kEdgeMap) return engine.edgeMap(*src, f);
    if constexpr (TheOffer::kVertices) {
      if (call == abi::kEdgeVertexFilter) return engine.edgeVertexFilter(*dst, *src, f);
    }
  }
  if constexpr (TheOffer::kVertices) {
    if (call == abi::kVertexFilter) return engine.vertexFilter(*dst, *src, f);
  }
  if constexpr (TheOffer::kCalled) {
    if (call == abi::kVertexMap) return engine.vertexMap(*src, f);
  }
  if constexpr (TheOffer::kSums) {
    if (call == abi::kVertexReduce) {
      F own = f;
      const auto identity = own.identity();
      using T = std::decay_t<decltype(identity)>;
      const auto reduce = [own](const T& a, const T& b) mutable -> T { return own.reduce(a, b); };
      if constexpr (kOffers<void, MapWithIdResult, F, typename Types::Vertex>) {
        const auto map = [own](const typename Types::Vertex& value, VertexId v) mutable -> T {
          return own.map(value, v);
        };
        set_outcome<T>(outcome, engine.template vertexReduce<T>(*src, identity, map, reduce));
      } else {
        const auto map = [own](const typename Types::Vertex& value) mutable -> T { return own.map(value); };
        set_outcome<T>(outcome, engine.template vertexReduce<T>(*src, identity, map, reduce));
      }
      return;
    }
  }
  if constexpr (TheOffer::kDrives) {
    if (call == abi::kDriver) {
      typename TheOffer::Engine& loops = engine;
      F own = f;
      const auto run = [&]() {
        if constexpr (std::is_invocable_v<F&, typename TheOffer::Engine&, const typename Types::Parameters&>) {
          return own(loops, *static_cast<const typename Types::Parameters*>(parameters));
        } else {
          return own(loops);
        }
      };
      if constexpr (std::is_void_v<decltype(run())>) {
        run();
      } else {
        set_outcome(outcome, run());
      }
      return;
    }
  }
  throw InputError("this functor does not serve this call");
}

template <class Types, class F>
abi::FrontierFunctor functor_entry(const char* name) {
  using TheOffer = Offer<Types, F>;
  using A = typename Types::Accum;
  abi::FrontierFunctor entry{name, TheOffer::calls(), nullptr, nullptr, nullptr};
  if constexpr (TheOffer::kEdges) {
    entry.reduce = [](const void* parameters, const void* a, const void* b, void* out,
                      std::uint64_t size) -> std::int32_t {
      abi::FrontierOutcome none{};
      return status_of(&none, [&] {
        F f = with_parameters<Types, F>(parameters);
        const A *left = static_cast<const A*>(a), *right = static_cast<const A*>(b);
        for (std::uint64_t i = 0; i < size; ++i) static_cast<A*>(out)[i] = f.reduce(left[i], right[i]);
      });
    };
    entry.gather = [](const void* parameters, const void* vertices, const std::uint64_t* degrees, void* edges,
                      void* out, std::uint64_t size) -> std::int32_t {
      abi::FrontierOutcome none{};
      return status_of(&none, [&] {
        F f = with_parameters<Types, F>(parameters);
        using E = typename Types::Edge;
        E without{};
        for (std::uint64_t i = 0; i < size; ++i) {
          E& edge = edges == nullptr ? without : static_cast<E*>(edges)[i];
          static_cast<A*>(out)[i] = f.gather(static_cast<const typename Types::Vertex*>(vertices)[i], degrees[i], edge);
        }
      });
    };
  }
  if constexpr (TheOffer::kSums) {
    entry.combine = [](const void* parameters, const abi::FrontierOutcome* a, const abi::FrontierOutcome* b,
                       abi::FrontierOutcome* out) -> std::int32_t {
      return status_of(out, [&] {
        F f = with_parameters<Types, F>(parameters);
        using T = std::decay_t<decltype(f.identity())>;
        const auto number = [](const abi::FrontierOutcome& answer) {
          return answer.kind == abi::FrontierOutcome::kReal ? static_cast<T>(answer.real)
                                                            : static_cast<T>(answer.integer);
        };
        set_outcome<T>(out, f.reduce(number(*a), number(*b)));
      });
    };
  }
  return entry;
}

// Built once, lives as long as the library.
template <class Types, class... Functors>
const abi::FrontierTable* frontier_table(const char* name, const std::vector<const char*>& names) {
  using Engine = LibraryEngine<Types>;
  static const std::vector<abi::FrontierFunctor> functors = [&] {
    std::size_t next = 0;
    (void)next;
    return std::vector<abi::FrontierFunctor>{functor_entry<Types, Functors>(names[next++])...};
  }();
  static const abi::FrontierTable table = [name] {
    abi::FrontierTable made{};
    made.abi_version = abi::kFrontierAbiVersion;
    made.name = name;
    made.vertex_bytes = sizeof(typename Types::Vertex);
    made.edge_bytes = std::is_empty_v<typename Types::Edge> ? 0 : sizeof(typename Types::Edge);
    made.accumulator_bytes = sizeof(typename Types::Accum);
    made.parameter_bytes = std::is_empty_v<typename Types::Parameters> ? 0 : sizeof(typename Types::Parameters);
    made.num_functors = static_cast<std::uint32_t>(functors.size());
    made.functors = functors.data();
    made.open = [](const abi::FrontierGraph* graph, const abi::FrontierSettings* settings, const abi::Host* host,
                   abi::FrontierOutcome* outcome, void** engine) -> std::int32_t {
      return status_of(outcome, [&] { *engine = new Engine(*graph, *settings, *host); });
    };
    made.close = [](void* engine) { delete static_cast<Engine*>(engine); };
    made.call = [](void* self, std::uint32_t functor, std::int32_t call, void* dst, void* src, const void* parameters,
                   abi::FrontierOutcome* outcome) -> std::int32_t {
      using Call = void (*)(LibraryEngine<Types>&, std::int32_t, VertexSubset*, const VertexSubset*, const void*,
                            abi::FrontierOutcome*);
      static constexpr Call calls[] = {&call_functor<Types, Functors>..., nullptr};
      Engine& engine = *static_cast<Engine*>(self);
      return status_of(outcome, [&] {
        try {
          calls[functor](engine, call, static_cast<VertexSubset*>(dst), static_cast<const VertexSubset*>(src),
                         parameters, outcome);
        } catch (const Cancelled&) {
          engine.host().rethrow();
          throw;
        }
        engine.host().rethrow();
      });
    };
    made.values = [](void* self, std::int32_t which, std::int32_t will_write) -> void* {
      Engine& engine = *static_cast<Engine*>(self);
      const Engine& constant = engine;
      const auto plain = [](const auto* values) { return const_cast<void*>(static_cast<const void*>(values)); };
      if (which == abi::kAccumulators) return plain(constant.accumulators());
      if (which == abi::kEdgeValues) return plain(will_write != 0 ? engine.edge_values() : constant.edge_values());
      return plain(will_write != 0 ? engine.vertex_values() : constant.vertex_values());
    };
    made.seconds = [](void* engine) { return static_cast<Engine*>(engine)->seconds(); };
    made.make_set = [](void* engine, const std::uint32_t* vertices, std::uint64_t size, std::int32_t is_universal,
                       abi::FrontierOutcome* outcome, void** set) -> std::int32_t {
      return status_of(outcome, [&] {
        const VertexId capacity = static_cast<Engine*>(engine)->getVertexCount();
        *set = is_universal != 0 ? new VertexSubset(capacity, true)
                                 : new VertexSubset(capacity, std::vector<VertexId>(vertices, vertices + size));
      });
    };
    made.free_set = [](void* set) { delete static_cast<VertexSubset*>(set); };
    made.set_size = [](void* set) { return static_cast<VertexSubset*>(set)->size(); };
    made.set_is_bitmap = [](void* set) -> std::int32_t { return static_cast<VertexSubset*>(set)->is_bitmap(); };
    made.set_contains = [](void* set, std::uint32_t v) -> std::int32_t {
      return static_cast<VertexSubset*>(set)->contains(v);
    };
    made.list_set = [](void* set, std::uint32_t* vertices) -> std::int32_t {
      abi::FrontierOutcome none{};
      return status_of(&none, [&] {
        const std::vector<VertexId> all = static_cast<VertexSubset*>(set)->vertices();
        std::copy(all.begin(), all.end(), vertices);
      });
    };
    made.convert_set = [](void* set, std::int32_t to_bitmap) -> std::int32_t {
      abi::FrontierOutcome none{};
      return status_of(&none, [&] {
        VertexSubset& subset = *static_cast<VertexSubset*>(set);
        to_bitmap != 0 ? subset.to_bitmap() : subset.to_queue();
      });
    };
    made.clear_set = [](void* set) -> std::int32_t {
      abi::FrontierOutcome none{};
      return status_of(&none, [&] { static_cast<VertexSubset*>(set)->clear(); });
    };
    return made;
  }();
  return &table;
}

}  // namespace frontier
}  // namespace gaspipe
