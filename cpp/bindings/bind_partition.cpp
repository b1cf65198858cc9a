// SPDX-License-Identifier: Apache-2.0
// gaspipe._core.Partitioning, Partition and SubPartition. These are also the public classes: they have nothing to
// convert, so their docstrings stand here.
#include "bindings.h"
#include "gaspipe/graph.h"
#include "gaspipe/partition.h"

namespace gaspipe {
namespace bindings {
namespace {

// Python's negative indices count from the end; what is still out of range ends an iteration (IndexError).
std::int64_t index_from_end(std::int64_t index, std::size_t size) {
  const std::int64_t length = static_cast<std::int64_t>(size);
  if (index < -length || index >= length)
    throw py::index_error(message("index ", index, " is out of range for ", size, " entries"));
  return index < 0 ? index + length : index;
}

// Iteration by __getitem__, as for any sequence.
py::iterator iterate(const py::object& self) { return py::reinterpret_steal<py::iterator>(PySeqIter_New(self.ptr())); }

std::string describe(const SubPartition& sub) {
  return message("SubPartition(", sub.partition(), ", ", sub.index(), ": ", sub.num_edges(), " edges, ",
                 sub.num_padded_edges(), " with padding, sources ", sub.first_source(), " to ", sub.last_source(), ")");
}
std::string describe(const Partition& part) {
  return message("Partition(", part.index(), ": vertices ", part.first_vertex(), " to ",
                 part.last_vertex() - (part.last_vertex() > part.first_vertex()), ", ", part.num_edges(), " edges in ",
                 part.size(), " sub-partitions)");
}
std::string describe(const Partitioning& parts) {
  return message("Partitioning(", parts.size(), " partitions of at most ", parts.config().capacity, " vertices, ",
                 parts.config().compute_units, " compute units, partitioner \"", parts.config().partitioner, "\")");
}

}  // namespace

void bind_partition(py::module_& module) {
  py::class_<SubPartition>(module, "SubPartition", "The edges of a partition that one compute unit takes.")
      .def_property_readonly("partition", &SubPartition::partition, "Id of the partition.")
      .def_property_readonly("index", &SubPartition::index, "Id of the compute unit in it.")
      .def_property_readonly("first_edge", &SubPartition::first_edge,
                             "Position of the first edge among the partition's.")
      .def_property_readonly("num_edges", &SubPartition::num_edges, "Number of edges.")
      .def_property_readonly("num_padded_edges", &SubPartition::num_padded_edges,
                             "Edges with padding up to whole 512-bit words.")
      .def_property_readonly("first_source", &SubPartition::first_source, "Smallest source; 0 without edges.")
      .def_property_readonly("last_source", &SubPartition::last_source, "Largest source; 0 without edges.")
      .def(
          "encode",
          [](const SubPartition& sub) {
            const auto edges = sub.encode();
            return py::make_tuple(to_numpy(edges.sources), to_numpy(edges.destinations));
          },
          "Edges as a device reads them: (sources, destinations), uint32, sorted by source, with padding\n"
          "(destination 0xffffffff, source repeated).")
      .def("__len__", [](const SubPartition& sub) { return sub.num_edges(); })
      .def("__repr__", [](const SubPartition& sub) { return describe(sub); });

  py::class_<Partition>(module, "Partition", "The edges into a range of destinations; a sequence of sub-partitions.")
      .def_property_readonly("index", &Partition::index, "Id of the partition.")
      .def_property_readonly("first_vertex", &Partition::first_vertex, "First destination of the range.")
      .def_property_readonly("last_vertex", &Partition::last_vertex, "One past the last destination of the range.")
      .def_property_readonly("num_edges", &Partition::num_edges, "Number of edges.")
      .def("get_sub_partition", &Partition::get_sub_partition, py::arg("id"),
           "Sub-partition by id; InputError when there is none.")
      .def("__getitem__",
           [](const Partition& part, std::int64_t i) { return part.get_sub_partition(index_from_end(i, part.size())); })
      .def("__iter__", &iterate)
      .def("__len__", &Partition::size)
      .def("__repr__", [](const Partition& part) { return describe(part); });

  py::class_<Partitioning, std::shared_ptr<Partitioning>>(
      module, "Partitioning",
      "All partitions of a graph under one configuration; a sequence. Made by Graph.partition().")
      .def_property_readonly(
          "capacity", [](const Partitioning& parts) { return parts.config().capacity; },
          "Most destinations of a partition.")
      .def_property_readonly(
          "compute_units", [](const Partitioning& parts) { return parts.config().compute_units; },
          "Sub-partitions of every partition.")
      .def_property_readonly(
          "partitioner", [](const Partitioning& parts) { return parts.config().partitioner; },
          "How partitions are cut into sub-partitions.")
      .def_property_readonly(
          "num_edges", [](const Partitioning& parts) { return parts.csr().num_edges(); }, "Edges of all partitions.")
      .def_property_readonly("num_bytes", &Partitioning::num_bytes, "Memory of the partitioned edges, in bytes.")
      .def("get_partition", &Partitioning::get_partition, py::arg("id"),
           "Partition by id; InputError when there is none.")
      .def("getPartition", &Partitioning::get_partition, py::arg("id"),
           "get_partition, by the name of the field's host API.")
      .def(
          "get_sub_partition",
          [](const Partitioning& parts, std::int64_t partition, std::int64_t id) {
            return parts.get_partition(partition).get_sub_partition(id);
          },
          py::arg("partition"), py::arg("id"),
          "Sub-partition by the ids of its partition and compute unit; InputError when there is none.")
      .def(
          "getSubPartition",
          [](const Partitioning& parts, std::int64_t partition, std::int64_t id) {
            return parts.get_partition(partition).get_sub_partition(id);
          },
          py::arg("partition"), py::arg("id"), "get_sub_partition, by the name of the field's host API.")
      .def("__getitem__", [](const Partitioning& parts,
                             std::int64_t i) { return parts.get_partition(index_from_end(i, parts.size())); })
      .def("__iter__", &iterate)
      .def("__len__", &Partitioning::size)
      .def("__repr__", [](const Partitioning& parts) { return describe(parts); });

  module.def(
      "partition",
      [](const Graph& graph, std::uint32_t capacity, std::uint32_t compute_units, const std::string& partitioner,
         int num_threads, const py::object& progress) {
        return in_steps(num_threads, progress, [&](Workers& workers) {
          return std::const_pointer_cast<Partitioning>(
              graph.partition(View::kForward, {capacity, compute_units, partitioner}, abi::kNone, workers));
        });
      },
      py::arg("graph"), py::arg("capacity"), py::arg("compute_units"), py::arg("partitioner"), py::arg("num_threads"),
      py::arg("progress") = py::none());
  module.def("partitioners", [] {
    py::list names;
    for (const Partitioner& partitioner : partitioners()) names.append(partitioner.name);
    return names;
  });
  module.attr("CPU_CAPACITY") = kCpuCapacity;
}

}  // namespace bindings
}  // namespace gaspipe
