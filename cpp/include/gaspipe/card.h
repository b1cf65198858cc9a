// SPDX-License-Identifier: Apache-2.0
// A card as the core sees it: compute units, buffers in memory banks, runs. The core decides what lies where and what
// runs when (loaded_card.h); a driver carries it out. The one that drives real cards through XRT is a module of its
// own (backend/card/xrt, gaspipe._fpga), so that XRT is loaded only by a process that asks for a card.
//
// Errors are those of error.h: DeviceError for a card that fails, CapacityError for a bank that is full. Nothing here
// is safe for threads unless it says so.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gaspipe {

struct MemoryBank {
  int index = 0;     // in the xclbin's memory topology
  std::string name;  // "DDR[0]", "HBM[3]"
  std::uint64_t num_bytes = 0;
};

// Memory in one bank, and as much on the host. The two meet in to_card and from_card and nowhere else.
class CardBuffer {
 public:
  virtual ~CardBuffer() = default;
  virtual std::uint64_t num_bytes() const = 0;
  virtual void* data() = 0;  // the host's side, 64-byte aligned
  virtual void to_card(std::uint64_t offset, std::uint64_t num_bytes) = 0;
  virtual void from_card(std::uint64_t offset, std::uint64_t num_bytes) = 0;
};

// A compute unit with arguments, started any number of times. The next start is after the wait for the one before;
// several runs of one unit may be under way, they are done in the order of their starts.
class CardRun {
 public:
  virtual ~CardRun() = default;
  virtual void set(int argument, CardBuffer& buffer) = 0;  // DeviceError where it is in no bank of that argument
  virtual void set(int argument, std::uint32_t value) = 0;
  virtual void start() = 0;
  // True once it is done. Waits for `milliseconds` at most (0: looks only) where the driver can, else to the end.
  // DeviceError where the run failed: it is over then.
  virtual bool wait(std::uint32_t milliseconds) = 0;
};

class CardUnit {
 public:
  virtual ~CardUnit() = default;
  // The banks that an argument is connected to, ascending; the first is the driver's own choice (XRT's group_id).
  virtual const std::vector<MemoryBank>& banks(int argument) = 0;
  virtual std::unique_ptr<CardRun> make_run() = 0;
};

// What was asked of a driver so far; every field counts calls into the driver's library, or what they moved.
struct CardCounts {
  std::uint64_t allocations = 0, frees = 0;
  std::uint64_t runs = 0;  // made, not started
  std::uint64_t arguments = 0, starts = 0, waits = 0;
  std::uint64_t syncs_to_card = 0, syncs_from_card = 0;
  std::uint64_t bytes_to_card = 0, bytes_from_card = 0;
};
inline CardCounts operator+(const CardCounts& a, const CardCounts& b) {
  return {a.allocations + b.allocations,
          a.frees + b.frees,
          a.runs + b.runs,
          a.arguments + b.arguments,
          a.starts + b.starts,
          a.waits + b.waits,
          a.syncs_to_card + b.syncs_to_card,
          a.syncs_from_card + b.syncs_from_card,
          a.bytes_to_card + b.bytes_to_card,
          a.bytes_from_card + b.bytes_from_card};
}
inline CardCounts operator-(const CardCounts& a, const CardCounts& b) {
  return {a.allocations - b.allocations,
          a.frees - b.frees,
          a.runs - b.runs,
          a.arguments - b.arguments,
          a.starts - b.starts,
          a.waits - b.waits,
          a.syncs_to_card - b.syncs_to_card,
          a.syncs_from_card - b.syncs_from_card,
          a.bytes_to_card - b.bytes_to_card,
          a.bytes_from_card - b.bytes_from_card};
}

// A card with an xclbin on it.
class Card {
 public:
  virtual ~Card() = default;
  virtual std::unique_ptr<CardUnit> unit(const std::string& kernel, const std::string& instance) = 0;
  virtual std::unique_ptr<CardBuffer> allocate(const MemoryBank& bank, std::uint64_t num_bytes) = 0;
  virtual const CardCounts& counts() const = 0;
};

struct CardDescription {
  int index = 0;
  std::string name;     // of its shell, as "xilinx_u250_gen3x16_xdma_shell_4_1"; empty where it cannot be read
  std::string address;  // on the bus, as "0000:65:00.1"; empty where there is none
  std::string problem;  // why it cannot be used; empty where it can
};

// What drives cards; one per process, made by the module that holds it.
class CardDriver {
 public:
  virtual ~CardDriver() = default;
  virtual std::string library() const = 0;  // name and version of what it calls, "XRT 2.13.466"
  virtual std::vector<CardDescription> cards() = 0;
  // Programs the card; what was on it is gone. All else made from a card that was opened before must be gone too.
  virtual std::unique_ptr<Card> open(int index, const std::string& xclbin) = 0;
};

// A pointer to one, as Python passes it on. The number changes with any class above.
constexpr const char* kCardDriverCapsule = "gaspipe.CardDriver.1";

}  // namespace gaspipe
