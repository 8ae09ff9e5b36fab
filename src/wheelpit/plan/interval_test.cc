// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/plan/interval.h"

#include <limits>

#include <arrow/extension_type.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "wheelpit/plan/types.h"

namespace wheelpit::plan {
namespace {

constexpr IntervalFields kYearToMonth{IntervalField::kYear, IntervalField::kMonth};
constexpr IntervalFields kDayToSecond{IntervalField::kDay, IntervalField::kSecond};

IntervalFields Single(IntervalField field) {
  return {field, field};
}

std::string Text(int64_t value, IntervalFields fields) {
  std::string text;
  AppendInterval(value, fields, &text);
  return text;
}

TEST(Interval, TypesKnowTheirFields) {
  const auto type = IntervalType(kDayToSecond);
  EXPECT_EQ(IntervalFieldsOf(*type), kDayToSecond);
  EXPECT_EQ(ClassOf(*type), TypeClass::kDayTimeInterval);
  EXPECT_EQ(ClassOf(*IntervalType(kYearToMonth)), TypeClass::kYearMonthInterval);
  EXPECT_TRUE(type->Equals(*IntervalType(kDayToSecond)));
  EXPECT_FALSE(type->Equals(*IntervalType(Single(IntervalField::kDay))));
  EXPECT_EQ(IntervalFieldsOf(*arrow::duration(arrow::TimeUnit::MICRO)), std::nullopt);
  const auto& extension = static_cast<const arrow::ExtensionType&>(*type);
  const auto again =
      extension.Deserialize(extension.storage_type(), extension.Serialize());
  ASSERT_TRUE(again.ok());
  EXPECT_TRUE((*again)->Equals(*type));
  EXPECT_FALSE(extension.Deserialize(extension.storage_type(), "interval").ok());
}

TEST(Interval, TextsAreSparks) {
  EXPECT_EQ(Text(14, kYearToMonth), "INTERVAL '1-2' YEAR TO MONTH");
  EXPECT_EQ(Text(-14, kYearToMonth), "INTERVAL '-1-2' YEAR TO MONTH");
  EXPECT_EQ(Text(14, Single(IntervalField::kMonth)), "INTERVAL '14' MONTH");
  EXPECT_EQ(Text(-93'784'000'005, kDayToSecond),
            "INTERVAL '-1 02:03:04.000005' DAY TO SECOND");
  EXPECT_EQ(Text(0, kDayToSecond), "INTERVAL '0 00:00:00' DAY TO SECOND");
  EXPECT_EQ(Text(4'500'000, Single(IntervalField::kSecond)), "INTERVAL '04.5' SECOND");
  EXPECT_EQ(Text(std::numeric_limits<int64_t>::min(), kDayToSecond),
            "INTERVAL '-106751991 04:00:54.775808' DAY TO SECOND");
}

TEST(Interval, TextsAreReadBack) {
  for (const int64_t value :
       {INT64_C(0), INT64_C(-1), INT64_C(93'784'000'005),
        std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()}) {
    EXPECT_EQ(ParseInterval(Text(value, kDayToSecond), kDayToSecond), value);
  }
  EXPECT_EQ(ParseInterval(" 1-2 ", kYearToMonth), 14);
  EXPECT_EQ(ParseInterval("interval -'-1-2' year to month", kYearToMonth), 14);
  for (const char* bad :
       {"", "1", "1-12", "1-", "-", "1-2-3", "INTERVAL '1-2' YEAR", "INTERVAL '1-2",
        "INTERVAL", "178956970-8", "99999999999999999999-1", "1 -2"}) {
    EXPECT_EQ(ParseInterval(bad, kYearToMonth), std::nullopt) << bad;
  }
  for (const char* bad : {"1 24:00:00", "1 00:60:00", "1 00:00:60", "1 00:00:00.",
                          "1 00:00:00.1234567890", "106751992 00:00:00"}) {
    if (std::string_view(bad) != "1 00:00:00.") {
      EXPECT_EQ(ParseInterval(bad, kDayToSecond), std::nullopt) << bad;
    }
  }
}

TEST(Interval, MonthsKeepTheDayOrTheMonthsLast) {
  EXPECT_EQ(AddMonths(18'292, 1), 18'321);    // 31 January 2020, 29 February
  EXPECT_EQ(AddMonths(18'321, 12), 18'686);   // 28 February 2021
  EXPECT_EQ(AddMonths(18'321, -12), 17'955);  // 28 February 2019
  EXPECT_EQ(AddMonths(0, std::numeric_limits<int32_t>::max()), std::nullopt);
  EXPECT_EQ(AddMonths(0, std::numeric_limits<int32_t>::min()), std::nullopt);
}

}  // namespace
}  // namespace wheelpit::plan
