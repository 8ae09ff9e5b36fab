// SPDX-License-Identifier: Apache-2.0
// Parts of dates and time stamps, and days added to dates.
#include <arrow/type.h>

#include "wheelpit/exec/expr/kernel.h"
#include "wheelpit/plan/value_text.h"

namespace wheelpit::exec::expr {

namespace {

using plan::Function;

// Days are moved modulo 2^32, as in Spark.
template <int kSign>
arrow::Status MoveDays(const KernelCall&, std::span<const Vector> arguments,
                       int64_t count, Vector* out) {
  BinaryLoop<int32_t, int32_t>(
      arguments[0], arguments[1], count, MutableValues<int32_t>(*out),
      [](int32_t date, int32_t days) {
        return static_cast<int32_t>(static_cast<uint32_t>(date) +
                                    static_cast<uint32_t>(kSign) *
                                        static_cast<uint32_t>(days));
      });
  return arrow::Status::OK();
}

arrow::Status DaysBetween(const KernelCall& call, std::span<const Vector> arguments,
                          int64_t count, Vector* out) {
  return MoveDays<-1>(call, arguments, count, out);
}

template <typename Part>
arrow::Status DatePart(std::span<const Vector> arguments, int64_t count, Vector* out,
                       Part part) {
  UnaryLoop<int32_t>(arguments[0], count, MutableValues<int32_t>(*out),
                     [&](int32_t days) {
                       return static_cast<int32_t>(part(plan::CivilFromDays(days)));
                     });
  return arrow::Status::OK();
}

arrow::Status Year(const KernelCall&, std::span<const Vector> arguments, int64_t count,
                   Vector* out) {
  return DatePart(arguments, count, out, [](plan::CivilDate d) { return d.year; });
}

arrow::Status Month(const KernelCall&, std::span<const Vector> arguments, int64_t count,
                    Vector* out) {
  return DatePart(arguments, count, out, [](plan::CivilDate d) { return d.month; });
}

arrow::Status Day(const KernelCall&, std::span<const Vector> arguments, int64_t count,
                  Vector* out) {
  return DatePart(arguments, count, out, [](plan::CivilDate d) { return d.day; });
}

template <int64_t kUnitSeconds, int64_t kModulus>
arrow::Status TimePart(const KernelCall& call, std::span<const Vector> arguments,
                       int64_t count, Vector* out) {
  UnaryLoop<int64_t>(arguments[0], count, MutableValues<int32_t>(*out),
                     [clock = ClockOf(call, arguments[0])](int64_t micros) mutable {
                       const int64_t seconds =
                           plan::FloorDivide(micros, plan::kMicrosPerSecond) +
                           clock.OffsetAt(micros) / plan::kMicrosPerSecond;
                       const int64_t units = plan::FloorDivide(seconds, kUnitSeconds);
                       return static_cast<int32_t>(
                           units - plan::FloorDivide(units, kModulus) * kModulus);
                     });
  return arrow::Status::OK();
}

arrow::Status SecondFraction(const KernelCall& call, std::span<const Vector> arguments,
                             int64_t count, Vector* out) {
  constexpr int64_t kMicrosPerMinute = 60 * plan::kMicrosPerSecond;
  UnaryLoop<int64_t>(arguments[0], count, MutableValues<DecimalWords>(*out),
                     [clock = ClockOf(call, arguments[0])](int64_t micros) mutable {
                       const int64_t local =
                           micros % kMicrosPerMinute + clock.OffsetAt(micros);
                       return ToWords(local - plan::FloorDivide(local, kMicrosPerMinute) *
                                                  kMicrosPerMinute);
                     });
  return arrow::Status::OK();
}

}  // namespace

KernelChoice TemporalKernel(const plan::Expr& call) {
  switch (call.function) {
    case Function::kYear:
      return {&Year};
    case Function::kMonth:
      return {&Month};
    case Function::kDay:
      return {&Day};
    case Function::kHour:
      return {&TimePart<3600, 24>};
    case Function::kMinute:
      return {&TimePart<60, 60>};
    case Function::kSecond:
      return {&TimePart<1, 60>};
    case Function::kSecondFraction:
      return {&SecondFraction};
    case Function::kDateAdd:
      return {&MoveDays<1>};
    case Function::kDateSub:
      return {&MoveDays<-1>};
    case Function::kDateDiff:
      return {&DaysBetween};
    default:
      return {};
  }
}

}  // namespace wheelpit::exec::expr
