// Memory managers for the payloads of non-blocking transactions.
//
// TLM-2.0 asks that a payload passed through nb_transport has a memory manager and is reference counted;
// the pools here recycle payloads so that a running simulation allocates nothing. A pool must outlive the
// payloads it handed out, which a module member does: payloads in flight when the simulation ends are
// owned by the pool's storage.
#pragma once

#include <deque>
#include <tlm>
#include <vector>

namespace scribeline::base {

// Recycles tlm_generic_payload objects.
class generic_payload_pool : public tlm::tlm_mm_interface {
 public:
  generic_payload_pool() = default;
  generic_payload_pool(const generic_payload_pool&) = delete;
  generic_payload_pool& operator=(const generic_payload_pool&) = delete;

  // A payload with reference count 1; give it back with release().
  tlm::tlm_generic_payload* allocate() {
    if (free_.empty()) {
      storage_.emplace_back(this);
      free_.push_back(&storage_.back());
    }
    tlm::tlm_generic_payload* payload = free_.back();
    free_.pop_back();
    payload->acquire();
    return payload;
  }

  // Called by the payload when its last reference is gone.
  void free(tlm::tlm_generic_payload* payload) override {
    payload->reset();
    free_.push_back(payload);
  }

  // Payloads ever created: the peak number in flight.
  std::size_t capacity() const { return storage_.size(); }
  std::size_t in_flight() const { return storage_.size() - free_.size(); }

 private:
  std::deque<tlm::tlm_generic_payload> storage_;
  std::vector<tlm::tlm_generic_payload*> free_;
};

// Recycles objects of the project's own protocols. T is default constructible and has reset().
template <class T>
class object_pool {
 public:
  object_pool() = default;
  object_pool(const object_pool&) = delete;
  object_pool& operator=(const object_pool&) = delete;

  T* allocate() {
    if (free_.empty()) {
      storage_.emplace_back();
      free_.push_back(&storage_.back());
    }
    T* object = free_.back();
    free_.pop_back();
    return object;
  }

  void free(T* object) {
    object->reset();
    free_.push_back(object);
  }

  std::size_t capacity() const { return storage_.size(); }
  std::size_t in_flight() const { return storage_.size() - free_.size(); }

 private:
  std::deque<T> storage_;
  std::vector<T*> free_;
};

}  // namespace scribeline::base
