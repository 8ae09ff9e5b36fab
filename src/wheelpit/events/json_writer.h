// SPDX-License-Identifier: Apache-2.0
// JsonWriter: JSON straight into a string, no tree in between. Numbers and escapes are
// written as Jackson writes them, so that lines can be compared with Spark's byte by
// byte.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace wheelpit::events {

/// A longer string is cut, and its end says how much is missing. Far above any statement
/// that somebody reads, far below what a reader refuses.
inline constexpr size_t kJsonStringBytesMax = size_t{1} << 20;

/// The caller opens and closes in order; commas are the writer's. One thread.
class JsonWriter {
 public:
  /// Appends to `out`, which must outlive the writer.
  explicit JsonWriter(std::string* out) : out_(*out) {}

  void BeginObject() { Open('{'); }
  void EndObject() { Close('}'); }
  void BeginArray() { Open('['); }
  void EndArray() { Close(']'); }
  /// `key` must need no escape: names in the source are such.
  void Key(std::string_view key);

  /// Bytes that are not UTF-8 become U+FFFD.
  void String(std::string_view text);
  void Number(int64_t number);
  /// Always with a fraction or an exponent, as in Java; null when it is not finite.
  void Double(double number);
  void Bool(bool value);
  void Null();

  void Field(std::string_view key, std::string_view text) {
    Key(key);
    String(text);
  }
  // A pointer would become a bool.
  void Field(std::string_view key, const char* text) {
    Field(key, std::string_view(text));
  }
  template <std::integral T>
  void Field(std::string_view key, T value) {
    Key(key);
    if constexpr (std::same_as<T, bool>) {
      Bool(value);
    } else {
      Number(static_cast<int64_t>(value));
    }
  }

 private:
  void Open(char bracket);
  void Close(char bracket);
  void BeforeValue();
  void Escaped(std::string_view text);

  std::string& out_;
  bool comma_ = false;  // the next key or value is preceded by one
};

}  // namespace wheelpit::events
