// SPDX-License-Identifier: Apache-2.0
// Runs a chain of blocks in the emulator, for a library that Python compiles and calls (python/gaspipe/_chain). Plain C
// across the border: what went on is told as JSON.
#pragma once

#include <cstdint>
#include <exception>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include "hls/emulator/engine.h"
#include "hls/emulator/memory.h"

namespace gaspipe {
namespace chain {

struct Call {
  std::uint32_t num_arrays;
  void* const* arrays;  // by port; two ports of one array have the same
  const char* const* names;
  const std::uint64_t* num_bytes;
  const std::uint32_t* banks;
  const std::uint32_t* writes;
  const std::uint32_t* numbers;
  std::uint32_t num_banks;
  double bytes_per_cycle;
  std::uint32_t latency, burst_gap, switch_penalty;  // cycles
  std::uint32_t shallow;
  bool (*stopped)(void*);
  void (*tell)(const char* text);  // statistics, or what went wrong
};

enum Outcome : int { kRan = 0, kBadDesign, kStopped, kFailed, kNoMemory };

namespace detail {

inline std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + "\"";
}

inline std::string statistics(const Call& call, const emulator::RunStats& stats, const emulator::MemoryMap& memory,
                              const std::vector<std::string>& names, std::uint64_t cycles) {
  std::ostringstream out;
  out.exceptions(std::ios::badbit);  // it would end where memory does, without a word
  out << "{\"cycles\":" << cycles << ",\"streams\":[";
  const char* comma = "";
  for (const emulator::StreamStats& s : stats.streams) {
    out << comma << "[" << quoted(s.name) << "," << s.depth << "," << s.most << "," << s.num_tokens << ","
        << s.reader_waited << "," << s.writer_waited << "]";
    comma = ",";
  }
  out << "],\"tasks\":[";
  comma = "";
  for (const emulator::TaskStats& t : stats.tasks) {
    out << comma << "[" << quoted(t.call) << "," << t.finish << "," << t.waited_in << "," << t.waited_out << ","
        << t.waited_memory << "]";
    comma = ",";
  }
  out << "],\"arrays\":[";
  comma = "";
  for (std::uint32_t i = 0; i < call.num_arrays; ++i) {
    const emulator::MemoryMap::Use use = call.num_bytes[i] == 0 ? emulator::MemoryMap::Use() : memory.use(names[i]);
    out << comma << "[" << use.bytes_read << "," << use.bytes_written << "]";
    comma = ",";
  }
  out << "],\"banks\":[";
  comma = "";
  for (const emulator::Channel& channel : memory.channels()) {
    out << comma << "[" << channel.num_bytes() << "," << channel.busy_cycles() << "]";
    comma = ",";
  }
  out << "]}";
  return out.str();
}

}  // namespace detail

// `kernel(call)` calls the chain's kernel.
template <class Kernel>
int run(const Call& call, const Kernel& kernel) {
  using namespace emulator;
  Options& options = Engine::current_options();
  const Options before = options;
  RunStats stats;
  struct Restore {
    Options& options;
    const Options& before;
    ~Restore() {
      options = before;
      MemoryMap::current() = nullptr;
      Engine::statistics() = nullptr;
    }
  } restore{options, before};
  try {
    ChannelConfig config;
    config.bytes_per_cycle = call.bytes_per_cycle;
    config.latency = call.latency;
    config.burst_gap = call.burst_gap;
    config.switch_penalty = call.switch_penalty;
    MemoryMap memory(std::vector<Channel>(call.num_banks, Channel(config)));
    // An array has the name that its first port gives it.
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < call.num_arrays; ++i) {
      names.push_back(call.names[i]);
      for (std::uint32_t j = 0; j < i; ++j) {
        if (call.arrays[j] == call.arrays[i]) names.back() = names[j];
      }
      if (call.num_bytes[i] > 0) {
        memory.add(names.back(), call.arrays[i], call.num_bytes[i], call.banks[i], call.writes[i] != 0);
      }
    }
    options = Options();
    options.shallow = call.shallow != 0;
    options.stopped = call.stopped;
    MemoryMap::current() = &memory;
    Engine::statistics() = &stats;
    kernel(call);
    call.tell(detail::statistics(call, stats, memory, names, Engine::last_cycles()).c_str());
    return kRan;
  } catch (const DesignError& error) {
    call.tell(error.what());
    return kBadDesign;
  } catch (const Stopped&) {
    return kStopped;
  } catch (const std::bad_alloc&) {
    return kNoMemory;
  } catch (const std::exception& error) {
    call.tell(error.what());
    return kFailed;
  }
}

}  // namespace chain
}  // namespace gaspipe
