// SPDX-License-Identifier: Apache-2.0
// gaspipe._core.Domains and Domain; python/gaspipe/_domains has the public classes. Ids come in as int64; what is
// no vertex is found here.
#include <memory>
#include <string>
#include <utility>

#include "gaspipe/domain.h"
#include "gaspipe/find_first.h"
#include "python_domain.h"

namespace gaspipe {
namespace bindings {
namespace {

constexpr std::uint64_t kGrain = 1 << 16;

View view_of(const std::string& name) {
  if (name == "forward") return View::kForward;
  if (name == "reverse") return View::kReverse;
  if (name == "undirected") return View::kUndirected;
  throw InputError(message("view is \"", name, "\"; allowed are forward, reverse, undirected"));
}

// number_of(i) for i < n.
template <class NumberOf>
Array<std::int64_t> numbers(std::uint64_t n, Workers& workers, const NumberOf& number_of) {
  const Writable<std::int64_t> made(n);
  workers.each(n, kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t i = first; i < last; ++i) made[i] = static_cast<std::int64_t>(number_of(i));
  });
  return made.freeze();
}

void check_range(const char* what, const Array<std::int64_t>& ids, std::uint64_t limit, Workers& workers) {
  const std::uint64_t bad =
      find_first(ids.size(), workers, [&](std::uint64_t i) { return static_cast<std::uint64_t>(ids[i]) >= limit; });
  if (bad == ids.size()) return;
  throw InputError(message("there is no ", what, " ", ids[bad], limit == 0 ? "; there are none" : "; the largest is ",
                           limit == 0 ? "" : std::to_string(limit - 1)));
}

// number_of(i) for i < n, on one thread.
template <class F>
py::array all(std::uint64_t n, const F& number_of) {
  return to_numpy(without_gil(1, [&](Workers& workers) { return numbers(n, workers, number_of); }));
}

PythonDomain get_domain(const Domains& domains, const std::string& view, int rank, int num_threads) {
  return without_gil(num_threads, [&](Workers& workers) {
    const View which = view_of(view);
    return PythonDomain{domains.domain(which, abi::kNone, rank, workers), domains.ownership(which, workers)};
  });
}

py::array owners_of(const Domains& domains, const std::string& view, const py::array& ids, int num_threads) {
  const auto vertices = borrow<std::int64_t>(ids);
  return to_numpy(without_gil(num_threads, [&](Workers& workers) {
    check_range("vertex", vertices, domains.graph().num_vertices(), workers);
    const auto ownership = domains.ownership(view_of(view), workers);
    return numbers(vertices.size(), workers,
                   [&](std::uint64_t i) { return ownership->owner(static_cast<VertexId>(vertices[i])); });
  }));
}

}  // namespace

py::array PythonDomain::ids() const {
  return all(domain->num_own, [&](std::uint64_t i) { return domain->id(static_cast<VertexId>(i)); });
}
py::array PythonDomain::ghost_ids() const {
  return all(domain->num_ghosts, [&](std::uint64_t i) { return domain->ghost_ids[i]; });
}
py::array PythonDomain::ghost_owners() const {
  return all(domain->num_ghosts, [&](std::uint64_t i) { return ownership->owner(domain->ghost_ids[i]); });
}
py::array PythonDomain::ghost_first() const {
  return all(domain->ghost_first.size(), [&](std::uint64_t i) { return domain->ghost_first[i]; });
}
py::array PythonDomain::mirrors(std::int64_t rank) const {
  if (rank < 0 || rank >= domain->size) {
    throw InputError(message("there is no domain ", rank, "; ", domain->size, " domains are 0 to ", domain->size - 1));
  }
  const auto first = domain->mirror_first[static_cast<std::size_t>(rank)];
  return all(domain->mirror_first[static_cast<std::size_t>(rank) + 1] - first,
             [&](std::uint64_t i) { return domain->mirrors[first + i]; });
}
py::array PythonDomain::to_global(const py::array& locals) const {
  const auto places = borrow<std::int64_t>(locals);
  return to_numpy(without_gil(1, [&](Workers& workers) {
    check_range("local number", places, std::uint64_t(domain->num_own) + domain->num_ghosts, workers);
    return numbers(places.size(), workers, [&](std::uint64_t i) {
      const auto local = static_cast<VertexId>(places[i]);
      return domain->global(local);
    });
  }));
}
py::array PythonDomain::to_local(const py::array& ids) const {
  const auto vertices = borrow<std::int64_t>(ids);
  return to_numpy(without_gil(1, [&](Workers& workers) {
    check_range("vertex", vertices, domain->num_vertices, workers);
    return numbers(vertices.size(), workers, [&](std::uint64_t i) {
      const auto vertex = static_cast<VertexId>(vertices[i]);
      const VertexId local = domain->local(vertex, ownership->owner(vertex));
      if (local == kNoVertex) {
        throw InputError(message("vertex ", vertex, " is neither an own vertex nor a ghost of domain ", domain->rank,
                                 "; its owner is domain ", ownership->owner(vertex)));
      }
      return local;
    });
  }));
}

