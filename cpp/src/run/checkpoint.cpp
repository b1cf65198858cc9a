// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/run/checkpoint.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <new>
#include <utility>

#include "cpp/src/domain/reduce.h"
#include "cpp/src/run/checkpoint_file.h"
#include "cpp/src/run/folder.h"
#include "gaspipe/crc32.h"
#include "gaspipe/error.h"

namespace gaspipe {
namespace {

namespace fs = std::filesystem;
using checkpoint::File;
using checkpoint::Head;
using checkpoint::read_head;

constexpr const char *kPrefix = "superstep-", *kHidden = ".superstep-";
constexpr const char *kWriting = "writing a checkpoint", *kReading = "reading a checkpoint";

void write_name(char* to, std::size_t size, const std::string& name) {
  std::memset(to, 0, size);
  std::memcpy(to, name.data(), std::min(name.size(), size - 1));
}
std::string name_of(std::uint64_t num_supersteps) {
  char text[32];
  std::snprintf(text, sizeof text, "%012llu", static_cast<unsigned long long>(num_supersteps));
  return text;
}
std::string part_name(int part, int num_parts) { return message("part-", part, "-of-", num_parts); }

// Folders there whose names begin so, by the number that follows.
std::vector<std::pair<std::uint64_t, fs::path>> found_in(const std::string& folder, const std::string& prefix,
                                                         const char* what) {
  std::vector<std::pair<std::uint64_t, fs::path>> found;
  for (const std::string& name : names_in(folder, what)) {
    if (name.compare(0, prefix.size(), prefix) != 0) continue;
    const std::string number = name.substr(prefix.size());
    if (number.empty() || number.size() > 19 || number.find_first_not_of("0123456789") != std::string::npos) continue;
    found.emplace_back(std::stoull(number), fs::path(folder) / name);
  }
  std::sort(found.begin(), found.end());
  return found;
}

void sync_folder(const std::string& path) {
  File folder(path, O_RDONLY | O_DIRECTORY, kWriting);
  folder.end();
}

template <class T>
void check_same(const std::string& path, const char* what, const T& there, const T& here) {
  if (there == here) return;
  throw InputError(message(path, " is of a run whose ", what, " is ", there, "; this one's is ", here,
                           "; only the same run can go on"));
}

}  // namespace

void make_checkpoint_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw FileError(error.value(), kWriting, folder);
  if (::access(folder.c_str(), W_OK | X_OK) != 0) throw FileError(errno, kWriting, folder);
}

CheckpointWriter::CheckpointWriter(std::string folder, CheckpointOf of, std::shared_ptr<const Domain> domain,
                                   Communicator* communicator)
    : folder_(std::move(folder)),
      of_(std::move(of)),
      domain_(std::move(domain)),
      communicator_(communicator),
      rank_(communicator != nullptr ? communicator->rank() : 0),
      size_(communicator != nullptr ? communicator->size() : 1) {
  make_checkpoint_folder(folder_);
  // What a run that was killed has left.
  if (is_first()) {
    for (const auto& left : found_in(folder_, kHidden, kWriting)) remove_folder(left.second.string(), kWriting);
  }
  wait_for_all();
}

CheckpointWriter::~CheckpointWriter() {
  if (under_way_.empty()) return;
  try {
    ::unlink((under_way_ + "/" + part_name(rank_, size_)).c_str());
    ::rmdir(under_way_.c_str());     // by the last rank
  } catch (const std::bad_alloc&) {  // the next run removes it
  }
}

void CheckpointWriter::wait_for_all() const {
  if (communicator_ != nullptr) detail::words_of_all(*communicator_, 1);
}

void CheckpointWriter::write(const RunState& state, std::uint32_t arguments, const abi::Snapshot& snapshot) {
  const std::string name = name_of(state.num_supersteps);
  under_way_ = (fs::path(folder_) / (kHidden + name)).string();
  std::error_code error;
  fs::create_directories(under_way_, error);
  if (error) throw FileError(error.value(), kWriting, under_way_);
  {
    File file((fs::path(under_way_) / part_name(rank_, size_)).string(), O_WRONLY | O_CREAT | O_TRUNC, kWriting);
    wait_for_all();  // all have a file there: the folder stays until the last rank that fails has removed its own
    write_part(state, arguments, snapshot, file);
  }
  wait_for_all();
  if (is_first()) publish(name);
  under_way_.clear();
}

