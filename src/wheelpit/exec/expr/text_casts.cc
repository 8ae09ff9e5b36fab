// SPDX-License-Identifier: Apache-2.0
// Casts from and to text.
#include <limits>
#include <string>

#include <arrow/type.h>

#include "wheelpit/core/error.h"
#include "wheelpit/exec/expr/cast_loop.h"
#include "wheelpit/exec/expr/kernel.h"
#include "wheelpit/exec/expr/number_text.h"
#include "wheelpit/plan/interval.h"
#include "wheelpit/plan/value_text.h"

namespace wheelpit::exec::expr {

namespace {

// Text from the values of the argument: `append(value, out)`.
template <typename A, typename Append>
arrow::Status ToText(const KernelCall& call, const Vector& argument, int64_t count,
                     Vector* out, Append append) {
  ARROW_ASSIGN_OR_RAISE(TextBuilder builder,
                        TextBuilder::Make(call.expression.type, count, call.pool));
  const A* values = argument.Values<A>();
  std::string text;
  for (int64_t i = 0; i < count; ++i) {
    if (out->IsValid(i)) {
      text.clear();
      append(values[i], &text);
      ARROW_RETURN_NOT_OK(builder.Piece(text));
    }
    builder.EndValue();
  }
  ARROW_ASSIGN_OR_RAISE(Vector made, builder.Finish());
  made.valid = out->valid;
  made.valid_buffer = std::move(out->valid_buffer);
  *out = std::move(made);
  return arrow::Status::OK();
}

template <typename A>
arrow::Status IntegerToText(const KernelCall& call, std::span<const Vector> arguments,
                            int64_t count, Vector* out) {
  return ToText<A>(call, arguments[0], count, out,
                   [](A value, std::string* text) { plan::AppendInt(value, text); });
}

arrow::Status BooleanToText(const KernelCall& call, std::span<const Vector> arguments,
                            int64_t count, Vector* out) {
  return ToText<uint8_t>(call, arguments[0], count, out,
                         [](uint8_t value, std::string* text) {
                           text->append(value != 0 ? "true" : "false");
                         });
}

arrow::Status FloatToText(const KernelCall& call, std::span<const Vector> arguments,
                          int64_t count, Vector* out) {
  return ToText<float>(call, arguments[0], count, out, &plan::AppendFloat);
}

arrow::Status DoubleToText(const KernelCall& call, std::span<const Vector> arguments,
                           int64_t count, Vector* out) {
  return ToText<double>(call, arguments[0], count, out, &plan::AppendDouble);
}

arrow::Status DecimalToText(const KernelCall& call, std::span<const Vector> arguments,
                            int64_t count, Vector* out) {
  const int scale = plan::DecimalShapeOf(*arguments[0].type).scale;
  return ToText<DecimalWords>(call, arguments[0], count, out,
                              [scale](DecimalWords words, std::string* text) {
                                plan::AppendDecimal(ToInt128(words), scale, text);
                              });
}

arrow::Status DateToText(const KernelCall& call, std::span<const Vector> arguments,
                         int64_t count, Vector* out) {
  return ToText<int32_t>(
      call, arguments[0], count, out,
      [](int32_t days, std::string* text) { plan::AppendDate(days, text); });
}

arrow::Status TimestampToText(const KernelCall& call, std::span<const Vector> arguments,
                              int64_t count, Vector* out) {
  return ToText<int64_t>(
      call, arguments[0], count, out,
      [clock = ClockOf(call, arguments[0])](int64_t micros, std::string* text) mutable {
        plan::AppendTimestamp(clock.ToLocal(micros), text);
      });
}

// Between text and binary: the same bytes.
arrow::Status SameBytes(const KernelCall& call, std::span<const Vector> arguments,
                        int64_t, Vector* out) {
  *out = arguments[0];
  out->type = call.expression.type;
  out->type_class = plan::ClassOf(*out->type);
  return arrow::Status::OK();
}

template <typename R>
arrow::Status TextToInteger(const KernelCall& call, std::span<const Vector> arguments,
                            int64_t count, Vector* out) {
  return TextCastLoop<R>(call, arguments[0], count, out,
                         [](std::string_view text, R* result) -> std::string_view {
                           const auto value = plan::ParseInteger(text);
                           if (!value || *value < std::numeric_limits<R>::min() ||
                               *value > std::numeric_limits<R>::max()) {
                             return kCastInvalid;
                           }
                           *result = static_cast<R>(*value);
                           return {};
                         });
}

// With a parser that gives an optional value.
template <typename R, auto kParse>
arrow::Status ParseText(const KernelCall& call, std::span<const Vector> arguments,
                        int64_t count, Vector* out) {
  return TextCastLoop<R>(call, arguments[0], count, out,
                         [](std::string_view text, R* result) -> std::string_view {
                           const auto value = kParse(text);
                           if (!value) {
                             return kCastInvalid;
                           }
                           *result = static_cast<R>(*value);
                           return {};
                         });
}

arrow::Status TextToDecimal(const KernelCall& call, std::span<const Vector> arguments,
                            int64_t count, Vector* out) {
  const plan::DecimalShape to = plan::DecimalShapeOf(*call.expression.type);
  return TextCastLoop<DecimalWords>(
      call, arguments[0], count, out,
      [to](std::string_view text, DecimalWords* result) -> std::string_view {
        int128 value = 0;
        const std::string_view refused = ParseDecimal(text, to, &value);
        *result = ToWords(value);
        return refused;
      });
}

// The zones that the rows of a text name, by their names. None is read from a file.
class NamedZones {
 public:
  explicit NamedZones(const index::TimeZone& session) : session_(session) {}

