// SPDX-License-Identifier: Apache-2.0
// gaspipe._core.EdgeSorter, ViewWriter, ListWriter, BlockRows: edges in any order in, a view of a `.gaspipe` file or
// its lists by owner out, and back.
#include <pybind11/native_enum.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "bindings.h"
#include "gaspipe/block_rows.h"
#include "gaspipe/edge_sorter.h"
#include "gaspipe/error.h"
#include "gaspipe/local_store/list_writer.h"
#include "gaspipe/view_writer.h"

namespace gaspipe {
namespace bindings {
namespace {

const char* weight_name(WeightType type) {
  static constexpr const char* kNames[] = {"", "<i4", "<i8", "<f4", "<f8"};
  return kNames[static_cast<int>(type)];
}

// The sorter and the threads it works on.
class Sorter {
 public:
  Sorter(std::string folder, std::uint64_t memory, int num_threads, EdgeOrder order)
      : workers_(num_threads, python_interrupted), sorter_(std::move(folder), memory, workers_, order) {}

  void add(const py::array& sources, const py::array& targets, const py::object& weights, EdgeDirection direction) {
    const auto from = borrow<VertexId>(sources), to = borrow<VertexId>(targets);
    const Weights values = weights_from_numpy(weights);
    const std::uint64_t num_weights = std::visit(
        [&](const auto& array) -> std::uint64_t {
          if constexpr (std::is_same_v<std::decay_t<decltype(array)>, std::monostate>) {
            return from.size();
          } else {
            return array.size();
          }
        },
        values);
    if (to.size() != from.size() || num_weights != from.size()) {
      throw InputError(message("found ", from.size(), " sources, ", to.size(), " destinations and ", num_weights,
                               " weights; they must be equal"));
    }
    const py::gil_scoped_release released;
    sorter_.add(from.size(), from.data(), to.data(), values, direction);
  }

  void sort(std::uint64_t memory) {
    const py::gil_scoped_release released;
    sorter_.sort(memory);
  }

  py::object weight_type() const {
    const WeightType type = sorter_.weight_type();
    return type == WeightType::kNone ? py::object(py::none()) : py::str(weight_name(type));
  }

  Workers& workers() { return workers_; }
  EdgeSorter& sorter() { return sorter_; }

 private:
  Workers workers_;
  EdgeSorter sorter_;
};

class Writer {
 public:
  Writer(Sorter& sorter, int descriptor, std::uint64_t start, std::string path, bool drops_repeated,
         bool counts_degrees, std::uint64_t num_vertices)
      : sorter_(sorter),
        descriptor_(descriptor),
        path_(std::move(path)),
        writer_(sorter.sorter(), descriptor, start, path_, {drops_repeated, counts_degrees, num_vertices}) {
    if (num_vertices < sorter.sorter().num_vertices()) {
      throw InputError(
          message("found vertex id ", sorter.sorter().num_vertices() - 1, " among ", num_vertices, " vertices"));
    }
  }

  std::uint64_t write(std::uint64_t most_edges) {
    const py::gil_scoped_release released;
    sorter_.workers().check();
    return writer_.write(most_edges);
  }

  // (checksum, bytes of the blocks, index as bytes)
  py::tuple finish() {
    const std::uint32_t checksum = [&] {
      const py::gil_scoped_release released;
      return writer_.finish();
    }();
    const auto& index = writer_.index();
    return py::make_tuple(checksum, writer_.num_bytes(),
                          py::bytes(reinterpret_cast<const char*>(index.data()), index.size() * sizeof(BlockEntry)));
  }

  // (checksum, bytes of an offset)
  py::tuple write_offsets(std::uint64_t start) {
    const std::uint32_t checksum = [&] {
      const py::gil_scoped_release released;
      return writer_.write_offsets(descriptor_, start, path_);
    }();
    return py::make_tuple(checksum, writer_.has_wide_offsets() ? 8 : 4);
  }

  py::dict facts() const {
    const EdgeFacts facts = writer_.facts();
    py::dict said;
    said["symmetric"] = facts.is_symmetric;
    said["simple"] = facts.is_simple;
    said["negative_or_nan"] = facts.negative_or_nan;
    said["largest_weight"] = facts.largest_weight;
    return said;
  }

