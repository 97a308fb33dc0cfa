#include "scenarios/harness/key_listing.h"

#include <fmt/format.h>

#include <sstream>

#include "scenarios/harness/text_table.h"

namespace scribeline::harness {
namespace {

std::string default_text(const key& one) {
  if (one.is_required()) return "(required)";
  const std::string value = to_toml(one.current());
  return one.is_from_preset() ? "preset (" + value + ")" : value;
}

std::string meaning_text(const key& one) {
  std::string text = one.meaning();
  if (!one.condition().empty()) text += " (used when " + one.condition() + ")";
  for (const preset& choice : one.presets())
    text += "; " + choice.name + ": " + choice.meaning;
  return text;
}

// The words of a text in indented lines that fit a terminal.
std::string wrapped(const std::string& text, const std::string& indent) {
  constexpr std::size_t width = 100;
  std::string lines;
  std::string line;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!line.empty() && indent.size() + line.size() + 1 + word.size() > width) {
      lines += indent + line + '\n';
      line.clear();
    }
    line += line.empty() ? word : ' ' + word;
  }
  return line.empty() ? lines : lines + indent + line + '\n';
}

}  // namespace

std::string list_keys(const key_table& keys) {
  const std::string indent = "    ";
  std::string text;
  for (const key& one : keys.keys()) {
    text += fmt::format("{} = {}\n", one.path(), default_text(one));
    text += wrapped(one.unit().empty() ? one.type_text() : one.type_text() + ", in " + one.unit(), indent);
    text += wrapped(meaning_text(one), indent);
    if (!one.source().empty()) text += wrapped("source: " + one.source(), indent);
  }
  return text;
}

std::string list_keys_markdown(const key_table& keys) {
  text_table table({"key", "type", "unit", "default", "meaning", "source"});
  for (const key& one : keys.keys())
    table.add_row({one.path(), one.type_text(), one.unit(), default_text(one), meaning_text(one), one.source()});
  return table.markdown();
}

}  // namespace scribeline::harness
