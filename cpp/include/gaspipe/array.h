// SPDX-License-Identifier: Apache-2.0
// A read-only array that shares its memory: with other arrays, or with its owner outside (a NumPy array).
#pragma once

#include <cstddef>
#include <memory>

#include "gaspipe/engine/pages.h"

namespace gaspipe {

template <class T>
class Array {
 public:
  using Element = T;

  Array() = default;
  Array(std::shared_ptr<const void> owner, const T* data, std::size_t size)
      : owner_(std::move(owner)), data_(data), size_(size) {}

  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  const std::shared_ptr<const void>& owner() const { return owner_; }

 private:
  std::shared_ptr<const void> owner_;
  const T* data_ = nullptr;
  std::size_t size_ = 0;
};

// An array while it is written. The memory is not cleared: its pages go to the threads that fill it.
template <class T>
class Writable {
 public:
  explicit Writable(std::size_t size = 0) : data_(allocate_pages<T>(size).release(), FreePages()), size_(size) {}

  T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) const { return data_.get()[i]; }
  // Leaves only the first `size` elements visible.
  void truncate(std::size_t size) { size_ = size; }
  Array<T> freeze() const { return Array<T>(data_, data_.get(), size_); }

 private:
  std::shared_ptr<T> data_;
  std::size_t size_ = 0;
};

}  // namespace gaspipe