  std::uint64_t num_edges() const { return writer_.num_edges(); }
  const ViewWriter& writer() const { return writer_; }

 private:
  Sorter& sorter_;
  const int descriptor_;
  const std::string path_;
  ViewWriter writer_;
};

// Of lists by owner.
class Lists {
 public:
  Lists(Sorter& sorter, const Writer& forward, int num_workers, int descriptor, std::uint64_t start,
        const std::string& path, const std::string& folder)
      : sorter_(sorter), writer_(sorter.sorter(), forward.writer(), num_workers, descriptor, start, path, folder) {}

  std::uint64_t write(std::uint64_t most_edges) {
    const py::gil_scoped_release released;
    sorter_.workers().check();
    return writer_.write(most_edges);
  }

  // (checksum, bytes of the section, checksums of pages, bits of targets)
  py::tuple finish() {
    const std::uint32_t checksum = [&] {
      const py::gil_scoped_release released;
      return writer_.finish();
    }();
    const auto& checks = writer_.checks();
    const auto& targets = writer_.targets();
    return py::make_tuple(checksum, writer_.num_bytes(),
                          py::array_t<std::uint32_t>(static_cast<py::ssize_t>(checks.size()), checks.data()),
                          py::array_t<std::uint8_t>(static_cast<py::ssize_t>(targets.size()), targets.data()));
  }

  int code_bits() const { return writer_.code_bits(); }

 private:
  Sorter& sorter_;
  local_store::ListWriter writer_;
};

WeightType weight_type_of(const std::string& name) {
  for (const auto type :
       {WeightType::kNone, WeightType::kInt32, WeightType::kInt64, WeightType::kFloat32, WeightType::kFloat64}) {
    if (name == weight_name(type)) return type;
  }
  throw InputError(message("weights of type ", name));
}

// A block as Python has it: its entry in the index, and its bytes with room to read ahead.
class Block {
 public:
  Block(const py::array& entry, const py::array& bytes) : bytes_(borrow<std::uint8_t>(bytes)) {
    if (entry.nbytes() != sizeof(BlockEntry)) throw InputError("an entry of the index has 10 words");
    std::memcpy(&entry_, entry.data(), sizeof(BlockEntry));
    if (bytes_.size() < std::uint64_t(entry_.bytes) + BlockReader::kReadAhead) {
      throw InputError("a block needs room to read ahead");
    }
  }
  const BlockEntry& entry() const { return entry_; }
  const std::uint8_t* bytes() const { return bytes_.data(); }

 private:
  BlockEntry entry_;
  Array<std::uint8_t> bytes_;
};

// (sources, destinations, weights or None)
py::tuple edges_of_block(const py::array& entry, const py::array& bytes, const std::string& type, bool verify) {
  const Block block(entry, bytes);
  const BlockEdges edges = [&] {
    const py::gil_scoped_release released;
    if (verify) check_block(block.entry(), block.bytes());
    return read_block(block.entry(), block.bytes(), weight_type_of(type));
  }();
  const auto ids = [](const std::vector<VertexId>& values) {
    return py::array_t<VertexId>(static_cast<py::ssize_t>(values.size()), values.data());
  };
  return py::make_tuple(ids(edges.sources), ids(edges.destinations), weights_to_numpy(edges.weights));
}

class Rows {
 public:
  Rows(const py::array& offsets, const std::string& type)
      : rows_(
            offsets.itemsize() == 4 ? Offsets(borrow<std::uint32_t>(offsets)) : Offsets(borrow<std::uint64_t>(offsets)),
            weight_type_of(type)) {}

  void add(const py::array& entry, const py::array& bytes, bool verify) {
    const Block block(entry, bytes);
    const py::gil_scoped_release released;
    if (verify) check_block(block.entry(), block.bytes());
    rows_.add(block.entry(), block.bytes());
  }

  // (targets, weights or None)
  py::tuple finish() const { return py::make_tuple(to_numpy(rows_.targets()), weights_to_numpy(rows_.weights())); }

