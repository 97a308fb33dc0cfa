#include "scenarios/harness/key_listing.h"

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

text_table listing(const key_table& keys) {
  text_table table({"key", "type", "unit", "default", "meaning", "source"});
  for (const key& one : keys.keys()) {
    table.add_row({one.path(), one.type_text(), one.unit(), default_text(one), meaning_text(one), one.source()});
  }
  return table;
}

}  // namespace

std::string list_keys(const key_table& keys) {
  return listing(keys).text();
}

std::string list_keys_markdown(const key_table& keys) {
  return listing(keys).markdown();
}

}  // namespace scribeline::harness
