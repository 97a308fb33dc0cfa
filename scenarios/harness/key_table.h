// All keys of a scenario, declared once: what may be set, what it means, and where it goes.
#pragma once

#include <deque>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/harness/key.h"

namespace scribeline::harness {

// One "key = value" a user gave.
struct setting {
  std::string path;
  // From a file the value has its TOML type; from the command line it is text, read when the key is known.
  std::variant<config_value, std::string> value;
  // "sol.toml:12:5" or "--set machine.wafers=3": the beginning of error messages about it.
  std::string where;
  // Where the value stands, if elsewhere than the key.
  std::string value_where;
};

// A key that was set and changes nothing.
struct unused_key {
  std::string path;
  std::string where;
  std::string condition;
  bool is_observer;
};

// Binds keys to fields by reference: the config struct must outlive the table and not move.
//
//   keys.add("machine.link.latency_ns", config.link.latency_ns)
//       .unit("ns").range(0, 1e9).source("...").meaning("one way, port to port");
class key_table {
 public:
  key_table() = default;
  key_table(const key_table&) = delete;
  key_table& operator=(const key_table&) = delete;

  // T is bool, an integer, double, std::string, or a std::vector of one of these. The default is the field's value.
  template <class T>
  key& add(std::string path, T& field);
  // An enum, by name. One of the pairs must be the field's value.
  template <class Enum>
  key& add_choice(std::string path, Enum& field, std::vector<std::pair<std::string, Enum>> choices);
  // A key that fills other fields, and is applied before any other key wherever it stands. Declared before the keys
  // it fills, so that their defaults show what the default preset says; presets are applied in order of declaration.
  key& add_preset(std::string path, std::string& field, std::vector<preset> presets);

  const std::deque<key>& keys() const { return keys_; }
  std::vector<std::string> paths() const;
  // Throws std::logic_error for a key that was not declared.
  key& at(const std::string& path);

  // Applies settings in order (a later one wins), presets first, and checks them all. Files are looked up beside
  // `scenario_folder`, then in the current directory. Returns the settings without effect.
  // Throws base::bad_input listing every problem, one a line.
  std::vector<unused_key> apply(const std::vector<setting>& settings, const std::filesystem::path& scenario_folder);

  // True if the key was set by the last apply().
  bool was_set(const std::string& path) const;

 private:
  key& insert(std::string path, std::unique_ptr<field_binding> field);
  const key* find(const std::string& path) const;
  std::string unknown_key(const setting& given) const;
  void assign(key& target, const setting& given, std::vector<std::string>& problems);
  void apply_presets(const std::vector<setting>& settings, std::vector<std::string>& problems);
  void check_all(const std::vector<setting>& settings, std::vector<std::string>& problems) const;

  std::deque<key> keys_;  // references returned by add() stay valid
  std::vector<std::string> set_;
};

// ---- bindings ----

template <class T>
class plain_field : public field_binding {
 public:
  explicit plain_field(T& field) : field_(field) {}
  value_type type() const override { return {scalar_type_of<T>(), false}; }
  config_value current() const override { return to_scalar(field_); }
  void assign(const config_value& value) override {
    const auto* one = std::get_if<scalar>(&value);
    if (one == nullptr) throw value_problem("expects " + describe(type()) + ", got " + describe(value));
    field_ = from_scalar<T>(*one);
  }

 private:
  T& field_;
};

template <class T>
class list_field : public field_binding {
 public:
  explicit list_field(std::vector<T>& field) : field_(field) {}
  value_type type() const override { return {scalar_type_of<T>(), true}; }
  config_value current() const override {
    scalar_list list;
    for (auto&& item : field_)
      list.push_back(to_scalar<T>(item));
    return list;
  }
  void assign(const config_value& value) override {
    const auto* list = std::get_if<scalar_list>(&value);
    if (list == nullptr) throw value_problem("expects " + describe(type()) + ", got " + describe(value));
    std::vector<T> items;
    for (const scalar& item : *list) {
      try {
        items.push_back(from_scalar<T>(item));
      } catch (const value_problem& problem) {
        throw value_problem("item " + std::to_string(items.size() + 1) + ": " + problem.what());
      }
    }
    field_ = std::move(items);
  }

 private:
  std::vector<T>& field_;
};

template <class Enum>
class choice_field : public field_binding {
 public:
  choice_field(Enum& field, std::vector<std::pair<std::string, Enum>> choices)
      : field_(field), choices_(std::move(choices)) {}
  value_type type() const override { return {scalar_type::string, false}; }
  config_value current() const override {
    for (const auto& [name, value] : choices_) {
      if (value == field_) return scalar{name};
    }
    throw std::logic_error("the default of a choice is not among its choices");
  }
  void assign(const config_value& value) override {
    for (const auto& [name, choice] : choices_) {
      if (value == config_value{scalar{name}}) {
        field_ = choice;
        return;
      }
    }
    std::string names;
    for (const auto& [name, choice] : choices_)
      names += (names.empty() ? "" : ", ") + name;
    throw value_problem("must be one of " + names);
  }
  std::vector<std::string> choices() const override {
    std::vector<std::string> names;
    for (const auto& [name, value] : choices_)
      names.push_back(name);
    return names;
  }

 private:
  Enum& field_;
  std::vector<std::pair<std::string, Enum>> choices_;
};

template <class T>
struct field_for {
  using type = plain_field<T>;
};
template <class T>
struct field_for<std::vector<T>> {
  using type = list_field<T>;
};

template <class T>
key& key_table::add(std::string path, T& field) {
  return insert(std::move(path), std::make_unique<typename field_for<T>::type>(field));
}

template <class Enum>
key& key_table::add_choice(std::string path, Enum& field, std::vector<std::pair<std::string, Enum>> choices) {
  return insert(std::move(path), std::make_unique<choice_field<Enum>>(field, std::move(choices)));
}

}  // namespace scribeline::harness
