// SPDX-License-Identifier: Apache-2.0
// Alveo cards through XRT's native API, which the files of this folder alone include. Cards and emulated cards are the
// same to it.
//
// XRT trusts what it is given: it reads past the end of a truncated xclbin, clones a buffer that lies in the wrong
// bank, starts a kernel whose arguments were never set, and falls over when a run under way is destroyed. All of that
// is looked at here, before the call.
#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

#include "cpp/src/backend/card/emconfig.h"
#include "cpp/src/backend/card/xclbin_file.h"
#include "cpp/src/backend/card/xrt/unit.h"
#include "gaspipe/fpga.h"

namespace gaspipe {
namespace fpga {
namespace {

std::string described(const std::string& name) { return name.empty() ? "" : " (" + name + ")"; }

// The banks of a unit's arguments: all that its xclbin connects, XRT's choice first.
std::vector<Argument> arguments_of(const Session& session, const xrt::xclbin::ip& unit, const std::string& kernel_name,
                                   const xrt::kernel& kernel, const std::string& label) {
  std::vector<Argument> arguments;
  for (const auto& declared : session.xclbin.get_kernel(kernel_name).get_args()) {
    arguments.resize(std::max(arguments.size(), declared.get_index() + 1));
    arguments[declared.get_index()] = {printable(declared.get_name()), declared.get_size()};
  }
  for (const auto& connected : unit.get_args()) {
    const std::size_t index = connected.get_index();
    std::vector<MemoryBank>& banks = arguments[index].banks;
    for (const auto& memory : connected.get_mems()) {
      if (holds_buffers(memory)) banks.push_back(bank_of(memory));
    }
    if (banks.empty()) continue;
    std::sort(banks.begin(), banks.end(), [](const auto& a, const auto& b) { return a.index < b.index; });
    const int chosen = kernel.group_id(static_cast<int>(index));
    const auto place = std::find_if(banks.begin(), banks.end(), [&](const auto& bank) { return bank.index == chosen; });
    if (place == banks.end()) {
      throw DeviceError(message("argument ", index, " (", arguments[index].name, ") of ", label, " is connected to ",
                                names(banks), " in ", session.path, ", but XRT would put it into bank ", chosen));
    }
    std::rotate(banks.begin(), place, place + 1);
  }
  return arguments;
}

class OpenCard : public Card {
 public:
  explicit OpenCard(std::shared_ptr<Session> session) : session_(std::move(session)) {}

  std::unique_ptr<CardUnit> unit(const std::string& kernel, const std::string& instance) override {
    session_->check();
    const std::string name = kernel + ":" + instance, label = name + " of " + session_->card;
    return attempt(
        [&]() -> std::unique_ptr<CardUnit> {
          xrt::xclbin::ip found;
          std::string known;
          for (const auto& ip : session_->xclbin.get_ips()) {
            if (ip.get_name() == name) found = ip;
            known += (known.empty() ? "" : ", ") + ip.get_name();
          }
          if (!found) throw DeviceError(message(session_->path, " has no compute unit ", name, "; it has ", known));
          auto parts = std::make_shared<UnitParts>();
          parts->session = session_;
          parts->label = label;
          parts->kernel = xrt::kernel(session_->device, session_->id, kernel + ":{" + instance + "}");
          parts->arguments = arguments_of(*session_, found, kernel, parts->kernel, label);
          return std::make_unique<Unit>(std::move(parts));
        },
        [&] { return "cannot open " + label; });
  }

  std::unique_ptr<CardBuffer> allocate(const MemoryBank& bank, std::uint64_t num_bytes) override {
    session_->check();
    const auto known = std::find_if(session_->banks.begin(), session_->banks.end(),
                                    [&](const MemoryBank& other) { return other.index == bank.index; });
    if (known == session_->banks.end() || known->name != bank.name) {
      throw DeviceError(message(session_->path, " has no bank ", bank.index, " named ", bank.name, "; it has ",
                                names(session_->banks)));
    }
    if (num_bytes == 0) throw DeviceError(message("cannot allocate 0 bytes in ", bank.name, " of ", session_->card));
    const auto full = [&] {
      const std::uint64_t taken = session_->allocated[known->index];
      return CapacityError(message(known->name, " of ", session_->card, " has no room for ", num_bytes,
                                   " bytes: of its ", known->num_bytes, " bytes, ", taken,
                                   " are taken by this process"));
    };
    if (num_bytes > known->num_bytes - session_->allocated[known->index]) throw full();
    xrt::bo memory;
    try {
      memory =
          xrt::bo(session_->device, num_bytes, xrt::bo::flags::normal, static_cast<xrt::memory_group>(known->index));
    } catch (const std::bad_alloc&) {
      throw full();
    } catch (const std::system_error& error) {
      if (error.code().value() == ENOMEM || error.code().value() == ENOSPC) throw full();
      throw DeviceError(message("cannot allocate ", num_bytes, " bytes in ", known->name, " of ", session_->card, ": ",
                                error.what()));
    } catch (const std::exception& error) {
      throw DeviceError(message("cannot allocate ", num_bytes, " bytes in ", known->name, " of ", session_->card, ": ",
                                error.what()));
    }
    return std::make_unique<Buffer>(session_, *known, std::move(memory), num_bytes);
  }

  const CardCounts& counts() const override { return session_->counts; }

