// SPDX-License-Identifier: Apache-2.0
#include "memory.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <stdexcept>

#include "report.h"

namespace gaspipe {
namespace card {
namespace {

constexpr std::uint64_t kWordBytes = 64;
constexpr int kPoison = 0xA5;

}  // namespace

Buffer::Buffer(std::uint64_t address, std::uint64_t num_bytes)
    : address_(address), num_bytes_(num_bytes), storage_(new char[num_bytes + kWordBytes]) {
  const auto at = reinterpret_cast<std::uintptr_t>(storage_.get());
  data_ = storage_.get() + (kWordBytes - at % kWordBytes) % kWordBytes;
  std::memset(data_, kPoison, num_bytes);
}

void Buffer::note_written(std::uint64_t first, std::uint64_t last) {
  const std::lock_guard<std::mutex> lock(mutex_);
  auto next = written_.upper_bound(first);
  if (next != written_.begin() && std::prev(next)->second >= first) --next;
  while (next != written_.end() && next->first <= last) {  // all that it meets become one
    first = std::min(first, next->first);
    last = std::max(last, next->second);
    next = written_.erase(next);
  }
  written_[first] = last;
}

std::uint64_t Buffer::first_unwritten(std::uint64_t first, std::uint64_t last) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto next = written_.upper_bound(first);
  if (next == written_.begin() || std::prev(next)->second <= first) return first;
  return std::min(std::prev(next)->second, last);
}

void Memory::set_banks(const std::vector<std::uint64_t>& sizes) {
  std::vector<std::uint64_t> ends;
  std::uint64_t end = 0;
  for (const std::uint64_t size : sizes) ends.push_back(end += size);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (ends != ends_ && !buffers_.empty()) die("the banks change while there are buffers in them");
  ends_ = std::move(ends);
}

std::size_t Memory::bank_of(std::uint64_t address) const {
  return static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), address) - ends_.begin());
}

void Memory::describe(const std::vector<Bank>& banks) {
  if (banks.size() > ends_.size()) {
    throw std::runtime_error("the xclbin has " + std::to_string(banks.size()) +
                             " banks and groups of banks, the card " + std::to_string(ends_.size()));
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  banks_ = banks;
}

std::string Memory::name_of(std::size_t bank) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return bank < banks_.size() ? banks_[bank].name : "bank " + std::to_string(bank);
}

void Memory::allocate(std::uint64_t address, std::uint64_t num_bytes) {
  const std::string asked = "the host asks for " + std::to_string(num_bytes) + " bytes at " + hex(address) + ", ";
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::uint64_t end = ends_.empty() ? 0 : ends_.back();
  if (address > end || num_bytes > end - address) die(asked + "outside the banks");
  const auto next = buffers_.lower_bound(address);
  const bool meets_next = next != buffers_.end() && next->first < address + num_bytes;
  const bool meets_last =
      next != buffers_.begin() && std::prev(next)->second->covers(address - std::prev(next)->first, 1);
  if (meets_next || meets_last) die(asked + "where there is a buffer");
  const std::size_t bank = bank_of(address);
  if (bank < banks_.size()) {
    std::uint64_t taken = num_bytes;
    for (const auto& [first, buffer] : buffers_) taken += bank_of(first) == bank ? buffer->num_bytes() : 0;
    if (taken > banks_[bank].num_bytes) {
      die(asked + "more than fit into " + banks_[bank].name + "; a card refuses, which emulation cannot");
    }
  }
  buffers_.emplace(address, std::make_shared<Buffer>(address, num_bytes));
}

bool Memory::free(std::uint64_t address) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = buffers_.find(address);
  if (found == buffers_.end()) return false;
  if (found->second.use_count() > 1) die("the host frees the buffer at " + hex(address) + " while a kernel uses it");
  buffers_.erase(found);
  return true;
}

std::shared_ptr<Buffer> Memory::find(std::uint64_t address) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto next = buffers_.upper_bound(address);
  if (next == buffers_.begin()) return nullptr;
  const std::shared_ptr<Buffer>& buffer = std::prev(next)->second;
  return buffer->covers(address - buffer->address(), 1) ? buffer : nullptr;
}

void Memory::write(std::uint64_t address, std::string_view bytes) {
  const std::shared_ptr<Buffer> buffer = find(address);
  const std::uint64_t first = buffer == nullptr ? 0 : address - buffer->address();
  if (buffer == nullptr || !buffer->covers(first, bytes.size())) {
    die("the host writes " + std::to_string(bytes.size()) + " bytes to " + hex(address) + ", outside any buffer");
  }
  std::memcpy(buffer->data() + first, bytes.data(), bytes.size());
  buffer->note_written(first, first + bytes.size());
}

std::string_view Memory::read(std::uint64_t address, std::uint64_t num_bytes) const {
  const std::shared_ptr<Buffer> buffer = find(address);
  const std::uint64_t first = buffer == nullptr ? 0 : address - buffer->address();
  if (buffer == nullptr || !buffer->covers(first, num_bytes)) {
    die("the host reads " + std::to_string(num_bytes) + " bytes from " + hex(address) + ", outside any buffer");
  }
  return {buffer->data() + first, num_bytes};
}

}  // namespace card
}  // namespace gaspipe
