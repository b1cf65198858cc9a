// SPDX-License-Identifier: Apache-2.0
// Graphs that are spread over processes: gaspipe._core.DistributedEdges, over a communicator of Python's
// (python/gaspipe/distributed/communicator.py). It gets views of the core's memory, and gives buffers.
#include <cstring>
#include <limits>

#include "bindings.h"
#include "cpp/src/run/domains.h"
#include "gaspipe/communicator.h"
#include "gaspipe/distributed.h"
#include "gaspipe/generate.h"
#include "python_domain.h"

namespace gaspipe {
namespace bindings {
namespace {

// Calls come without the GIL. What Python raises passes through the core as py::error_already_set.
class PythonCommunicator : public Communicator {
 public:
  explicit PythonCommunicator(const py::object& object)
      : object_(kept(object)),
        rank_(object.attr("rank").cast<int>()),
        size_(object.attr("size").cast<int>()),
        received_(static_cast<std::size_t>(size_)) {}
  ~PythonCommunicator() override {
    const py::gil_scoped_acquire gil;
    buffers_.clear();
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void all_to_all(const std::uint8_t* send, std::uint8_t* receive, std::uint64_t num_bytes) override {
    const py::gil_scoped_acquire gil;
    const auto total = static_cast<py::ssize_t>(num_bytes * static_cast<std::uint64_t>(size_));
    object_->attr("all_to_all")(view_of(send, total), py::memoryview::from_memory(receive, total));
  }

  void begin_boxes(const std::vector<Box>& boxes, const std::vector<std::uint64_t>& num_expected) override {
    const py::gil_scoped_acquire gil;
    buffers_.clear();
    py::list views;
    for (const Box& box : boxes) views.append(view_of(box.data, static_cast<py::ssize_t>(box.num_bytes)));
    object_->attr("begin_boxes")(views, num_expected);
    num_expected_ = num_expected;
  }

  const std::vector<const std::uint8_t*>& end_boxes() override {
    const py::gil_scoped_acquire gil;
    const py::sequence boxes = object_->attr("end_boxes")();
    if (boxes.size() != received_.size()) {
      throw Error(message("end_boxes of the communicator gave ", boxes.size(), " boxes; there are ", size_, " ranks"));
    }
    buffers_.clear();
    for (std::size_t rank = 0; rank < received_.size(); ++rank) {
      received_[rank] = nullptr;
      if (num_expected_[rank] == 0 || rank == static_cast<std::size_t>(rank_)) continue;
      buffers_.push_back(py::buffer(boxes[rank]).request());
      const auto num_bytes = static_cast<std::uint64_t>(buffers_.back().size * buffers_.back().itemsize);
      if (num_bytes != num_expected_[rank]) {
        throw Error(message("end_boxes of the communicator gave ", num_bytes, " bytes of rank ", rank, "; ",
                            num_expected_[rank], " were expected"));
      }
      received_[rank] = static_cast<const std::uint8_t*>(buffers_.back().ptr);
    }
    return received_;
  }

  void fail(const std::string& why) noexcept override {
    const py::gil_scoped_acquire gil;
    try {
      object_->attr("fail")(why);
    } catch (...) {  // others find out by themselves
    }
  }

 private:
  static py::memoryview view_of(const std::uint8_t* data, py::ssize_t num_bytes) {
    static const std::uint8_t nothing = 0;
    return py::memoryview::from_memory(static_cast<const void*>(data == nullptr ? &nothing : data), num_bytes);
  }

  const std::shared_ptr<py::object> object_;
  const int rank_, size_;
  std::vector<std::uint64_t> num_expected_;
  std::vector<py::buffer_info> buffers_;
  std::vector<const std::uint8_t*> received_;
};

struct Spread {
  std::shared_ptr<PythonCommunicator> communicator;
  std::shared_ptr<DistributedEdges> edges;
};

Array<VertexId> take_ids(const char* name, const py::array& array, Workers& workers) {
  if (array.itemsize() == 4) return borrow<VertexId>(array);  // a negative int32 becomes an id that no graph has
  const auto wide = borrow<std::uint64_t>(array);             // likewise an int64
  const Writable<VertexId> ids(wide.size());
  const py::gil_scoped_release released;
  for (std::size_t i = 0; i < wide.size(); ++i) {
    if (wide[i] >= kMostVertices) {
      throw InputError(message(name, "[", i, "] is ", static_cast<std::int64_t>(wide[i]), "; vertex ids go from 0 to ",
                               kMostVertices - 1));
    }
    ids[i] = static_cast<VertexId>(wide[i]);
  }
  workers.check();
  return ids.freeze();
}

py::tuple run_rank(const ProgramOrName& which, const Spread& spread, const py::dict& arguments, RunOptions options,
                   std::shared_ptr<LoadedCard> card) {
  options.card = std::move(card);
  const abi::Program& program = program_of(which);
  const Arguments checked = read_arguments(program, arguments);
  options.source = spread.edges;
  options.communicator = spread.communicator.get();
  options.keep_properties = false;
  return result_to_python([&] {
    const py::gil_scoped_release released;
    Running running(program, spread.edges->skeleton(), checked, options);
    while (running.step()) continue;
    Result result = running.result();
    result.stats = joined_stats({result.stats});  // with the edges of every super-step
    return result;
  }());
}

void check(const ProgramOrName& which, const Spread& spread, const py::dict& arguments, const RunOptions& options) {
  const abi::Program& program = program_of(which);
  const Arguments checked = read_arguments(program, arguments);
  const py::gil_scoped_release released;
  check_run(program, spread.edges->skeleton(), checked, options);
}

py::tuple edges_to_python(const EdgeList& edges) {
  return py::make_tuple(to_numpy(edges.sources), to_numpy(edges.targets));
}

}  // namespace

void bind_distributed(py::module_& module) {
  py::class_<Spread>(module, "DistributedEdges")
      .def(py::init([](const py::object& communicator, const std::string& strategy,
                       const std::optional<py::array>& owners, const std::optional<std::uint64_t>& num_vertices,
                       bool simplify) {
             auto wrapped = std::make_shared<PythonCommunicator>(communicator);
             DistributedOptions options{strategy, num_vertices, simplify};
             if (owners) options.owners = copied(borrow<std::uint16_t>(*owners));
             auto edges = std::make_shared<DistributedEdges>(wrapped, std::move(options));
             return Spread{wrapped, edges};
           }),
           py::arg("communicator"), py::arg("strategy"), py::arg("owners"), py::arg("num_vertices"),
           py::arg("simplify"))
      .def(
          "add",
          [](const Spread& spread, const py::array& sources, const py::array& targets, const py::object& weights) {
            Workers workers(1, python_interrupted);
            spread.edges->add({0, take_ids("sources", sources, workers), take_ids("destinations", targets, workers),
                               weights_from_numpy(weights)});
          },
          py::arg("sources"), py::arg("targets"), py::arg("weights"))
      .def(
          "finish",
          [](const Spread& spread, int num_threads, const py::object& progress) {
            in_steps(num_threads, progress, [&](Workers& workers) {
              spread.edges->finish(workers);
              return 0;
            });
          },
          py::arg("num_threads"), py::arg("progress") = py::none())
      .def_property_readonly("skeleton", [](const Spread& spread) { return spread.edges->skeleton(); })
      .def_property_readonly("num_own", [](const Spread& spread) { return spread.edges->num_own(); })
      // The first own id where they are a range, else None.
      .def_property_readonly("first_id",
                             [](const Spread& spread) -> py::object {
                               const Ownership& ownership = spread.edges->ownership();
                               if (!ownership.is_contiguous()) return py::none();
                               return py::int_(ownership.first[static_cast<std::size_t>(spread.edges->rank())]);
                             })
      // All ranks together.
      .def(
          "domain",
          [](const Spread& spread, int num_threads) {
            return without_gil(num_threads, [&](Workers& workers) {
              const auto ownership = std::make_shared<const Ownership>(spread.edges->ownership());
              return PythonDomain{spread.edges->domain(View::kForward, abi::kNone, spread.edges->rank(), workers),
                                  ownership};
            });
          },
          py::arg("num_threads"))
      .def_property_readonly("own_ids", [](const Spread& spread) {
        const std::vector<VertexId> ids = spread.edges->own_ids();
        const Writable<VertexId> copy(ids.size());
        std::copy(ids.begin(), ids.end(), copy.data());
        return to_numpy(copy.freeze());
      });
  module.def("run_rank", &run_rank, py::arg("program"), py::arg("edges"), py::arg("arguments"), py::arg("options"),
             py::arg("card") = py::none());
  module.def("check_rank", &check, py::arg("program"), py::arg("edges"), py::arg("arguments"), py::arg("options"));
  // Edges first to last - 1 of those that `kronecker` and `uniform` draw.
  module.def(
      "kronecker_part",
      [](int scale, int edge_factor, std::uint64_t seed, std::uint64_t first, std::uint64_t last, int num_threads) {
        return edges_to_python(without_gil(num_threads, [&](Workers& workers) {
          return kronecker_edges(scale, edge_factor, seed, workers, {first, last});
        }));
      },
      py::arg("scale"), py::arg("edge_factor"), py::arg("seed"), py::arg("first"), py::arg("last"),
      py::arg("num_threads"));
  module.def(
      "uniform_part",
      [](std::uint64_t num_vertices, std::uint64_t num_edges, std::uint64_t seed, std::uint64_t first,
         std::uint64_t last, int num_threads) {
        return edges_to_python(without_gil(num_threads, [&](Workers& workers) {
          return uniform_edges(num_vertices, num_edges, seed, workers, {first, last});
        }));
      },
      py::arg("num_vertices"), py::arg("num_edges"), py::arg("seed"), py::arg("first"), py::arg("last"),
      py::arg("num_threads"));
  // What `kronecker` and `uniform` give the edges of symmetric graphs.
  module.def(
      "symmetric_weights",
      [](const py::array_t<VertexId>& sources, const py::array_t<VertexId>& targets, std::int32_t low,
         std::int32_t high, std::uint64_t seed, int num_threads) {
        const EdgeList edges{0, borrow<VertexId>(sources), borrow<VertexId>(targets), {}};
        return to_numpy(without_gil(
            num_threads, [&](Workers& workers) { return symmetric_random_weights(edges, low, high, seed, workers); }));
      },
      py::arg("sources"), py::arg("targets"), py::arg("low"), py::arg("high"), py::arg("seed"), py::arg("num_threads"));
}

}  // namespace bindings
}  // namespace gaspipe
