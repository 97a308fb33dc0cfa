// One key of a scenario file, bound to a field of the scenario's config struct.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/harness/config_value.h"

namespace scribeline::harness {

// Writes and reads the bound field.
class field_binding {
 public:
  virtual ~field_binding() = default;
  virtual value_type type() const = 0;
  // Throws value_problem when the value is of another type or not one of the choices.
  virtual void assign(const config_value& value) = 0;
  virtual config_value current() const = 0;
  // The words an enum takes, else empty.
  virtual std::vector<std::string> choices() const { return {}; }
};

// A named set of values for other keys, e.g. a chip. `apply` writes the fields.
struct preset {
  std::string name;
  std::string meaning;
  std::function<void()> apply;
};

// Declared once in code through key_table::add(); the setters chain. Everything a user reads about the key
// (--list-keys, error messages, docs) comes from here.
class key {
 public:
  key(std::string path, std::unique_ptr<field_binding> field);

  key& unit(std::string text);
  // Where the default comes from: a publication, a measurement, or "assumption".
  key& source(std::string text);
  // One line: what the value is.
  key& meaning(std::string text);
  // Smallest and largest value of a number, or of each item of a list.
  key& range(double smallest, double largest);
  // The strings accepted, for a string or each item of a list.
  key& one_of(std::vector<std::string> words);
  // A word accepted in place of an integer: word("fit", 0) stores 0 for "fit" and shows 0 as "fit".
  key& word(std::string text, std::int64_t stands_for);
  // The default is written by a preset rather than by the config struct.
  key& from_preset();
  // The scenario must set it.
  key& required();
  // The value names a file. After loading, the field holds a path that opens: looked up beside the scenario file,
  // then in the current directory. "" means no file.
  key& names_file();
  // The value changes what is recorded, not what is simulated: left out of the configuration hash.
  key& observes_only();
  // The value matters only if the predicate holds; otherwise a set key is reported as having no effect.
  // `condition` continues "is used only when ...".
  key& used_when(std::function<bool()> predicate, std::string condition);
  // A rule that may look at other keys, checked once all are set. `rule` continues "must ...".
  key& must(std::function<bool()> predicate, std::string rule);

  const std::string& path() const { return path_; }
  const std::string& unit() const { return unit_; }
  const std::string& source() const { return source_; }
  const std::string& meaning() const { return meaning_; }
  const std::vector<preset>& presets() const { return presets_; }
  const std::string& condition() const { return condition_; }
  bool is_from_preset() const { return from_preset_; }
  bool is_required() const { return required_; }
  bool is_file() const { return names_file_; }
  bool is_observer() const { return observes_only_; }
  bool is_used() const { return !used_ || used_(); }
  value_type type() const { return field_->type(); }

  // Type and range as users read them: "integer 1..84 or "fit"", "fixed | poisson".
  std::string type_text() const;
  // Range with unit: "1..84", "at least 0 ns".
  std::string range_text() const;

  // Sets the field; throws value_problem (type, range, not one of the words).
  void assign(const config_value& value);
  // The field now, words put back in for the numbers they stand for.
  config_value current() const;
  // The rule that does not hold, or nothing.
  std::optional<std::string> broken_rule() const;

 private:
  friend class key_table;
  void check_range(const scalar& value) const;
  void check_words(const scalar& value) const;

  std::string path_;
  std::unique_ptr<field_binding> field_;
  std::string unit_;
  std::string source_;
  std::string meaning_;
  std::optional<std::pair<double, double>> range_;
  std::vector<std::string> words_;
  std::optional<std::pair<std::string, std::int64_t>> word_;
  std::vector<preset> presets_;
  bool from_preset_ = false;
  bool required_ = false;
  bool names_file_ = false;
  bool observes_only_ = false;
  std::function<bool()> used_;
  std::string condition_;
  std::vector<std::pair<std::function<bool()>, std::string>> rules_;
};

}  // namespace scribeline::harness
