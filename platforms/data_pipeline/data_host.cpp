#include "platforms/data_pipeline/data_host.h"

#include <stdexcept>

namespace scribeline::platforms {

data_host::data_host(const sc_core::sc_module_name& name, const data_host_config& config, const link::link_config& link)
    : sc_module(name), to_wafers("to_wafers", link), from_wafers("from_wafers", link), config_(config) {
  if (config_.prompt.empty() || config_.generated < 1 || !config_.pick)
    throw std::invalid_argument("a host needs a prompt, a token to generate and a way to pick it");
  SC_HAS_PROCESS(data_host);
  SC_THREAD(run);
}

void data_host::run() {
  for (const int token : config_.prompt)
    send(token);
  while (!done()) {
    if (std::optional<link::delivery> d = from_wafers.pop())
      receive(*d);
    else
      wait(from_wafers.arrived());
  }
}

void data_host::send(int token) {
  const auto position = static_cast<int>(sent_at_.size());
  sent_at_.push_back(sc_core::sc_time_stamp());
  to_wafers.send(to_link({{position, token}, {}}));
}

void data_host::receive(link::delivery& d) {
  data_message m = from_link(d.content);
  from_wafers.release(d);
  host_step s;
  s.step = m.step;
  s.sent = sent_at_.at(static_cast<std::size_t>(m.step.position));
  s.left = d.sent_at;
  s.came_back = d.arrived_at;
  s.vector = std::move(m.vector);
  s.next = config_.pick(s.vector);
  steps_.push_back(std::move(s));
  const bool is_known = steps_.size() < config_.prompt.size();
  if (!is_known && !done()) send(steps_.back().next);
}

}  // namespace scribeline::platforms
