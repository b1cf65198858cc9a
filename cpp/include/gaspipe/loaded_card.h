// SPDX-License-Identifier: Apache-2.0
// A card with a program's xclbin on it, and the graphs that stay there between calls.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "gaspipe/card.h"

namespace gaspipe {

// What an xclbin holds, as read by its finder (python/gaspipe/_card/xclbin.py).
struct CardDesign {
  std::string xclbin;             // path
  std::string algorithm, number;  // of the program
  std::string board;              // "u250"
  std::string config = "plain";   // of the pipelines of hls/kernel/pipelines.h, or the name of a kernel alone
  bool weighted = false;
  std::uint32_t pes = 8;       // of a unit
  std::uint32_t capacity = 0;  // vertices of a partition that the units have room for; of a kernel alone, of a PE
  std::string gather_scatter, apply;  // the kernels' names; a kernel alone is the first, and there is no other
  std::string dense;                  // of two kinds of pipelines, that for dense partitions
  std::size_t num_dense = 0;          // of the units, the first ones
  std::vector<std::string> units;     // instances of gather_scatter, by compute unit; of `dense` before them
  std::string apply_unit;             // instance of apply
  int clock_mhz = 0;                  // 0: unknown
};

// May be used from several threads, one after the other: the second one waits, and can be interrupted.
class LoadedCard {
 public:
  // `driver` must outlive this. DeviceError where the card or the xclbin cannot be had.
  LoadedCard(CardDriver& driver, int index, CardDesign design);
  ~LoadedCard();

  const CardDesign& design() const { return design_; }
  // Since it was loaded. Between the super-steps of a run also on the run's own thread.
  CardCounts counts(const std::function<bool()>& interrupted = {});
  // Frees what stays on the card.
  void forget_graphs(const std::function<bool()>& interrupted = {});

  // The right to use the card; waits for it. `interrupted` is asked about every 20 ms; Cancelled where it says so.
  // DeviceError on the thread that has it already: it would wait for itself.
  class Lease {
   public:
    explicit Lease(LoadedCard& card) : card_(&card) {}
    Lease(Lease&& other) noexcept : card_(other.card_) { other.card_ = nullptr; }
    Lease& operator=(Lease&&) = delete;
    ~Lease();

   private:
    LoadedCard* card_;
  };
  Lease lease(const std::function<bool()>& interrupted = {});

  // The host side's own (cpp/src/backend/card/device.h), for the holder of a lease.
  struct Parts;
  Parts& parts() { return *parts_; }

 private:
  bool is_leased_here();

  int index_;
  CardDesign design_;
  std::mutex guard_;
  std::condition_variable returned_;
  std::thread::id holder_;  // of the lease; a default id: none
  std::unique_ptr<Parts> parts_;
};

}  // namespace gaspipe