  /// That of the session for no name, null for an unknown one.
  const index::TimeZone* Find(std::string_view name) {
    if (name.empty()) {
      return &session_;
    }
    if (last_ == nullptr || name != last_name_) {
      last_ = index::TimeZone::FindLoaded(name);
      last_name_ = name;
    }
    return last_;
  }

 private:
  const index::TimeZone& session_;
  std::string last_name_;
  const index::TimeZone* last_ = nullptr;
};

arrow::Status TextToTimestampNtz(const KernelCall& call,
                                 std::span<const Vector> arguments, int64_t count,
                                 Vector* out) {
  return TextCastLoop<int64_t>(
      call, arguments[0], count, out,
      [zones = NamedZones(call.zone)](std::string_view text,
                                      int64_t* result) mutable -> std::string_view {
        const auto parsed = plan::ParseTimestamp(text);
        if (!parsed || parsed->time_only || zones.Find(parsed->zone) == nullptr) {
          return kCastInvalid;
        }
        *result = parsed->local_micros;
        return {};
      });
}

arrow::Status TextToTimestamp(const KernelCall& call, std::span<const Vector> arguments,
                              int64_t count, Vector* out) {
  arrow::Status unsupported;
  NamedZones zones(call.zone);
  ARROW_RETURN_NOT_OK(TextCastLoop<int64_t>(
      call, arguments[0], count, out,
      [&](std::string_view text, int64_t* result) -> std::string_view {
        const auto parsed = plan::ParseTimestamp(text);
        const index::TimeZone* zone = parsed ? zones.Find(parsed->zone) : nullptr;
        if (zone == nullptr && parsed && index::IsZoneRegion(parsed->zone) &&
            index::TimeZone::IsDatabaseMissing()) {
          unsupported = core::Error(core::ErrorKind::kUnsupported, "'", text,
                                    "' names a time zone, and this system has no "
                                    "database of them; install the package tzdata");
          return {};
        }
        if (zone == nullptr) {
          return kCastInvalid;
        }
        if (parsed->time_only && unsupported.ok()) {
          unsupported = core::Error(core::ErrorKind::kUnsupported, "'", text,
                                    "' has no date; a time of the current day is not "
                                    "supported yet");
        }
        const auto instant = zone->ToInstant(parsed->local_micros);
        *result = instant.value_or(0);
        return instant ? std::string_view() : kCastInvalid;
      }));
  return unsupported;
}

template <typename A>
arrow::Status IntervalToText(const KernelCall& call, std::span<const Vector> arguments,
                             int64_t count, Vector* out) {
  return ToText<A>(
      call, arguments[0], count, out,
      [fields = *plan::IntervalFieldsOf(*arguments[0].type)](A value, std::string* text) {
        plan::AppendInterval(value, fields, text);
      });
}

template <typename R>
arrow::Status TextToInterval(const KernelCall& call, std::span<const Vector> arguments,
                             int64_t count, Vector* out) {
  return TextCastLoop<R>(call, arguments[0], count, out,
                         [fields = *plan::IntervalFieldsOf(*call.expression.type)](
                             std::string_view text, R* result) -> std::string_view {
                           const auto value = plan::ParseInterval(text, fields);
                           *result = static_cast<R>(value.value_or(0));
                           return value ? std::string_view() : kIntervalFormat;
                         });
}

KernelChoice FromText(TypeClass to) {
  switch (to) {
    case TypeClass::kBoolean:
      return {&ParseText<uint8_t, &ParseBoolean>, true};
    case TypeClass::kInt8:
      return {&TextToInteger<int8_t>, true};
    case TypeClass::kInt16:
      return {&TextToInteger<int16_t>, true};
    case TypeClass::kInt32:
      return {&TextToInteger<int32_t>, true};
    case TypeClass::kInt64:
      return {&TextToInteger<int64_t>, true};
    case TypeClass::kFloat:
      return {&ParseText<float, &ParseFloat>, true};
    case TypeClass::kDouble:
      return {&ParseText<double, &ParseDouble>, true};
    case TypeClass::kDecimal:
      return {&TextToDecimal, true};
    case TypeClass::kDate:
      return {&ParseText<int32_t, &plan::ParseDate>, true};
    case TypeClass::kTimestamp:
      return {&TextToTimestamp, true};
    case TypeClass::kTimestampNtz:
      return {&TextToTimestampNtz, true};
    case TypeClass::kYearMonthInterval:
      return {&TextToInterval<int32_t>, true};
    case TypeClass::kDayTimeInterval:
      return {&TextToInterval<int64_t>, true};
    case TypeClass::kBinary:
      return {&SameBytes};
    default:
      return {};
  }
}

}  // namespace

KernelChoice TextCastKernel(const plan::Expr& cast) {
  const TypeClass from = plan::ClassOf(*cast.arguments[0]->type);
  if (from == TypeClass::kString) {
    return FromText(plan::ClassOf(*cast.type));
  }
  if (plan::ClassOf(*cast.type) != TypeClass::kString) {
    return {};
  }
  switch (from) {
    case TypeClass::kBoolean:
      return {&BooleanToText};
    case TypeClass::kInt8:
      return {&IntegerToText<int8_t>};
    case TypeClass::kInt16:
      return {&IntegerToText<int16_t>};
    case TypeClass::kInt32:
      return {&IntegerToText<int32_t>};
    case TypeClass::kInt64:
      return {&IntegerToText<int64_t>};
    case TypeClass::kFloat:
      return {&FloatToText};
    case TypeClass::kDouble:
      return {&DoubleToText};
    case TypeClass::kDecimal:
      return {&DecimalToText};
    case TypeClass::kBinary:
      return {&SameBytes};
    case TypeClass::kDate:
      return {&DateToText};
    case TypeClass::kTimestamp:
    case TypeClass::kTimestampNtz:
      return {&TimestampToText};
    case TypeClass::kYearMonthInterval:
      return {&IntervalToText<int32_t>};
    case TypeClass::kDayTimeInterval:
      return {&IntervalToText<int64_t>};
    default:
      return {};
  }
}

}  // namespace wheelpit::exec::expr