void CheckpointWriter::write_part(const RunState& state, std::uint32_t arguments, const abi::Snapshot& snapshot,
                                  File& file) const {
  Head head{};
  std::memcpy(head.magic, checkpoint::kMagic, sizeof checkpoint::kMagic);
  head.version = checkpoint::kVersion;
  head.head_bytes = sizeof head;
  write_name(head.program, sizeof head.program, of_.program);
  write_name(head.number, sizeof head.number, state.number);
  head.num_vertices = of_.num_vertices;
  head.num_edges = of_.num_edges;
  head.edges = of_.edges;
  head.offsets = of_.offsets;
  head.arguments = arguments;
  head.part = static_cast<std::uint32_t>(rank_);
  head.num_parts = static_cast<std::uint32_t>(size_);
  head.num_supersteps = state.num_supersteps;
  head.pass = snapshot.pass;
  head.step = snapshot.step;
  head.worst = snapshot.worst;
  head.scale_bits = state.scale_bits;
  head.attempts = state.attempts;
  head.num_sums = state.num_sums;
  head.property_bytes = state.property_bytes;
  head.num_own = domain_ != nullptr ? domain_->num_own : of_.num_vertices;
  head.first_id = domain_ != nullptr ? domain_->first_id : 0;
  head.num_ids = domain_ != nullptr ? domain_->ids.size() : 0;
  head.num_active_words = snapshot.active != nullptr ? (head.num_own + 63) / 64 : 0;
  head.value_bytes = is_first() ? state.value_bytes : 0;  // every rank has all of them

  std::uint64_t at = sizeof head;
  const auto add = [&](const void* data, std::uint64_t size) {
    file.write(at, data, size);
    if (size > 0) head.of_rest = crc32(data, size, head.of_rest);
    at += size;
  };
  add(snapshot.sums, head.num_sums * 8);
  add(head.num_ids > 0 ? domain_->ids.data() : nullptr, head.num_ids * 4);
  add(snapshot.properties, head.num_own * head.property_bytes);
  add(snapshot.active, head.num_active_words * 8);
  add(state.values, head.value_bytes);
  head.of_head = checkpoint::checksum_of(head);
  file.write(0, &head, sizeof head);
  file.end();
}

void CheckpointWriter::publish(const std::string& name) {
  for (int part = 0; part < size_; ++part) {
    const std::string path = (fs::path(under_way_) / part_name(part, size_)).string();
    if (::access(path.c_str(), F_OK) == 0) continue;
    throw InputError(
        message("checkpoint=", folder_, ": rank ", part, " of ", size_, " has written its part, but not ",
                "where rank 0 sees it; all ranks must share the folder, and no other run may write into it"));
  }
  const fs::path final_path = fs::path(folder_) / (kPrefix + name);
  const auto others = found_in(folder_, kPrefix, kWriting);
  remove_folder(final_path.string(), kWriting);
  std::error_code error;
  fs::rename(under_way_, final_path, error);
  if (error) throw FileError(error.value(), kWriting, final_path.string());
  sync_folder(folder_);
  for (const auto& other : others) {
    if (other.second != final_path) remove_folder(other.second.string(), kWriting);
  }
}

Checkpoint::Checkpoint(std::string folder, const CheckpointOf& of, Communicator* communicator)
    : folder_(std::move(folder)), of_(of) {
  const auto found = found_in(folder_, kPrefix, kReading);
  if (found.empty()) {
    throw InputError(message("there is no checkpoint in ", folder_, "; one is written by checkpoint=\"", folder_,
                             "\" after every `every` super-steps"));
  }
  if (communicator != nullptr) {
    const std::vector<std::uint64_t> all = detail::words_of_all(*communicator, found.back().first);
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      if (all[rank] == all[0]) continue;
      throw InputError(message("in ", folder_, " rank 0 sees a checkpoint of super-step ", all[0], ", and rank ", rank,
                               " one of super-step ", all[rank], "; all ranks must share the folder"));
    }
  }
  name_ = found.back().second.string();
  for (const std::string& name : names_in(name_, kReading)) {
    const std::string first = "part-0-of-";
    if (name.compare(0, first.size(), first) == 0) num_parts_ = std::atoi(name.c_str() + first.size());
  }
  if (num_parts_ < 1) throw InputError(message(name_, " is damaged: it has no first part"));

  const std::string path = path_of(0);
  File file(path, O_RDONLY, kReading);
  const Head head = read_head(file, path);
  check_same<std::string>(path, "algorithm", head.program, of_.program);
  check_same(path, "number of vertices", head.num_vertices, of_.num_vertices);
  check_same(path, "number of edges", head.num_edges, of_.num_edges);
  const bool knows_edges = head.edges != 0 && of_.edges != 0;
  if (head.offsets != of_.offsets || (knows_edges && head.edges != of_.edges)) {
    throw InputError(message(path,
                             " is of a run on another graph, with as many vertices and edges; only the same run "
                             "can go on, with the same edges and weights"));
  }
  state_.number = head.number;
  state_.scale_bits = head.scale_bits;
  state_.attempts = head.attempts;
  state_.num_supersteps = head.num_supersteps;
  state_.num_sums = head.num_sums;
  state_.property_bytes = head.property_bytes;
  state_.value_bytes = head.value_bytes;
  arguments_ = head.arguments;
  snapshot_.pass = head.pass;
  snapshot_.step = head.step;
  snapshot_.worst = head.worst;
}

std::string Checkpoint::path_of(int part) const { return (fs::path(name_) / part_name(part, num_parts_)).string(); }

void Checkpoint::check_arguments(std::uint32_t checksum) const {
  if (checksum == arguments_) return;
  throw InputError(
      message(name_, " is of a run with other arguments; a run goes on with the same, but for max_iter and ", "tol"));
}

