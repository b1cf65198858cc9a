// SPDX-License-Identifier: Apache-2.0
// A compute unit of a card.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cpp/src/backend/card/xrt/session.h"

namespace gaspipe {
namespace fpga {

struct Argument {
  std::string name;
  std::uint64_t num_bytes = 0;         // of its value
  std::vector<MemoryBank> banks = {};  // none: a scalar or a stream
};

// A compute unit, as its runs see it.
struct UnitParts {
  std::shared_ptr<Session> session;
  std::string label;  // "gather_scatter:gather_scatter_1 of card 0"
  xrt::kernel kernel;
  std::vector<Argument> arguments;

  const Argument& argument(int index) const {
    if (index < 0 || static_cast<std::size_t>(index) >= arguments.size()) {
      throw DeviceError(message(label, " has ", arguments.size(), " arguments; there is no argument ", index));
    }
    return arguments[index];
  }
  std::string argument_label(int index) const {
    return message("argument ", index, " (", arguments[index].name, ") of ", label);
  }
};

class Unit : public CardUnit {
 public:
  explicit Unit(std::shared_ptr<UnitParts> parts) : parts_(std::move(parts)) {}
  const std::vector<MemoryBank>& banks(int argument) override {
    const auto& found = parts_->argument(argument).banks;
    if (found.empty()) throw DeviceError(parts_->argument_label(argument) + " is connected to no memory");
    return found;
  }
  std::unique_ptr<CardRun> make_run() override;

 private:
  std::shared_ptr<UnitParts> parts_;
};

}  // namespace fpga
}  // namespace gaspipe
