// SPDX-License-Identifier: Apache-2.0
// A card with a program's xclbin on it, and the graphs that stay there between calls.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "gaspipe/card.h"

namespace gaspipe {

// What an xclbin holds, as its finder knows (python/gaspipe/_xclbin.py).
struct CardDesign {
  std::string xclbin;             // path
  std::string algorithm, number;  // of the program
  std::string board;              // "u250"
  bool weighted = false;
  std::uint32_t capacity = 0;         // vertices of a partition that the units have room for
  std::string gather_scatter, apply;  // the kernels' names
  std::vector<std::string> units;     // instances of gather_scatter, by compute unit
  std::string apply_unit;             // instance of apply
  int clock_mhz = 0;                  // 0: unknown
};

class LoadedCard {
 public:
  LoadedCard(CardDriver& driver, int index, CardDesign design);
  ~LoadedCard();

  int index() const { return index_; }
  const CardDesign& design() const { return design_; }
  CardCounts counts() const;
  void forget_graphs();  // frees what stays on the card

  // The host side's own; see cpp/src/backend/card.cpp.
  struct Parts;
  Parts& parts() { return *parts_; }
  std::mutex& running() { return running_; }  // held for the length of a run

 private:
  int index_;
  CardDesign design_;
  std::mutex running_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace gaspipe
