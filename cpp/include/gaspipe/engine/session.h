// SPDX-License-Identifier: Apache-2.0
// A run in progress behind abi::Session: the program made from its arguments, the engine that takes its steps, and the
// loop around them.
#pragma once

#include <cstring>
#include <new>
#include <type_traits>

#include "gaspipe/engine/loop.h"
#include "gaspipe/engine/parameters.h"

namespace gaspipe {
namespace engine {

// `Run` is abi::Run or abi::DeviceRun, and TheEngine the one for it.
template <class Program, class Parameters, class TheEngine, class Run>
class Session {
 public:
  static std::int32_t open(const Run* run, abi::Outcome* outcome, abi::Session* opened) {
    return guarded([&]() -> std::int32_t {
      auto* session = new Session(*run);
      opened->self = session;
      opened->close = [](void* self) { delete static_cast<Session*>(self); };
      opened->step = [](void* self, abi::Outcome* outcome) {
        return guarded([&]() -> std::int32_t { return static_cast<Session*>(self)->loop_.step(outcome); });
      };
      opened->read_properties = [](void* self, void* data) {
        return guarded([&]() -> std::int32_t { return static_cast<Session*>(self)->engine_.read_properties(data); });
      };
      opened->snapshot = [](void* self, abi::Snapshot* snapshot) {
        return guarded([&]() -> std::int32_t {
          static_cast<Session*>(self)->loop_.snapshot(snapshot);
          return static_cast<Session*>(self)->workers_.cancelled() ? abi::kCancelled : abi::kOk;
        });
      };
      return session->check(outcome);
    });
  }

 private:
  explicit Session(const Run& run)
      : run_(run),
        context_(context_of(run)),
        program_{context_},
        workers_(*run.host),
        engine_(program_, run_, workers_),
        loop_(program_, engine_, workers_, context_.num_vertices, static_cast<typename Program::Value*>(run.values),
              run.resume) {}
  Session(const Session&) = delete;

  template <class F>
  static std::int32_t guarded(const F& f) {
    try {
      return f();
    } catch (const std::bad_alloc&) {
      return abi::kOutOfMemory;
    }
  }
  static Context<Parameters> context_of(const Run& run) {
    Context<Parameters> context;
    const abi::Domain* const domain = run.domain;
    context.num_vertices = domain != nullptr ? domain->num_vertices : run.csr->num_vertices;
    context.num_edges = domain != nullptr ? domain->num_edges : run.csr->num_edges;
    context.offsets = domain != nullptr ? domain->offsets : run.csr->offsets;
    context.wide_offsets = (domain != nullptr ? domain->offset_bytes : run.csr->offset_bytes) == 8;
    if (run.relabeling != nullptr) {
      context.offsets = run.relabeling->offsets;
      context.wide_offsets = run.relabeling->offset_bytes == 8;
    }
    context.scale_bits = run.scale_bits;
    AssignParameters assign(run.arguments);
    context.parameters.each(assign);
    return context;
  }
  abi::Status check(abi::Outcome* outcome) const {
    if constexpr (HasProblem<Program>::value) {
      if (const char* problem = program_.problem()) {
        std::strncpy(outcome->message, problem, sizeof outcome->message - 1);
        return abi::kBadParameter;
      }
    }
    return abi::kGoesOn;
  }

  Run run_;
  Context<Parameters> context_;
  Program program_;
  Workers workers_;
  TheEngine engine_;
  Loop<Program, TheEngine> loop_;
};

}  // namespace engine
}  // namespace gaspipe
