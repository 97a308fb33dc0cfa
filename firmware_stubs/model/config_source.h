// The text of a config.json: parsed, with the line of every key, so that an error can point at it.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace scribeline::model {

// A parsed description that remembers where it came from. Python writes Infinity, which JSON does not know: it is
// read as null.
class config_source {
 public:
  // Throws model_error naming the line for broken JSON, a key given twice, or a document that is no object.
  config_source(const std::string& text, std::string origin);

  const nlohmann::json& root() const { return root_; }
  const std::string& origin() const { return origin_; }

  // "origin:line: path: message", with the line of `path` ("text_config.hidden_size") or of the nearest
  // enclosing object that is in the file.
  [[noreturn]] void fail(const std::string& path, const std::string& message) const;

 private:
  std::string origin_;
  nlohmann::json root_;
  std::map<std::string, int> line_of_key_;
};

}  // namespace scribeline::model
