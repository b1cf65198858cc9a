// SPDX-License-Identifier: Apache-2.0
// Runs a whole kernel's Verilog and the kernel's region in the emulator on the same launch, and compares what they
// wrote and their cycles. A launch is a folder: scalars.txt, and a file of words per port.
#pragma once

#include <verilated.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "hls/emulator/memory.h"
#include "hls/word.h"

namespace gaspipe {
namespace rtl {

using Line = Word<std::uint32_t>;  // a word of memory, whatever its lanes are
using emulator::MemoryMap;

// A bank of DDR4-2400 at 250 MHz, and what it loses between bursts and ports.
inline emulator::Channel bank() {
  emulator::ChannelConfig config;
  config.bytes_per_cycle = 69.12;
  config.latency = 58;
  config.burst_gap = 2;
  config.switch_penalty = 4;
  return emulator::Channel(config);
}

struct Buffer {
  std::size_t bank;
  bool writable;
  std::vector<Line> emulated, simulated;
};

// The arguments of a kernel.
class Launch {
 public:
  explicit Launch(std::string folder) : folder_(std::move(folder)) {
    std::ifstream file(folder_ + "/scalars.txt");
    std::string name;
    std::uint32_t value;
    while (file >> name >> value) scalars_[name] = value;
  }
  std::uint32_t scalar(const std::string& name) const { return scalars_.at(name); }
  void add(const std::string& name, std::size_t bank, bool writable) {
    std::ifstream file(folder_ + "/" + name, std::ios::binary);
    const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (!file || bytes.empty() || bytes.size() % sizeof(Line) != 0) throw std::runtime_error("no words in " + name);
    std::vector<Line> lines(bytes.size() / sizeof(Line));
    std::memcpy(static_cast<void*>(lines.data()), bytes.data(), bytes.size());
    buffers_[name] = {bank, writable, lines, lines};
    num_banks_ = std::max(num_banks_, bank + 1);
  }
  template <class Pointed>
  Pointed* emulated(const std::string& name) {
    return reinterpret_cast<Pointed*>(buffers_.at(name).emulated.data());
  }
  Buffer& buffer(const std::string& name) { return buffers_.at(name); }
  // The memory that ports see: the emulator's copy, or the circuit's.
  MemoryMap memory(bool emulated) {
    MemoryMap map(std::vector<emulator::Channel>(num_banks_, bank()));
    for (auto& [name, b] : buffers_) {
      const auto& lines = emulated ? b.emulated : b.simulated;
      map.add(name, lines.data(), lines.size() * sizeof(Line), b.bank, b.writable);
    }
    return map;
  }
  // The number of words that differ. Writes what the circuit wrote to files, which are compared with a plain loop's.
  long differences() const {
    long n = 0;
    for (const auto& [name, b] : buffers_) {
      for (std::size_t i = 0; i < b.emulated.size(); ++i) {
        n += std::memcmp(&b.emulated[i], &b.simulated[i], sizeof(Line)) != 0;
      }
      if (!b.writable) continue;
      std::ofstream file(folder_ + "/" + name + ".out", std::ios::binary);
      file.write(reinterpret_cast<const char*>(b.simulated.data()), std::streamsize(b.simulated.size() * sizeof(Line)));
    }
    return n;
  }

 private:
  std::string folder_;
  std::map<std::string, std::uint32_t> scalars_;
  std::map<std::string, Buffer> buffers_;
  std::size_t num_banks_ = 0;
};

// A port as the circuit has it, and what emulator::Port does, a cycle at a time.
class Bus {
 public:
  // Of one kind the ports of the other are null.
  struct Pins {
    const CData *ask, *busy, *writes_now;
    const IData *at, *last;
    const QData *read_address, *write_address, *mask;
    CData* ready;
    std::function<void(const Line&)> put;
    std::function<void(Line&)> get;
  };

  Bus(MemoryMap& map, Buffer& buffer, Pins pins)
      : channel_(map.channel(buffer.bank)), lines_(buffer.simulated), pins_(std::move(pins)) {
    bytes_per_cycle_ = std::min<double>(channel_.config().bytes_per_cycle, sizeof(Line));
  }
  // Before the cycle `now` happens.
  void offer(std::uint64_t now) {
    *pins_.ready = 0;
    if (!*pins_.ask) return;
    if (!is_asked_) come_to(*pins_.at, *pins_.last, now);
    if (now >= wait_ && !is_served_) serve(now);
    if (now < wait_) return;
    *pins_.ready = 1;
    if (!writes()) pins_.put(lines_.at(*pins_.read_address));
  }
  // Once it is settled what happens in it.
  void happen() {
    if (writes() && *pins_.writes_now) {
      Line line;
      pins_.get(line);
      for (std::size_t i = 0; i < sizeof(Line); ++i) {
        if (*pins_.mask >> i & 1) {
          reinterpret_cast<unsigned char*>(&lines_.at(*pins_.write_address))[i] =
              reinterpret_cast<const unsigned char*>(&line)[i];
        }
      }
    }
    if (*pins_.ask && *pins_.ready && *pins_.busy) is_asked_ = false;
  }

 private:
  using Port = emulator::ReadPort<Line>;
  static constexpr std::uint64_t kUnderWay = Port::kBurstsUnderWay;
  struct Burst {
    std::uint64_t first, last;
    double first_byte;
  };

