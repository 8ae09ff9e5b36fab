// SPDX-License-Identifier: Apache-2.0
// Result types by Spark 4.3.0 in ANSI mode, asked of its analyser for columns of every
// pair of these types: bo boolean, i1…i8 tinyint…bigint, f4 float, f8 double,
// 15.2 decimal(15,2), st string, bi binary, da date, ts timestamp, tn timestamp_ntz, vo
// void;
// - is refused; id interval day, is interval day to second. Rows are the left operand,
// columns the right one.
#pragma once

namespace wheelpit::plan {

struct TypeTable {
  Function function;
  const char* text;
};

constexpr TypeTable kBinaryTypes[] = {
    {Function::kAdd, R"(
- - - - - - - - - - - - - - - - - -
- i1 i2 i4 i8 f8 f8 5.1 11.0 16.2 38.9 38.34 i8 - da - - i1
- i2 i2 i4 i8 f8 f8 7.1 11.0 16.2 38.9 38.32 i8 - da - - i2
- i4 i4 i4 i8 f8 f8 12.1 11.0 16.2 38.9 38.27 i8 - da - - i4
- i8 i8 i8 i8 f8 f8 22.1 21.0 23.2 38.9 38.17 i8 - - - - i8
- f8 f8 f8 f8 f4 f8 f8 f8 f8 f8 f8 f8 - - - - f4
- f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 - - - - f8
- 5.1 7.1 12.1 22.1 f8 f8 4.1 12.1 16.2 38.9 38.35 f8 - - - - 4.1
- 11.0 11.0 11.0 21.0 f8 f8 12.1 11.0 16.2 38.9 38.27 f8 - - - - 11.0
- 16.2 16.2 16.2 23.2 f8 f8 16.2 16.2 16.2 38.9 38.24 f8 - - - - 16.2
- 38.9 38.9 38.9 38.9 f8 f8 38.9 38.9 38.9 38.9 38.9 f8 - - - - 38.9
- 38.34 38.32 38.27 38.17 f8 f8 38.35 38.27 38.24 38.9 38.37 f8 - - - - 38.37
- i8 i8 i8 i8 f8 f8 f8 f8 f8 f8 f8 - - - - - -
- - - - - - - - - - - - - - - - - -
- da da da - - - - - - - - - - - - - ts
- - - - - - - - - - - - - - - - - ts
- - - - - - - - - - - - - - - - - tn
- i1 i2 i4 i8 f4 f8 4.1 11.0 16.2 38.9 38.37 - - ts ts tn f8
)"},
    {Function::kSubtract, R"(
- - - - - - - - - - - - - - - - - -
- i1 i2 i4 i8 f8 f8 5.1 11.0 16.2 38.9 38.34 i8 - - - - i1
- i2 i2 i4 i8 f8 f8 7.1 11.0 16.2 38.9 38.32 i8 - - - - i2
- i4 i4 i4 i8 f8 f8 12.1 11.0 16.2 38.9 38.27 i8 - - - - i4
- i8 i8 i8 i8 f8 f8 22.1 21.0 23.2 38.9 38.17 i8 - - - - i8
- f8 f8 f8 f8 f4 f8 f8 f8 f8 f8 f8 f8 - - - - f4
- f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 - - - - f8
- 5.1 7.1 12.1 22.1 f8 f8 4.1 12.1 16.2 38.9 38.35 f8 - - - - 4.1
- 11.0 11.0 11.0 21.0 f8 f8 12.1 11.0 16.2 38.9 38.27 f8 - - - - 11.0
- 16.2 16.2 16.2 23.2 f8 f8 16.2 16.2 16.2 38.9 38.24 f8 - - - - 16.2
- 38.9 38.9 38.9 38.9 f8 f8 38.9 38.9 38.9 38.9 38.9 f8 - - - - 38.9
- 38.34 38.32 38.27 38.17 f8 f8 38.35 38.27 38.24 38.9 38.37 f8 - - - - 38.37
- i8 i8 i8 i8 f8 f8 f8 f8 f8 f8 f8 - - id is is -
- - - - - - - - - - - - - - - - - -
- da da da - - - - - - - - id - id is is id
- - - - - - - - - - - - is - is is is is
- - - - - - - - - - - - is - is is is is
- i1 i2 i4 i8 f4 f8 4.1 11.0 16.2 38.9 38.37 - - id is is f8
)"},
    {Function::kMultiply, R"(
- - - - - - - - - - - - - - - - - -
- i1 i2 i4 i8 f8 f8 7.1 14.0 19.2 38.6 38.34 i8 - - - - i1
- i2 i2 i4 i8 f8 f8 9.1 16.0 21.2 38.6 38.32 i8 - - - - i2
- i4 i4 i4 i8 f8 f8 14.1 21.0 26.2 38.6 38.27 i8 - - - - i4
- i8 i8 i8 i8 f8 f8 24.1 31.0 36.2 38.6 38.17 i8 - - - - i8
- f8 f8 f8 f8 f4 f8 f8 f8 f8 f8 f8 f8 - - - - f4
- f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 - - - - f8
- 7.1 9.1 14.1 24.1 f8 f8 7.2 14.1 19.3 38.7 38.35 f8 - - - - 7.2
- 14.0 16.0 21.0 31.0 f8 f8 14.1 21.0 26.2 38.6 38.27 f8 - - - - 21.0
- 19.2 21.2 26.2 36.2 f8 f8 19.3 26.2 31.4 38.6 38.24 f8 - - - - 31.4
- 38.6 38.6 38.6 38.6 f8 f8 38.7 38.6 38.6 38.6 38.9 f8 - - - - 38.6
- 38.34 38.32 38.27 38.17 f8 f8 38.35 38.27 38.24 38.9 38.37 f8 - - - - 38.37
- i8 i8 i8 i8 f8 f8 f8 f8 f8 f8 f8 - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- i1 i2 i4 i8 f4 f8 7.2 21.0 31.4 38.6 38.37 - - - - - f8
)"},
    {Function::kDivide, R"(
- - - - - - - - - - - - - - - - - -
- f8 f8 f8 f8 f8 f8 10.6 14.11 21.16 38.25 38.6 f8 - - - - f8
- f8 f8 f8 f8 f8 f8 12.6 16.11 23.16 38.23 38.6 f8 - - - - f8
- f8 f8 f8 f8 f8 f8 17.6 21.11 28.16 38.18 38.6 f8 - - - - f8
- f8 f8 f8 f8 f8 f8 27.6 31.11 38.16 38.8 38.6 f8 - - - - f8
- f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 - - - - f8
- f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 - - - - f8
- 8.6 9.7 14.12 24.22 f8 f8 9.6 14.12 21.17 38.26 38.6 f8 - - - - 9.6
- 16.6 16.6 21.11 31.21 f8 f8 17.6 21.11 28.16 38.18 38.6 f8 - - - - 21.11
- 19.6 21.8 26.13 36.23 f8 f8 20.6 26.13 33.18 38.15 38.6 f8 - - - - 33.18
- 38.10 38.10 38.10 38.10 f8 f8 38.9 38.10 38.8 38.6 38.6 f8 - - - - 38.6
- 38.38 38.38 38.38 38.38 f8 f8 38.37 38.38 38.36 38.28 38.6 f8 - - - - 38.6
- f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 - - - - - f8
)"},
    {Function::kIntegralDivide, R"(
- - - - - - - - - - - - - - - - - -
- i8 i8 i8 i8 - - i8 i8 i8 i8 i8 i8 - - - - i8
- i8 i8 i8 i8 - - i8 i8 i8 i8 i8 i8 - - - - i8
- i8 i8 i8 i8 - - i8 i8 i8 i8 i8 i8 - - - - i8
- i8 i8 i8 i8 - - i8 i8 i8 i8 i8 i8 - - - - i8
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- i8 i8 i8 i8 - - i8 i8 i8 i8 i8 - - - - - i8
- i8 i8 i8 i8 - - i8 i8 i8 i8 i8 - - - - - i8
- i8 i8 i8 i8 - - i8 i8 i8 i8 i8 - - - - - i8
- i8 i8 i8 i8 - - i8 i8 i8 i8 i8 - - - - - i8
- i8 i8 i8 i8 - - i8 i8 i8 i8 i8 - - - - - i8
- i8 i8 i8 i8 - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- i8 i8 i8 i8 - - i8 i8 i8 i8 i8 - - - - - i8
)"},
    {Function::kRemainder, R"(
- - - - - - - - - - - - - - - - - -
- i1 i2 i4 i8 f8 f8 3.1 3.0 5.2 13.10 38.38 i8 - - - - i1
- i2 i2 i4 i8 f8 f8 3.1 5.0 7.2 15.10 38.38 i8 - - - - i2
- i4 i4 i4 i8 f8 f8 3.1 10.0 12.2 20.10 38.38 i8 - - - - i4
- i8 i8 i8 i8 f8 f8 3.1 10.0 15.2 30.10 38.38 i8 - - - - i8
- f8 f8 f8 f8 f4 f8 f8 f8 f8 f8 f8 f8 - - - - f4
- f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 - - - - f8
- 3.1 3.1 3.1 3.1 f8 f8 3.1 3.1 4.2 12.10 38.38 f8 - - - - 3.1
- 3.0 5.0 10.0 10.0 f8 f8 3.1 10.0 12.2 20.10 38.38 f8 - - - - 10.0
- 5.2 7.2 12.2 15.2 f8 f8 4.2 12.2 15.2 23.10 38.38 f8 - - - - 15.2
- 13.10 15.10 20.10 30.10 f8 f8 12.10 20.10 23.10 38.10 38.38 f8 - - - - 38.10
- 38.38 38.38 38.38 38.38 f8 f8 38.38 38.38 38.38 38.38 38.38 f8 - - - - 38.38
- i8 i8 i8 i8 f8 f8 f8 f8 f8 f8 f8 - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- i1 i2 i4 i8 f4 f8 3.1 10.0 15.2 38.10 38.38 - - - - - f8
)"},
    {Function::kBitAnd, R"(
- - - - - - - - - - - - - - - - - -
- i1 i2 i4 i8 - - - - - - - i8 - - - - i1
- i2 i2 i4 i8 - - - - - - - i8 - - - - i2
- i4 i4 i4 i8 - - - - - - - i8 - - - - i4
- i8 i8 i8 i8 - - - - - - - i8 - - - - i8
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- i8 i8 i8 i8 - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- i1 i2 i4 i8 - - - - - - - - - - - - i4
)"},
    {Function::kEqual, R"(
bo - - - - - - - - - - - bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo
- - - - - - - - - - - - bo bo - - - bo
- - - - - - - - - - - - bo - bo bo bo bo
- - - - - - - - - - - - bo - bo bo bo bo
- - - - - - - - - - - - bo - bo bo bo bo
bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo
)"},
    {Function::kLess, R"(
bo - - - - - - - - - - - bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo
- - - - - - - - - - - - bo bo - - - bo
- - - - - - - - - - - - bo - bo bo bo bo
- - - - - - - - - - - - bo - bo bo bo bo
- - - - - - - - - - - - bo - bo bo bo bo
bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo
)"},
    {Function::kNullSafeEqual, R"(
bo - - - - - - - - - - - bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo
- - - - - - - - - - - - bo bo - - - bo
- - - - - - - - - - - - bo - bo bo bo bo
- - - - - - - - - - - - bo - bo bo bo bo
- - - - - - - - - - - - bo - bo bo bo bo
bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo
)"},
    {Function::kAnd, R"(
bo - - - - - - - - - - - bo - - - - bo
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
bo - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
bo - - - - - - - - - - - - - - - - bo
)"},
    {Function::kIn, R"(
bo - - - - - - - - - - - bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo
- - - - - - - - - - - - bo bo - - - bo
- - - - - - - - - - - - bo - bo bo bo bo
- - - - - - - - - - - - bo - bo bo bo bo
- - - - - - - - - - - - bo - bo bo bo bo
bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo
)"},
    {Function::kCoalesce, R"(
bo - - - - - - - - - - - bo - - - - bo
- i1 i2 i4 i8 f8 f8 4.1 10.0 15.2 38.10 38.35 i8 - - - - i1
- i2 i2 i4 i8 f8 f8 6.1 10.0 15.2 38.10 38.33 i8 - - - - i2
- i4 i4 i4 i8 f8 f8 11.1 10.0 15.2 38.10 38.28 i8 - - - - i4
- i8 i8 i8 i8 f8 f8 21.1 20.0 22.2 38.10 38.18 i8 - - - - i8
- f8 f8 f8 f8 f4 f8 f8 f8 f8 f8 f8 f8 - - - - f4
- f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 - - - - f8
- 4.1 6.1 11.1 21.1 f8 f8 3.1 11.1 15.2 38.10 38.36 f8 - - - - 3.1
- 10.0 10.0 10.0 20.0 f8 f8 11.1 10.0 15.2 38.10 38.28 f8 - - - - 10.0
- 15.2 15.2 15.2 22.2 f8 f8 15.2 15.2 15.2 38.10 38.25 f8 - - - - 15.2
- 38.10 38.10 38.10 38.10 f8 f8 38.10 38.10 38.10 38.10 38.10 f8 - - - - 38.10
- 38.35 38.33 38.28 38.18 f8 f8 38.36 38.28 38.25 38.10 38.38 f8 - - - - 38.38
bo i8 i8 i8 i8 f8 f8 f8 f8 f8 f8 f8 st bi da ts tn st
- - - - - - - - - - - - bi bi - - - bi
- - - - - - - - - - - - da - da ts tn da
- - - - - - - - - - - - ts - ts ts ts ts
- - - - - - - - - - - - tn - tn ts tn tn
bo i1 i2 i4 i8 f4 f8 3.1 10.0 15.2 38.10 38.38 st bi da ts tn vo
)"},
    {Function::kNullIf, R"(
bo - - - - - - - - - - - bo - - - - bo
- i1 i1 i1 i1 i1 i1 i1 i1 i1 i1 i1 i1 - - - - i1
- i2 i2 i2 i2 i2 i2 i2 i2 i2 i2 i2 i2 - - - - i2
- i4 i4 i4 i4 i4 i4 i4 i4 i4 i4 i4 i4 - - - - i4
- i8 i8 i8 i8 i8 i8 i8 i8 i8 i8 i8 i8 - - - - i8
- f4 f4 f4 f4 f4 f4 f4 f4 f4 f4 f4 f4 - - - - f4
- f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 - - - - f8
- 3.1 3.1 3.1 3.1 3.1 3.1 3.1 3.1 3.1 3.1 3.1 3.1 - - - - 3.1
- 10.0 10.0 10.0 10.0 10.0 10.0 10.0 10.0 10.0 10.0 10.0 10.0 - - - - 10.0
- 15.2 15.2 15.2 15.2 15.2 15.2 15.2 15.2 15.2 15.2 15.2 15.2 - - - - 15.2
- 38.10 38.10 38.10 38.10 38.10 38.10 38.10 38.10 38.10 38.10 38.10 38.10 - - - - 38.10
- 38.38 38.38 38.38 38.38 38.38 38.38 38.38 38.38 38.38 38.38 38.38 38.38 - - - - 38.38
st st st st st st st st st st st st st st st st st st
- - - - - - - - - - - - bi bi - - - bi
- - - - - - - - - - - - da - da da da da
- - - - - - - - - - - - ts - ts ts ts ts
- - - - - - - - - - - - tn - tn tn tn tn
vo vo vo vo vo vo vo vo vo vo vo vo vo vo vo vo vo vo
)"},
    {Function::kDateAdd, R"(
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- da da da - - - - - - - - da - - - - da
- - - - - - - - - - - - - - - - - -
- da da da - - - - - - - - da - - - - da
- da da da - - - - - - - - da - - - - da
- da da da - - - - - - - - da - - - - da
- da da da - - - - - - - - da - - - - da
)"},
    {Function::kDateDiff, R"(
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - i4 - i4 i4 i4 i4
- - - - - - - - - - - - - - - - - -
- - - - - - - - - - - - i4 - i4 i4 i4 i4
- - - - - - - - - - - - i4 - i4 i4 i4 i4
- - - - - - - - - - - - i4 - i4 i4 i4 i4
- - - - - - - - - - - - i4 - i4 i4 i4 i4
)"},
    {Function::kSubstring, R"(
- st st st st st st st st st st st st - - - - st
- st st st st st st st st st st st st - - - - st
- st st st st st st st st st st st st - - - - st
- st st st st st st st st st st st st - - - - st
- st st st st st st st st st st st st - - - - st
- st st st st st st st st st st st st - - - - st
- st st st st st st st st st st st st - - - - st
- st st st st st st st st st st st st - - - - st
- st st st st st st st st st st st st - - - - st
- st st st st st st st st st st st st - - - - st
- st st st st st st st st st st st st - - - - st
- st st st st st st st st st st st st - - - - st
- st st st st st st st st st st st st - - - - st
- bi bi bi bi bi bi bi bi bi bi bi bi - - - - bi
- st st st st st st st st st st st st - - - - st
- st st st st st st st st st st st st - - - - st
- st st st st st st st st st st st st - - - - st
- st st st st st st st st st st st st - - - - st
)"},
    {Function::kConcat, R"(
st st st st st st st st st st st st st st st st st st
st st st st st st st st st st st st st st st st st st
st st st st st st st st st st st st st st st st st st
st st st st st st st st st st st st st st st st st st
st st st st st st st st st st st st st st st st st st
st st st st st st st st st st st st st st st st st st
st st st st st st st st st st st st st st st st st st
st st st st st st st st st st st st st st st st st st
st st st st st st st st st st st st st st st st st st
st st st st st st st st st st st st st st st st st st
st st st st st st st st st st st st st st st st st st
st st st st st st st st st st st st st st st st st st
st st st st st st st st st st st st st st st st st st
st st st st st st st st st st st st st bi st st st st
st st st st st st st st st st st st st st st st st st
st st st st st st st st st st st st st st st st st st
st st st st st st st st st st st st st st st st st st
st st st st st st st st st st st st st st st st st st
)"},
    {Function::kStartsWith, R"(
bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo
bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo
bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo
bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo
bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo
bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo
bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo
bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo
bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo
bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo
bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo
bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo
bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo
bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo
bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo
bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo
bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo
bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo bo
)"},
};

constexpr TypeTable kUnaryTypes[] = {
    {Function::kNegate, R"(
- i1 i2 i4 i8 f4 f8 3.1 10.0 15.2 38.10 38.38 f8 - - - - f8
)"},
    {Function::kBitNot, R"(
- i1 i2 i4 i8 - - - - - - - - - - - - i4
)"},
    {Function::kNot, R"(
bo - - - - - - - - - - - bo - - - - bo
)"},
    {Function::kIsNaN, R"(
- bo bo bo bo bo bo bo bo bo bo bo bo - - - - bo
)"},
    {Function::kUpper, R"(
st st st st st st st st st st st st st st st st st st
)"},
    {Function::kLength, R"(
i4 i4 i4 i4 i4 i4 i4 i4 i4 i4 i4 i4 i4 i4 i4 i4 i4 i4
)"},
    {Function::kAbs, R"(
- i1 i2 i4 i8 f4 f8 3.1 10.0 15.2 38.10 38.38 f8 - - - - f8
)"},
    {Function::kFloor, R"(
- i8 i8 i8 i8 i8 i8 3.0 10.0 14.0 29.0 1.0 i8 - - - - i8
)"},
    {Function::kCeil, R"(
- i8 i8 i8 i8 i8 i8 3.0 10.0 14.0 29.0 1.0 i8 - - - - i8
)"},
    {Function::kRound, R"(
- i1 i2 i4 i8 f4 f8 3.0 11.0 14.0 29.0 1.0 f8 - - - - f8
)"},
    {Function::kSqrt, R"(
- f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 f8 - - - - f8
)"},
    {Function::kYear, R"(
- - - - - - - - - - - - i4 - i4 i4 i4 i4
)"},
    {Function::kHour, R"(
- - - - - - - - - - - - i4 - i4 i4 i4 i4
)"},
};

struct AggregateTable {
  AggregateFunction function;
  const char* text;
};

constexpr AggregateTable kAggregateTypes[] = {
    {AggregateFunction::kSum,
     "- i8 i8 i8 i8 f8 f8 13.1 20.0 25.2 38.10 38.38 f8 - - f8 - f8"},
    {AggregateFunction::kAvg,
     "- f8 f8 f8 f8 f8 f8 7.5 14.4 19.6 38.14 38.38 f8 - - f8 - f8"},
    {AggregateFunction::kMin,
     "bo i1 i2 i4 i8 f4 f8 3.1 10.0 15.2 38.10 38.38 st bi da ts tn vo"},
    {AggregateFunction::kCount, "i8 i8 i8 i8 i8 i8 i8 i8 i8 i8 i8 i8 i8 i8 i8 i8 i8 i8"},
};

// Which explicit casts are allowed: a row per source, a column per target.
constexpr const char* kCastAllowed = R"(
+ + + + + + + + + + + + + - - - -
+ + + + + + + + + + + + + - - + -
+ + + + + + + + + + + + + - - + -
+ + + + + + + + + + + + + - - + -
+ + + + + + + + + + + + + - - + -
+ + + + + + + + + + + + + - - + -
+ + + + + + + + + + + + + - - + -
+ + + + + + + + + + + + + - - + -
+ + + + + + + + + + + + + - - + -
+ + + + + + + + + + + + + - - + -
+ + + + + + + + + + + + + - - + -
+ + + + + + + + + + + + + - - + -
+ + + + + + + + + + + + + + + + +
- - - - - - - - - - - - + + - - -
- - - - - - - - - - - - + - + + +
- + + + + + + + + + + + + - + + +
- - - - - - - - - - - - + - + + +
+ + + + + + + + + + + + + + + + +
)";

}  // namespace wheelpit::plan
