#include "firmware_stubs/model/config_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "firmware_stubs/model/model_error.h"

namespace scribeline::model {
namespace {

int line_at(const std::string& text, std::size_t offset) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text.size()));
  return 1 + static_cast<int>(std::count(text.begin(), end, '\n'));
}

std::size_t end_of_string(const std::string& text, std::size_t quote) {
  std::size_t at = quote + 1;
  while (at < text.size() && text[at] != '"')
    at += text[at] == '\\' ? 2 : 1;
  return at;
}

// Overwrites Infinity and -Infinity outside strings with null, padded to the same length so offsets stay true.
std::string with_null_for_infinity(std::string text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"') {
      at = end_of_string(text, at);
      continue;
    }
    for (const std::string_view word : {"-Infinity", "Infinity"}) {
      if (text.compare(at, word.size(), word) != 0) continue;
      text.replace(at, word.size(), "null" + std::string(word.size() - 4, ' '));
      break;
    }
  }
  return text;
}

// Walks text that is known to be valid JSON and notes the line of each key under its dotted path.
class key_walker {
 public:
  key_walker(const std::string& text, const std::string& origin) : text_(text), origin_(origin) {}

  std::map<std::string, int> walk() {
    for (at_ = 0; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') ++line_;
      if (c == '{' || c == '[') open(c == '{');
      if (c == '}' || c == ']') frames_.pop_back();
      if (c == ',' && !frames_.empty()) frames_.back().next_item();
      if (c == '"') string();
    }
    return std::move(lines_);
  }

 private:
  struct frame {
    std::string path;
    bool object;
    bool key_next;
    std::string key;
    int item = 0;

    void next_item() {
      key_next = object;
      ++item;
    }
  };

  std::string path_of(const frame& f, const std::string& name) const {
    return f.path.empty() ? name : f.path + "." + name;
  }

  void open(bool object) {
    std::string path;
    if (!frames_.empty()) {
      const frame& f = frames_.back();
      path = path_of(f, f.object ? f.key : std::to_string(f.item));
    }
    frames_.push_back({path, object, object, {}, 0});
  }

  void string() {
    const std::size_t end = end_of_string(text_, at_);
    if (!frames_.empty() && frames_.back().key_next) {
      frame& f = frames_.back();
      f.key = text_.substr(at_ + 1, end - at_ - 1);
      f.key_next = false;
      const std::string path = path_of(f, f.key);
      if (!lines_.emplace(path, line_).second)
        throw model_error(fmt::format("{}:{}: {}: this key is given twice (first on line {})", origin_, line_, path,
                                      lines_.at(path)));
    }
    at_ = end;
  }

  const std::string& text_;
  const std::string& origin_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::vector<frame> frames_;
  std::map<std::string, int> lines_;
};

}  // namespace

config_source::config_source(const std::string& text, std::string origin) : origin_(std::move(origin)) {
  try {
    root_ = nlohmann::json::parse(with_null_for_infinity(text));
  } catch (const nlohmann::json::parse_error& error) {
    const std::string_view reason(error.what());
    const std::size_t colon = reason.find("syntax error");
    throw model_error(fmt::format("{}:{}: not valid JSON: {}", origin_, line_at(text, error.byte),
                                  reason.substr(colon == std::string_view::npos ? 0 : colon)));
  }
  if (!root_.is_object()) throw model_error(fmt::format("{}:1: a model description is a JSON object {{...}}", origin_));
  line_of_key_ = key_walker(text, origin_).walk();
}

void config_source::fail(const std::string& path, const std::string& message) const {
  std::string enclosing = path;
  auto found = line_of_key_.find(enclosing);
  while (found == line_of_key_.end() && !enclosing.empty()) {
    const std::size_t dot = enclosing.rfind('.');
    enclosing = dot == std::string::npos ? "" : enclosing.substr(0, dot);
    found = line_of_key_.find(enclosing);
  }
  const int line = found == line_of_key_.end() ? 1 : found->second;
  throw model_error(path.empty() ? fmt::format("{}:{}: {}", origin_, line, message)
                                 : fmt::format("{}:{}: {}: {}", origin_, line, path, message));
}

}  // namespace scribeline::model