 private:
  BlockRows rows_;
};

}  // namespace

void bind_convert(py::module_& module) {
  py::native_enum<EdgeDirection>(module, "EdgeDirection", "enum.Enum")
      .value("FORWARD", EdgeDirection::kForward)
      .value("REVERSE", EdgeDirection::kReverse)
      .value("BOTH", EdgeDirection::kBoth)
      .finalize();
  py::native_enum<EdgeOrder>(module, "EdgeOrder", "enum.Enum")
      .value("BLOCKS", EdgeOrder::kBlocks)
      .value("ROWS", EdgeOrder::kRows)
      .finalize();
  py::class_<Sorter>(module, "EdgeSorter")
      .def(py::init<std::string, std::uint64_t, int, EdgeOrder>(), py::arg("folder"), py::arg("memory"),
           py::arg("num_threads"), py::arg("order") = EdgeOrder::kBlocks)
      .def("add", &Sorter::add, py::arg("sources"), py::arg("targets"), py::arg("weights"), py::arg("direction"))
      .def("sort", &Sorter::sort, py::arg("memory"))
      .def("clear", [](Sorter& sorter) { sorter.sorter().clear(); })
      .def_property_readonly("num_edges", [](Sorter& sorter) { return sorter.sorter().num_edges(); })
      .def_property_readonly("num_vertices", [](Sorter& sorter) { return sorter.sorter().num_vertices(); })
      .def_property_readonly("num_spilled", [](Sorter& sorter) { return sorter.sorter().num_spilled(); })
      .def_property_readonly("weight_type", &Sorter::weight_type);
  py::class_<Writer>(module, "ViewWriter")
      .def(py::init<Sorter&, int, std::uint64_t, std::string, bool, bool, std::uint64_t>(), py::keep_alive<1, 2>(),
           py::arg("sorter"), py::arg("descriptor"), py::arg("start"), py::arg("path"), py::kw_only(),
           py::arg("drops_repeated"), py::arg("counts_degrees"), py::arg("num_vertices"))
      .def("write", &Writer::write, py::arg("most_edges"))
      .def("finish", &Writer::finish)
      .def("write_offsets", &Writer::write_offsets, py::arg("start"))
      .def_property_readonly("facts", &Writer::facts)
      .def_property_readonly("num_edges", &Writer::num_edges);
  py::class_<Lists>(module, "ListWriter")
      .def(py::init<Sorter&, const Writer&, int, int, std::uint64_t, const std::string&, const std::string&>(),
           py::keep_alive<1, 2>(), py::keep_alive<1, 3>(), py::arg("sorter"), py::arg("forward"),
           py::arg("num_workers"), py::arg("descriptor"), py::arg("start"), py::arg("path"), py::arg("folder"))
      .def("write", &Lists::write, py::arg("most_edges"))
      .def("finish", &Lists::finish)
      .def_property_readonly("code_bits", &Lists::code_bits);
  module.def("list_writer_memory", &local_store::ListWriter::most_memory, py::arg("num_vertices"), py::arg("num_edges"),
             py::arg("num_workers"));
  module.attr("LISTS_VERSION") = local_store::kListsVersion;
  module.attr("MOST_WORKERS") = local_store::kMostWorkers;
  py::class_<Rows>(module, "BlockRows")
      .def(py::init<const py::array&, const std::string&>(), py::arg("offsets"), py::arg("weight_type"))
      .def("add", &Rows::add, py::arg("entry"), py::arg("block"), py::arg("verify"))
      .def("finish", &Rows::finish);
  module.def("edges_of_block", &edges_of_block, py::arg("entry"), py::arg("block"), py::arg("weight_type"),
             py::arg("verify"));
  module.attr("BLOCK_READ_AHEAD") = BlockReader::kReadAhead;
  module.def("view_writer_memory", &ViewWriter::most_memory, py::arg("weight_bytes"));
  module.attr("LEAST_SORTING_MEMORY") = EdgeSorter::kLeastMemory;
}

}  // namespace bindings
}  // namespace gaspipe