void bind_domains(py::module_& module) {
  py::class_<PythonDomain>(module, "Domain")
      .def_property_readonly("rank", [](const PythonDomain& self) { return self.domain->rank; })
      .def_property_readonly("num_own", [](const PythonDomain& self) { return self.domain->num_own; })
      .def_property_readonly("num_ghosts", [](const PythonDomain& self) { return self.domain->num_ghosts; })
      .def_property_readonly("num_edges", [](const PythonDomain& self) { return self.domain->graph->num_edges(); })
      .def_property_readonly("num_cut_edges",
                             [](const PythonDomain& self) {
                               const Csr& rows = *self.domain->graph->csr();
                               return rows.num_edges() - rows.offsets[self.domain->num_own];
                             })
      .def("ids", &PythonDomain::ids)
      .def("ghost_ids", &PythonDomain::ghost_ids)
      .def("ghost_owners", &PythonDomain::ghost_owners)
      .def("ghost_first", &PythonDomain::ghost_first)
      .def("mirrors", &PythonDomain::mirrors, py::arg("rank"))
      .def("to_global", &PythonDomain::to_global, py::arg("locals"))
      .def("to_local", &PythonDomain::to_local, py::arg("ids"));

  py::class_<Domains, std::shared_ptr<Domains>>(module, "Domains")
      .def(py::init([](const Graph& graph, std::int64_t size, const std::string& strategy, bool combine) {
             const py::gil_scoped_release released;
             return std::make_shared<Domains>(graph, size, DomainOptions{strategy, combine});
           }),
           py::arg("graph"), py::arg("size"), py::arg("strategy"), py::arg("combine"))
      .def_static(
          "from_owners",
          [](const Graph& graph, std::int64_t size, const py::array& owners, const std::string& name, bool combine) {
            const auto given = copied(borrow<std::uint16_t>(owners));
            const py::gil_scoped_release released;
            return std::make_shared<Domains>(graph, size, given, DomainOptions{name, combine});
          },
          py::arg("graph"), py::arg("size"), py::arg("owners"), py::arg("name"), py::arg("combine"))
      .def_property_readonly("size", &Domains::size)
      .def_property_readonly("strategy", [](const Domains& domains) { return domains.options().strategy; })
      .def_property_readonly("combine", [](const Domains& domains) { return domains.options().combine; })
      .def("is_of", [](const Domains& domains, const Graph& graph) { return graph.csr() == domains.graph().csr(); })
      .def("domain", &get_domain, py::arg("view"), py::arg("rank"), py::arg("num_threads"))
      .def("owners", &owners_of, py::arg("view"), py::arg("ids"), py::arg("num_threads"));

  module.def("domain_strategies", [] {
    py::list names;
    for (const DomainStrategy& strategy : domain_strategies()) names.append(strategy.name);
    return names;
  });
  module.attr("MOST_DOMAINS") = kMostDomains;
}

}  // namespace bindings
}  // namespace gaspipe
