// Queues that allocate while they grow to their peak and never after.
#pragma once

#include <cstddef>
#include <systemc>
#include <utility>
#include <vector>

namespace scribeline::link {

// First in, first out, in one circular array. T is default constructible and assignable.
template <class T>
class ring_queue {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  T& front() { return at(0); }
  const T& front() const { return at(0); }
  // The i-th element from the front.
  T& at(std::size_t i) { return slots_[(head_ + i) & (slots_.size() - 1)]; }
  const T& at(std::size_t i) const { return slots_[(head_ + i) & (slots_.size() - 1)]; }

  void push_back(T value) {
    if (size_ == slots_.size()) grow();
    at(size_) = std::move(value);
    ++size_;
  }
  void pop_front() {
    head_ = (head_ + 1) & (slots_.size() - 1);
    --size_;
  }

 private:
  // The capacity stays a power of two, so that positions wrap with a mask.
  void grow() {
    std::vector<T> larger(slots_.empty() ? 4 : 2 * slots_.size());
    for (std::size_t i = 0; i < size_; ++i)
      larger[i] = std::move(at(i));
    slots_ = std::move(larger);
    head_ = 0;
  }

  std::vector<T> slots_;
  std::size_t head_ = 0;
  std::size_t size_ = 0;
};

// Things due at a time, earliest first, in order of insertion where times are equal. Made for times that come nearly
// sorted, as on a wire: an insertion costs one step per element that is due later.
template <class T>
class timed_queue {
 public:
  struct entry {
    sc_core::sc_time when;
    T what{};
  };

  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  const entry& front() const { return entries_.front(); }
  bool due(const sc_core::sc_time& now) const { return !empty() && front().when <= now; }

  void insert(const sc_core::sc_time& when, T what) {
    entries_.push_back({when, std::move(what)});
    for (std::size_t i = entries_.size() - 1; i > 0 && entries_.at(i).when < entries_.at(i - 1).when; --i)
      std::swap(entries_.at(i), entries_.at(i - 1));
  }
  T take() {
    T what = std::move(entries_.front().what);
    entries_.pop_front();
    return what;
  }

 private:
  ring_queue<entry> entries_;
};

}  // namespace scribeline::link
