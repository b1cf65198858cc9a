// SPDX-License-Identifier: Apache-2.0
// Alveo cards through XRT's native API; the only file that includes it. XRT 2.13 is what it is tested with, newer
// headers differ in where they lie. Cards and emulated cards are the same to it.
//
// XRT trusts what it is given: it reads past the end of a truncated xclbin, clones a buffer that lies in the wrong
// bank, starts a kernel whose arguments were never set, and falls over when a run under way is destroyed. All of that
// is looked at here, before the call.
#include "gaspipe/fpga.h"

#include <dlfcn.h>
#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>
#include <xrt/xrt_kernel.h>
#if __has_include(<xrt/experimental/xrt_system.h>)
#include <xrt/experimental/xrt_system.h>
#include <xrt/experimental/xrt_xclbin.h>
#else
#include <experimental/xrt_system.h>
#include <experimental/xrt_xclbin.h>
#endif

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "cpp/src/backend/card/xclbin_file.h"
#include "gaspipe/error.h"

namespace gaspipe {
namespace {

// For a run that something waits for in order to go; they take milliseconds.
constexpr std::chrono::seconds kPatience{30};

// Text out of a file or a card, fit for a message.
std::string printable(std::string text) {
  for (char& c : text) {
    if (c < ' ' || c > '~') c = '?';
  }
  return text;
}

// Calls into XRT. What it throws becomes a DeviceError that starts with what was being done; `what` is asked only then.
template <class Call, class What>
auto attempt(const Call& call, const What& what) -> decltype(call()) {
  try {
    return call();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    std::string text = error.what();
    while (!text.empty() && (text.back() == '\n' || text.back() == '.')) text.pop_back();
    throw DeviceError(message(what(), ": ", printable(text)));
  }
}

MemoryBank bank_of(const xrt::xclbin::mem& memory) {
  return {memory.get_index(), memory.get_tag(), memory.get_size_kb() * 1024};
}

bool holds_buffers(const xrt::xclbin::mem& memory) {
  using Type = xrt::xclbin::mem::memory_type;
  return memory.get_type() != Type::streaming && memory.get_type() != Type::streaming_connection && memory.get_used();
}

std::string names(const std::vector<MemoryBank>& banks) {
  std::string text;
  for (const MemoryBank& bank : banks) text += (text.empty() ? "" : ", ") + bank.name;
  return text;
}

std::string described(const std::string& name) { return name.empty() ? "" : " (" + name + ")"; }

// Keeps what XRT must not destroy while the card may still use it.
template <class T>
void abandon(T&& handle) {
  static_cast<void>(new std::decay_t<T>(std::forward<T>(handle)));
}

class Run;

// What all that is made from a card shares; the card stays open until the last of it is gone.
struct Session : std::enable_shared_from_this<Session> {
  std::string card;  // "card 0"
  xrt::device device;
  xrt::xclbin xclbin;
  xrt::uuid id;
  std::string path;
  std::vector<MemoryBank> banks;                // that buffers can lie in
  std::map<int, std::uint64_t> allocated = {};  // bytes by bank
  CardCounts counts = {};
  std::vector<Run*> under_way = {};
  std::atomic<bool> lost{false};  // a run did not end: the card may still write to any buffer

