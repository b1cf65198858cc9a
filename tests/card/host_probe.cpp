// SPDX-License-Identifier: Apache-2.0
// An ordinary program that uses a card through XRT's native API: one super-step on all compute units of an xclbin, or a
// mistake that such a program can make. Nothing in it knows that the card is emulated.
//
//   host_probe XCLBIN FOLDER NUM_VERTICES CASE
//
// FOLDER holds raw arrays of uint32, filled up to whole words: sources_<unit>, destinations_<unit>, properties. Results
// are put beside them: updated_<unit>, sums.
#include <signal.h>
#include <unistd.h>
#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>
#include <xrt/xrt_kernel.h>

#include <cstdint>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "experimental/xrt_xclbin.h"

namespace {

using Bytes = std::vector<char>;

constexpr int kWord = 64, kArgWords = 8;

// Arguments by number; the apply kernel's follow the number of units.
enum GatherScatterArgument { kSources, kDestinations, kProperties, kGathered, kNumWords, kFirst, kLast };

struct Job {
  std::string folder;
  std::uint32_t num_vertices;

  Bytes read(const std::string& name) const {
    std::ifstream file(folder + "/" + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(const std::string& name, const Bytes& bytes) const {
    std::ofstream(folder + "/" + name, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  std::size_t bytes_of_words() const { return (std::size_t(num_vertices) * 4 + kWord - 1) / kWord * kWord; }
};

// The kernels of an xclbin, by their names' first letters.
struct Kernels {
  std::vector<xrt::kernel> units;
  xrt::kernel apply;

  Kernels(const xrt::device& device, const xrt::uuid& id, const xrt::xclbin& xclbin) {
    for (const auto& kernel : xclbin.get_kernels()) {
      const std::string name = kernel.get_name();
      for (const auto& unit : kernel.get_cus()) {
        const std::string instance = unit.get_name().substr(name.size() + 1);
        const xrt::kernel opened(device, id, name + ":{" + instance + "}");
        if (instance == "apply_1") {
          apply = opened;
        } else {
          units.push_back(opened);
        }
      }
    }
  }
};

xrt::bo upload(const xrt::device& device, const Bytes& bytes, int bank) {
  xrt::bo buffer(device, bytes.size(), static_cast<xrt::memory_group>(bank));
  buffer.write(bytes.data());
  buffer.sync(XCL_BO_SYNC_BO_TO_DEVICE);
  return buffer;
}

Bytes download(xrt::bo& buffer) {
  buffer.sync(XCL_BO_SYNC_BO_FROM_DEVICE);
  Bytes bytes(buffer.size());
  buffer.read(bytes.data());
  return bytes;
}

// A unit's buffers, and its run with all arguments set.
struct Share {
  xrt::bo sources, destinations, properties, gathered;
  xrt::run run;

  Share(const xrt::device& device, const xrt::kernel& kernel, const Job& job, std::size_t unit) {
    const Bytes edges = job.read("sources_" + std::to_string(unit));
    sources = upload(device, edges, kernel.group_id(kSources));
    destinations = upload(device, job.read("destinations_" + std::to_string(unit)), kernel.group_id(kDestinations));
    properties = upload(device, job.read("properties"), kernel.group_id(kProperties));
    gathered = xrt::bo(device, job.bytes_of_words(), kernel.group_id(kGathered));
    run = xrt::run(kernel);
    run.set_arg(kSources, sources);
    run.set_arg(kDestinations, destinations);
    run.set_arg(kProperties, properties);
    run.set_arg(kGathered, gathered);
    run.set_arg(kNumWords, static_cast<std::uint32_t>(edges.size() / kWord));
    run.set_arg(kFirst, 0u);
    run.set_arg(kLast, job.num_vertices);
  }
};

void finish(xrt::run& run) {
  run.start();
  run.wait();
}

void superstep(const xrt::device& device, const Kernels& kernels, const Job& job) {
  std::vector<Share> shares;
  const std::size_t num = kernels.units.size();
  for (std::size_t unit = 0; unit < num; ++unit) shares.emplace_back(device, kernels.units[unit], job, unit);
  for (Share& share : shares) share.run.start();
  for (Share& share : shares) share.run.wait();

  xrt::run apply(kernels.apply);
  int at = 0;
  for (const Share& share : shares) apply.set_arg(at++, share.gathered);
  apply.set_arg(at++, shares[0].properties);
  std::vector<xrt::bo> updated;
  for (std::size_t unit = 0; unit < num; ++unit, ++at) {
    updated.emplace_back(device, job.bytes_of_words(), kernels.apply.group_id(at));
    apply.set_arg(at, updated.back());
  }
  xrt::bo sums(device, 2 * kWord, kernels.apply.group_id(at));  // and the word of activity
  apply.set_arg(at++, sums);
  apply.set_arg(at++, 0u);
  apply.set_arg(at++, job.num_vertices);
  for (int i = 0; i < kArgWords; ++i) apply.set_arg(at++, 0u);
  finish(apply);
  for (std::size_t unit = 0; unit < num; ++unit) job.write("updated_" + std::to_string(unit), download(updated[unit]));
  job.write("sums", download(sums));
}

void make_mistake(const std::string& which, const xrt::device& device, const xrt::kernel& kernel, const Job& job) {
  Share share(device, kernel, job, 0);
  if (which == "forgets a sync") {
    const xrt::bo again(device, share.sources.size(), kernel.group_id(kSources));
    share.run.set_arg(kSources, again);
    finish(share.run);
  } else if (which == "syncs too little") {
    xrt::bo again(device, share.destinations.size(), kernel.group_id(kDestinations));
    again.write(job.read("destinations_0").data());
    again.sync(XCL_BO_SYNC_BO_TO_DEVICE, again.size() - 4, 0);
    share.run.set_arg(kDestinations, again);
    finish(share.run);
  } else if (which == "frees too early") {
    const std::uint64_t address = xrt::bo(device, share.sources.size(), kernel.group_id(kSources)).address();
    share.run.set_arg(kSources, address);
    finish(share.run);
  } else if (which == "frees in flight") {
    const Bytes bytes = job.read("properties");
    auto* properties = new xrt::bo(upload(device, bytes, kernel.group_id(kProperties)));
    share.run.set_arg(kProperties, properties->address());  // so that the run does not hold it
    share.run.start();
    while (share.run.state() < ERT_CMD_STATE_RUNNING) usleep(100);
    delete properties;
    share.run.wait();
  } else if (which == "sets no argument") {
    xrt::run empty(kernel);
    finish(empty);
  } else if (which == "takes the wrong bank") {
    const xrt::bo elsewhere = upload(device, job.read("sources_0"), kernel.group_id(kSources) + 1);
    share.run.set_arg(kSources, elsewhere.address());
    finish(share.run);
  } else if (which == "makes an input too small") {
    Bytes bytes = job.read("properties");
    bytes.resize(4096);
    const xrt::bo small = upload(device, bytes, kernel.group_id(kProperties));
    share.run.set_arg(kProperties, small);
    finish(share.run);
  } else if (which == "makes an output too small") {
    const xrt::bo small(device, 4096, kernel.group_id(kGathered));
    share.run.set_arg(kGathered, small);
    finish(share.run);
  } else if (which == "reads what nobody wrote") {
    xrt::bo fresh(device, 5000, kernel.group_id(kGathered));
    std::cout << std::hex;
    for (const char byte : download(fresh)) std::cout << (byte & 0xff);
    std::cout << std::endl;
    return;
  } else if (which == "leaves in flight") {
    share.run.start();
    std::cout << "running" << std::endl;
    pause();
  } else {
    throw std::invalid_argument("there is no case " + which);
  }
  std::cout << "got away with it" << std::endl;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  try {
    const Job job = {argv[2], static_cast<std::uint32_t>(std::stoul(argv[3]))};
    const std::string which = argv[4];
    if (which == "ignores Ctrl-C") signal(SIGINT, SIG_IGN);
    xrt::device device(0);
    const xrt::xclbin xclbin{std::string(argv[1])};
    const Kernels kernels(device, device.load_xclbin(xclbin), xclbin);
    if (which == "leaves a child" && fork() == 0) {
      pause();
      _exit(0);
    }
    if (which == "ignores Ctrl-C" || which == "stays" || which == "leaves a child") {
      std::cout << "ready" << std::endl;
      std::cin.get();
      superstep(device, kernels, job);
    } else if (which == "superstep") {
      superstep(device, kernels, job);
    } else if (which == "uses a second card") {
      xrt::device other(1);
      superstep(other, Kernels(other, other.load_xclbin(xclbin), xclbin), job);
    } else {
      make_mistake(which, device, kernels.units[0], job);
    }
    std::cout << "done" << std::endl;
  } catch (const std::exception& error) {
    std::cerr << error.what() << std::endl;
    return 1;
  }
}