void Checkpoint::check_max_iter(const abi::Program& program, const std::vector<abi::Argument>& checked) const {
  for (std::size_t i = 0; i < checked.size(); ++i) {
    if (program.parameters[i].name != std::string("max_iter") || program.parameters[i].kind != abi::kInteger) continue;
    if (checked[i].integer > static_cast<std::int64_t>(state_.num_supersteps)) continue;
    throw InputError(message(name_, " is of a run that has taken ", state_.num_supersteps, " super-steps; max_iter is ",
                             checked[i].integer, ", and must be more for the run to go on"));
  }
}

void Checkpoint::check_sizes(std::uint64_t num_sums, std::uint64_t property_bytes, std::uint64_t value_bytes) const {
  if (state_.num_sums == num_sums && state_.property_bytes == property_bytes && state_.value_bytes == value_bytes)
    return;
  throw InputError(message(name_, " is of other hooks: it has ", state_.property_bytes, " bytes for a vertex and ",
                           state_.num_sums, " sums, and the program ", property_bytes, " and ", num_sums,
                           "; only the same run can go on"));
}

void Checkpoint::read(const Domain* domain) {
  const std::uint64_t num_own = domain != nullptr ? domain->num_own : of_.num_vertices;
  const auto id = [&](std::uint64_t v) -> std::uint64_t {
    return domain != nullptr ? domain->id(static_cast<VertexId>(v)) : v;
  };
  const std::uint64_t bytes = state_.property_bytes;
  properties_.assign(num_own * bytes, 0);
  active_.assign((num_own + 63) / 64, 0);
  std::uint64_t num_found = 0;
  std::vector<std::uint8_t> rest;
  for (int part = 0; part < num_parts_; ++part) {
    const std::string path = path_of(part);
    File file(path, O_RDONLY, kReading);
    const Head head = read_head(file, path);
    // What a head says is believed only as far as the file goes: no memory is asked for that it does not fill.
    const std::uint64_t most = file.size();
    const bool is_of_this = head.num_sums <= most && head.value_bytes <= most && bytes <= most &&
                            head.part == static_cast<std::uint32_t>(part) &&
                            head.num_parts == static_cast<std::uint32_t>(num_parts_) &&
                            head.num_supersteps == state_.num_supersteps && head.arguments == arguments_ &&
                            head.offsets == of_.offsets && head.property_bytes == bytes &&
                            head.num_own <= of_.num_vertices && (head.num_ids == 0 || head.num_ids == head.num_own) &&
                            (head.num_active_words == 0 || head.num_active_words == (head.num_own + 63) / 64) &&
                            head.num_sums == state_.num_sums;
    const std::uint64_t sum_bytes = head.num_sums * 8, id_bytes = head.num_ids * 4, own_bytes = head.num_own * bytes,
                        active_bytes = head.num_active_words * 8;
    const std::uint64_t rest_bytes = sum_bytes + id_bytes + own_bytes + active_bytes + head.value_bytes;
    const bool fits = is_of_this && sizeof head + rest_bytes <= most;
    if (fits) rest.resize(rest_bytes);
    if (!fits || file.read(sizeof head, rest.data(), rest.size()) != rest.size() ||
        crc32(rest.data(), rest.size()) != head.of_rest) {
      throw InputError(message(path, " is damaged: it is not what was written"));
    }
    const std::uint8_t* const ids = rest.data() + sum_bytes;
    const std::uint8_t* const values = ids + id_bytes;
    const std::uint8_t* const active = values + own_bytes;
    if (part == 0) {
      sums_.resize(head.num_sums);
      if (sum_bytes > 0) std::memcpy(sums_.data(), rest.data(), sum_bytes);
      values_.assign(active + active_bytes, active + active_bytes + head.value_bytes);
    }
    const auto id_there = [&](std::uint64_t i) -> std::uint64_t {
      if (head.num_ids == 0) return head.first_id + i;
      std::uint32_t id;
      std::memcpy(&id, ids + 4 * i, 4);
      return id;
    };
    // Both are in the order of their ids.
    std::uint64_t own = 0;
    for (std::uint64_t i = 0; i < head.num_own; ++i) {
      const std::uint64_t wanted = id_there(i);
      while (own < num_own && id(own) < wanted) ++own;
      if (own == num_own) break;
      if (id(own) != wanted) continue;
      if (bytes > 0) std::memcpy(properties_.data() + own * bytes, values + i * bytes, bytes);
      std::uint64_t word = ~std::uint64_t(0);
      if (active_bytes > 0) std::memcpy(&word, active + i / 64 * 8, 8);
      active_[own / 64] |= (word >> i % 64 & 1) << own % 64;
      ++num_found;
    }
  }
  if (num_found != num_own) {
    throw InputError(
        message(name_, " is damaged: it has ", num_found, " of the ", num_own, " vertices that are wanted"));
  }
  snapshot_.sums = sums_.data();
  snapshot_.properties = properties_.data();
  snapshot_.active = active_.data();
}

}  // namespace gaspipe