  // Waits for the runs under way, as far as patience goes.
  void settle() noexcept;
  void check() const {
    if (lost) throw DeviceError(card + " was given up because a kernel on it did not end; reset it (xbutil reset)");
  }
};

class Buffer : public CardBuffer {
 public:
  Buffer(std::shared_ptr<Session> session, MemoryBank bank, xrt::bo memory, std::uint64_t num_bytes)
      : session_(std::move(session)), bank_(std::move(bank)), memory_(std::move(memory)), num_bytes_(num_bytes) {
    data_ = attempt([&] { return memory_.map<void*>(); }, [&] { return "cannot map " + label(); });
    if (data_ == nullptr || reinterpret_cast<std::uintptr_t>(data_) % 64 != 0) {
      throw DeviceError("cannot map " + label() + " to an address that 64 divides");
    }
    ++session_->counts.allocations;
    session_->allocated[bank_.index] += num_bytes_;
  }
  ~Buffer() override {
    session_->settle();
    ++session_->counts.frees;
    session_->allocated[bank_.index] -= num_bytes_;
    if (session_->lost) abandon(std::move(memory_));
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  std::uint64_t num_bytes() const override { return num_bytes_; }
  void* data() override { return data_; }
  void to_card(std::uint64_t offset, std::uint64_t num_bytes) override {
    if (!move(XCL_BO_SYNC_BO_TO_DEVICE, "to", offset, num_bytes)) return;
    ++session_->counts.syncs_to_card;
    session_->counts.bytes_to_card += num_bytes;
  }
  void from_card(std::uint64_t offset, std::uint64_t num_bytes) override {
    if (!move(XCL_BO_SYNC_BO_FROM_DEVICE, "from", offset, num_bytes)) return;
    ++session_->counts.syncs_from_card;
    session_->counts.bytes_from_card += num_bytes;
  }

  const MemoryBank& bank() const { return bank_; }
  const Session& session() const { return *session_; }
  const xrt::bo& memory() const { return memory_; }
  std::weak_ptr<const bool> life() const { return life_; }  // ends with the buffer
  std::string label() const {
    return message("a buffer of ", num_bytes_, " bytes in ", bank_.name, " of ", session_->card);
  }

 private:
  bool move(xclBOSyncDirection direction, const char* way, std::uint64_t offset, std::uint64_t num_bytes) {
    session_->check();
    if (offset > num_bytes_ || num_bytes > num_bytes_ - offset) {
      throw DeviceError(
          message("cannot copy ", num_bytes, " bytes from byte ", offset, " on: ", label(), " ends before that"));
    }
    if (num_bytes == 0) return false;
    attempt([&] { memory_.sync(direction, num_bytes, offset); },
            [&] { return message("cannot copy ", num_bytes, " bytes ", way, " ", label()); });
    return true;
  }

  std::shared_ptr<Session> session_;
  MemoryBank bank_;
  xrt::bo memory_;
  std::uint64_t num_bytes_;
  std::shared_ptr<const bool> life_ = std::make_shared<const bool>(true);
  void* data_ = nullptr;
};

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

const char* state_name(ert_cmd_state state) {
  switch (state) {
    case ERT_CMD_STATE_NEW:
      return "NEW";
    case ERT_CMD_STATE_QUEUED:
      return "QUEUED";
    case ERT_CMD_STATE_RUNNING:
      return "RUNNING";
    case ERT_CMD_STATE_COMPLETED:
      return "COMPLETED";
    case ERT_CMD_STATE_ERROR:
      return "ERROR";
    case ERT_CMD_STATE_ABORT:
      return "ABORT";
    case ERT_CMD_STATE_SUBMITTED:
      return "SUBMITTED";
    case ERT_CMD_STATE_TIMEOUT:
      return "TIMEOUT";
    case ERT_CMD_STATE_NORESPONSE:
      return "NORESPONSE";
    default:
      return "unknown";
  }
}

bool is_under_way(ert_cmd_state state) {
  return state == ERT_CMD_STATE_NEW || state == ERT_CMD_STATE_QUEUED || state == ERT_CMD_STATE_RUNNING ||
         state == ERT_CMD_STATE_SUBMITTED;
}

class Run : public CardRun {
 public:
  explicit Run(std::shared_ptr<UnitParts> unit) : unit_(std::move(unit)), buffers_(unit_->arguments.size()) {
    session().check();
    run_ = attempt([&] { return xrt::run(unit_->kernel); }, [&] { return "cannot make a run of " + unit_->label; });
    ++session().counts.runs;
  }
  ~Run() override {
    if (started_) session().settle();
    if (session().lost) abandon(std::move(run_));
    leave();
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  void set(int argument, CardBuffer& buffer) override {
    const auto& expected = unit_->argument(argument).banks;
    const auto* ours = dynamic_cast<const Buffer*>(&buffer);
    if (ours == nullptr || &ours->session() != &session()) {
      throw DeviceError(unit_->argument_label(argument) + " cannot be a buffer of another card");
    }
    const bool is_near = std::any_of(expected.begin(), expected.end(),
                                     [&](const MemoryBank& bank) { return bank.index == ours->bank().index; });
    if (!is_near) {
      throw DeviceError(message(unit_->argument_label(argument), " is connected to ",
                                expected.empty() ? "no memory" : names(expected), "; the buffer lies in ",
                                ours->bank().name));
    }
    set_value(argument, ours->memory());
    buffers_[argument] = ours->life();
  }
  void set(int argument, std::uint32_t value) override {
    const Argument& expected = unit_->argument(argument);
    if (!expected.banks.empty() || expected.num_bytes != sizeof value) {
      throw DeviceError(unit_->argument_label(argument) + " is no number of 32 bits");
    }
    set_value(argument, value);
  }

  void start() override {
    session().check();
    check_idle("start");
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      if (buffers_[i].expired() && !unit_->arguments[i].banks.empty()) {
        throw DeviceError(unit_->argument_label(static_cast<int>(i)) + " was not set, or its buffer was freed");
      }
    }
    session().under_way.push_back(this);  // before, so that what is started is in there whatever happens
    started_ = true;
    try {
      attempt([&] { run_.start(); }, [&] { return "cannot start " + unit_->label; });
    } catch (...) {
      leave();
      throw;
    }
    was_started_ = true;
    ++session().counts.starts;
  }

