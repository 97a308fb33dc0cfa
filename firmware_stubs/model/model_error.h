// The one error of the model reader.
#pragma once

#include <stdexcept>
#include <string>

namespace scribeline::model {

// A model description that cannot be used. what() reads "file:line: key: what is wrong; what would be right"
// (line and key where they are known).
class model_error : public std::runtime_error {
 public:
  explicit model_error(const std::string& message) : std::runtime_error(message) {}
};

}  // namespace scribeline::model