  bool writes() const { return pins_.get != nullptr; }
  void come_to(std::uint64_t at, std::uint64_t last, std::uint64_t now) {
    if (at != next_ || last != last_ || at >= last) {
      if (at >= last || last > lines_.size()) throw std::runtime_error("a port leaves its buffer");
      asked_ = at;
      last_ = last;
      num_asked_ = num_done_ = 0;
    }
    next_ = at + 1;
    is_asked_ = true;
    is_served_ = false;
    wait_ = writes() && at == asked_ ? MemoryMap::up(done_[num_asked_ % kUnderWay]) : now;
  }
  void serve(std::uint64_t now) {
    is_served_ = true;
    if (writes()) {
      if (next_ != end_of_burst()) return;
      ask(now);
      if (next_ == last_) wait_ = MemoryMap::up(done_[(num_asked_ - 1) % kUnderWay]);
      return;
    }
    while (asked_ < last_ && num_asked_ - num_done_ < kUnderWay) ask(now);
    const Burst& burst = bursts_[num_done_ % kUnderWay];
    wait_ = MemoryMap::up(burst.first_byte + double((next_ - burst.first) * sizeof(Line)) / bytes_per_cycle_);
    if (next_ == burst.last) ++num_done_;
  }
  std::uint64_t end_of_burst() const { return std::min(last_, (asked_ / Port::kBurstWords + 1) * Port::kBurstWords); }
  void ask(std::uint64_t now) {
    const std::uint64_t end = end_of_burst();
    const double num_bytes = double((end - asked_) * sizeof(Line));
    const double first_byte = channel_.serve(double(now), num_bytes, lines_.data());
    bursts_[num_asked_ % kUnderWay] = {asked_, end, first_byte};
    done_[num_asked_ % kUnderWay] = first_byte + num_bytes / channel_.config().bytes_per_cycle;
    ++num_asked_;
    asked_ = end;
  }

  emulator::Channel& channel_;
  std::vector<Line>& lines_;
  Pins pins_;
  double bytes_per_cycle_ = 64;
  bool is_asked_ = false, is_served_ = false;  // the word at hand; what it needs was asked for
  std::uint64_t wait_ = 0;                     // the cycle before which it cannot be there
  std::uint64_t next_ = ~std::uint64_t(0), last_ = 0, asked_ = 0, num_asked_ = 0, num_done_ = 0;
  Burst bursts_[kUnderWay];
  double done_[kUnderWay] = {};
};

template <class Data>
Bus::Pins read_pins(const CData& ask, const CData& busy, const IData& at, const IData& last, Data& data,
                    const QData& address, CData& valid) {
  const auto put = [&data](const Line& line) { std::memcpy(static_cast<void*>(&data), &line, sizeof line); };
  return {&ask, &busy, nullptr, &at, &last, &address, nullptr, nullptr, &valid, put, nullptr};
}
template <class Data>
Bus::Pins write_pins(const CData& ask, const CData& busy, const IData& at, const IData& last, Data& data,
                     const QData& address, const QData& mask, const CData& write, CData& ready) {
  const auto get = [&data](Line& line) { std::memcpy(static_cast<void*>(&line), &data, sizeof line); };
  return {&ask, &busy, &write, &at, &last, nullptr, &address, &mask, &ready, nullptr, get};
}

// Cycles until all tasks have ended; -1 if that is not by `limit`, or if tokens are left. `ends`: of each task its
// last.
template <class Dut>
long simulate(Dut& dut, std::vector<Bus>& buses, const std::vector<const CData*>& done, std::vector<long>& ends,
              long limit) {
  const auto edge = [&dut] {
    dut.clk = 0;
    dut.eval();
    dut.clk = 1;
    dut.eval();
  };
  dut.rst = 1;
  edge();
  edge();
  dut.rst = 0;
  ends.assign(done.size(), 0);
  long cycles = 0;
  while (!dut.done) {
    if (++cycles > limit) return std::printf("  no end after %ld cycles\n", limit), -1;
    for (std::size_t i = 0; i < done.size(); ++i) {
      if (!*done[i]) ends[i] = cycles;
    }
    for (Bus& bus : buses) bus.offer(std::uint64_t(cycles));
    dut.clk = 0;
    dut.eval();
    for (Bus& bus : buses) bus.happen();
    dut.clk = 1;
    dut.eval();
  }
  if (!dut.empty) return std::printf("  tokens were left\n"), -1;
  return cycles;
}

// The region in the emulator; `stats`: of its tasks.
template <class Region>
long emulate(Launch& launch, const Region& region, emulator::RunStats& stats) {
  MemoryMap memory = launch.memory(true);
  MemoryMap::current() = &memory;
  emulator::Engine::statistics() = &stats;
  region();
  emulator::Engine::statistics() = nullptr;
  MemoryMap::current() = nullptr;
  return long(emulator::Engine::last_cycles());
}

inline void report(const Launch& launch, long cycles, long emulated, const std::vector<long>& ends,
                   const emulator::RunStats& stats) {
  std::printf("{\"bad\": %ld, \"rtl\": %ld, \"emulator\": %ld, \"tasks\": [", launch.differences() + (cycles < 0),
              cycles, emulated);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    std::printf("%s[\"%s\", %ld, %llu]", i == 0 ? "" : ", ", stats.tasks.at(i).call.c_str(), ends[i],
                static_cast<unsigned long long>(stats.tasks.at(i).finish));
  }
  std::printf("]}\n");
}

}  // namespace rtl
}  // namespace gaspipe