  bool wait(std::uint32_t milliseconds) override {
    if (!started_) {
      if (!was_started_) throw DeviceError(unit_->label + " was not started; there is nothing to wait for");
      return true;
    }
    session().check();
    ++session().counts.waits;
    const ert_cmd_state state = attempt(
        [&] {
          // To XRT, no time at all means for ever.
          if (milliseconds == 0) return run_.state();
          const ert_cmd_state after = run_.wait(std::chrono::milliseconds(milliseconds));
          // TIMEOUT is either this wait's, or what became of the run.
          return after == ERT_CMD_STATE_TIMEOUT ? run_.state() : after;
        },
        [&] { return "cannot wait for " + unit_->label; });
    if (is_under_way(state)) return false;
    leave();
    if (state != ERT_CMD_STATE_COMPLETED) {
      throw DeviceError(
          message(unit_->label, " failed: its run ended in state ", state_name(state), " (", int(state), ")"));
    }
    return true;
  }

  // Whether it ended before the deadline, in whatever state. Asks rather than waits: not every driver below XRT heeds a
  // wait's time-out.
  bool ends_before(std::chrono::steady_clock::time_point deadline) noexcept {
    try {
      auto pause = std::chrono::microseconds(20);
      while (is_under_way(run_.state())) {
        if (std::chrono::steady_clock::now() > deadline) return false;
        std::this_thread::sleep_for(pause);
        pause = std::min(2 * pause, std::chrono::microseconds(10000));
      }
      run_.wait();  // at once; lets XRT finish its own part
      return true;
    } catch (const std::exception&) {
      return false;
    }
  }

 private:
  Session& session() const { return *unit_->session; }
  void check_idle(const char* wanted) const {
    if (started_)
      throw DeviceError(message("cannot ", wanted, " a run of ", unit_->label, " that is under way; wait for it"));
  }
  template <class Value>
  void set_value(int argument, const Value& value) {
    session().check();
    check_idle("change");
    attempt([&] { run_.set_arg(argument, value); }, [&] { return "cannot set " + unit_->argument_label(argument); });
    ++session().counts.arguments;
  }
  void leave() noexcept {
    auto& all = session().under_way;
    all.erase(std::remove(all.begin(), all.end(), this), all.end());
    started_ = false;
  }

  std::shared_ptr<UnitParts> unit_;
  xrt::run run_;
  std::vector<std::weak_ptr<const bool>> buffers_;  // by argument
  bool started_ = false, was_started_ = false;
};

void Session::settle() noexcept {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  for (std::size_t i = 0; i < under_way.size() && !lost; ++i) {
    if (under_way[i]->ends_before(deadline)) continue;
    lost = true;
    abandon(shared_from_this());  // nor may the card be opened again
  }
}

class Unit : public CardUnit {
 public:
  explicit Unit(std::shared_ptr<UnitParts> parts) : parts_(std::move(parts)) {}
  const std::vector<MemoryBank>& banks(int argument) override {
    const auto& found = parts_->argument(argument).banks;
    if (found.empty()) throw DeviceError(parts_->argument_label(argument) + " is connected to no memory");
    return found;
  }
  std::unique_ptr<CardRun> make_run() override { return std::make_unique<Run>(parts_); }

 private:
  std::shared_ptr<UnitParts> parts_;
};

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
    Dl_info place{};
    std::string version;
    if (dladdr(reinterpret_cast<void*>(&xrt::system::enumerate_devices), &place) != 0 && place.dli_fname != nullptr) {
      std::error_code problem;
      const std::string file = std::filesystem::canonical(place.dli_fname, problem).filename().string();
      const auto end = file.find(".so.");
      if (end != std::string::npos) version = file.substr(end + 4);
    }
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
    if (open_session(0)) return 1;
    try {
      return xrt::device(0U) ? 1 : 0;
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

std::unique_ptr<CardDriver> make_fpga_driver() { return std::make_unique<FpgaDriver>(); }

}  // namespace gaspipe