 private:
  std::shared_ptr<Session> session_;
};

class FpgaDriver : public CardDriver {
 public:
  // The library says its version in the name of its file; headers only say what was compiled with.
  std::string library() const override {
    void* const opened = dlopen(kXrtLibrary, RTLD_LAZY | RTLD_NOLOAD);
    link_map* place = nullptr;
    std::string version;
    if (opened != nullptr && dlinfo(opened, RTLD_DI_LINKMAP, &place) == 0) {
      std::error_code problem;
      const std::string file = std::filesystem::canonical(place->l_name, problem).filename().string();
      const auto end = file.find(".so.");
      if (end != std::string::npos) version = file.substr(end + 4);
    }
    if (opened != nullptr) dlclose(opened);
    const bool is_whole = version.find('.') != std::string::npos;
    return is_whole ? "XRT " + version : message("XRT (built for ", xrt_build_version, ")");
  }

  std::vector<CardDescription> cards() override {
    const std::lock_guard<std::mutex> locked(mutex_);
    std::vector<CardDescription> found;
    unsigned count = 0;
    try {
      count = num_cards();
    } catch (const std::exception& error) {
      found.push_back({0, "", "", library() + " cannot look for cards: " + printable(error.what())});
    }
    for (unsigned i = 0; i < count; ++i) {
      CardDescription card;
      card.index = static_cast<int>(i);
      try {
        const auto session = open_session(card.index);
        const xrt::device device = session ? session->device : xrt::device(i);
        if (session) session->check();
        card.address = info<xrt::info::device::bdf>(device);
        card.name = printable(device.get_info<xrt::info::device::name>());
      } catch (const std::exception& error) {
        card.problem = printable(error.what());
      }
      found.push_back(std::move(card));
    }
    return found;
  }

  std::unique_ptr<Card> open(int index, const std::string& path) override {
    const std::lock_guard<std::mutex> locked(mutex_);
    const std::string card = message("card ", index);
    if (const auto other = open_session(index)) {
      other->check();
      throw DeviceError(card + " is open in this process already; close what uses it before it gets another xclbin");
    }
    auto session = std::make_shared<Session>();
    session->card = card;
    session->path = path;
    const std::vector<char> file = read_xclbin(path);
    session->xclbin = attempt([&] { return xrt::xclbin(file); }, [&] { return "cannot read the xclbin " + path; });
    attempt([&] { read(*session); }, [&] { return "cannot read what is in " + path; });
    // XRT opens some indices that there is no card for.
    const unsigned count = attempt([&] { return num_cards(); }, [&] { return library() + " cannot look for cards"; });
    if (index < 0 || static_cast<unsigned>(index) >= count) {
      throw DeviceError(count == 0
                            ? library() + " finds no card"
                            : message("there is no ", card, "; ", library(), " finds ", count, ", counted from 0"));
    }
    session->device =
        attempt([&] { return xrt::device(static_cast<unsigned>(index)); }, [&] { return "cannot open " + card; });
    session->id = attempt([&] { return session->device.load_xclbin(session->xclbin); },
                          [&] {
                            return message("cannot load ", path, described(made_for(session->xclbin)), " onto ", card,
                                           described(info<xrt::info::device::name>(session->device)));
                          });
    sessions_[index] = session;
    return std::make_unique<OpenCard>(std::move(session));
  }

 private:
  unsigned num_cards() const {
    const unsigned count = xrt::system::enumerate_devices();
    if (count > 0) return count;
    // It counts on the bus, where an emulated card is not; whether there is one, only opening it can tell.
    // One that is open already must not be opened again: closing that would close both.
    if (open_session(0)) return num_emulated_cards();
    try {
      return xrt::device(0U) ? num_emulated_cards() : 0;
    } catch (const std::exception&) {
      return 0;
    }
  }
  std::shared_ptr<Session> open_session(int index) const {
    const auto found = sessions_.find(index);
    return found == sessions_.end() ? nullptr : found->second.lock();
  }
  static void read(Session& session) {
    for (const auto& memory : session.xclbin.get_mems()) {
      if (holds_buffers(memory)) session.banks.push_back(bank_of(memory));
    }
    for (const auto& kernel : session.xclbin.get_kernels()) {
      const std::size_t num_arguments = kernel.get_args().size();
      for (const auto& unit : kernel.get_cus()) {
        for (const auto& argument : unit.get_args()) {
          if (argument.get_index() < num_arguments) continue;
          throw DeviceError(message(session.path, " is damaged: it connects more than the ", num_arguments,
                                    " arguments of ", unit.get_name()));
        }
      }
    }
  }
  template <xrt::info::device what>
  static std::string info(const xrt::device& device) {
    try {
      return device.get_info<what>();
    } catch (const std::exception&) {
      return "";
    }
  }
  static std::string made_for(const xrt::xclbin& xclbin) {
    try {
      return "made for " + printable(xclbin.get_xsa_name());
    } catch (const std::exception&) {
      return "";
    }
  }

  std::mutex mutex_;  // cards() is asked from anywhere
  std::map<int, std::weak_ptr<Session>> sessions_;
};

}  // namespace
}  // namespace fpga

std::unique_ptr<CardDriver> make_fpga_driver() { return std::make_unique<fpga::FpgaDriver>(); }

}  // namespace gaspipe
