// SPDX-License-Identifier: Apache-2.0
// The card's memory: banks that lie end to end, and in them the buffers that the host has asked for. Whoever made the
// addresses is XRT, in the host's process; here they only get bytes. A new buffer is poisoned, as a card's memory holds
// whatever was there before, and knows which of its bytes were written since.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "metadata.h"

namespace gaspipe {
namespace card {

class Buffer {
 public:
  Buffer(std::uint64_t address, std::uint64_t num_bytes);

  std::uint64_t address() const { return address_; }
  std::uint64_t num_bytes() const { return num_bytes_; }
  char* data() const { return data_; }
  bool covers(std::uint64_t first, std::uint64_t size) const {
    return first <= num_bytes_ && size <= num_bytes_ - first;
  }

  // Bytes [first, last) hold something from now on.
  void note_written(std::uint64_t first, std::uint64_t last);
  // The first byte of [first, last) that nobody wrote; `last` if there is none.
  std::uint64_t first_unwritten(std::uint64_t first, std::uint64_t last) const;

 private:
  std::uint64_t address_, num_bytes_;
  std::unique_ptr<char[]> storage_;
  char* data_;  // starts a word, as buffers of a card do
  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::uint64_t> written_;  // first to last, apart from each other
};

class Memory {
 public:
  // The banks' room for addresses, with every xclbin. Buffers outlive an xclbin, so it must stay the same then.
  void set_banks(const std::vector<std::uint64_t>& sizes);
  // What the xclbin says of them; throws std::runtime_error if these are more.
  void describe(const std::vector<Bank>& banks);
  std::size_t num_banks() const { return ends_.size(); }
  std::size_t bank_of(std::uint64_t address) const;
  std::string name_of(std::size_t bank) const;

  // Ends the process if the buffer is outside the banks, meets another, or has no room in a group of banks: XRT does
  // not listen to a refusal.
  void allocate(std::uint64_t address, std::uint64_t num_bytes);
  // False if there is none; ends the process while a kernel uses it.
  bool free(std::uint64_t address);
  // The buffer that holds an address; null if none does.
  std::shared_ptr<Buffer> find(std::uint64_t address) const;

  // Between host and card; outside a buffer the process ends.
  void write(std::uint64_t address, std::string_view bytes);
  std::string_view read(std::uint64_t address, std::uint64_t num_bytes) const;

 private:
  std::vector<std::uint64_t> ends_;  // of the banks
  std::vector<Bank> banks_;
  mutable std::mutex mutex_;  // compute units look up what the host adds and frees
  std::map<std::uint64_t, std::shared_ptr<Buffer>> buffers_;
};

}  // namespace card
}  // namespace gaspipe
