// SPDX-License-Identifier: Apache-2.0
// Types, as CAST names them.
#include <algorithm>
#include <array>

#include "wheelpit/sql/names.h"
#include "wheelpit/sql/recursive_descent.h"

namespace wheelpit::sql {

namespace {

constexpr std::array<std::string_view, 31> kTypeWords = {
    "boolean", "tinyint",   "byte",          "smallint",      "short",   "int",
    "integer", "bigint",    "long",          "float",         "real",    "double",
    "date",    "timestamp", "timestamp_ntz", "timestamp_ltz", "time",    "string",
    "char",    "character", "varchar",       "binary",        "decimal", "dec",
    "numeric", "void",      "variant",       "array",         "map",     "struct",
    "interval"};

}  // namespace

ast::TypeName Parser::ParseType() {
  Nesting nesting(this);
  ast::TypeName type;
  int64_t start = Here();
  if (!At(TokenKind::kWord)) {
    FailHere("a type, as INT or DECIMAL(10, 2)");
    return type;
  }
  Token token = Advance();
  type.word = LowerCase(std::string(TextOf(token)));
  if (std::find(kTypeWords.begin(), kTypeWords.end(), type.word) == kTypeWords.end()) {
    Fail(token.range(), "there is no type " + std::string(TextOf(token)),
         "UNSUPPORTED_DATATYPE");
  } else if (type.word == "struct" && Accept(TokenKind::kNotEqual)) {
    // STRUCT<>: its brackets are one token.
  } else if (At(TokenKind::kLess) &&
             (type.word == "array" || type.word == "map" || type.word == "struct")) {
    Advance();
    if (type.word == "struct") {
      ParseStructFields(&type);
    } else {
      type.arguments.push_back(ParseType());
      if (type.word == "map") {
        Expect(TokenKind::kComma, ", and the type of the values");
        type.arguments.push_back(ParseType());
      }
    }
    ExpectTypeEnd();
  } else if (type.word == "array" || type.word == "map" || type.word == "struct") {
    Fail(token.range(), type.word + " needs the type of its elements, as ARRAY<INT>",
         "INCOMPLETE_TYPE_DEFINITION");
  } else {
    ParseTypeTail(&type);
  }
  type.range = Since(start);
  return type;
}

// What follows the word of a simple type: (10, 2), DAY TO SECOND, WITHOUT TIME ZONE.
void Parser::ParseTypeTail(ast::TypeName* type) {
  auto unit = [&] {
    return AtAny({Keyword::kYear, Keyword::kMonth, Keyword::kDay, Keyword::kHour,
                  Keyword::kMinute, Keyword::kSecond});
  };
  if (type->word == "interval" && unit()) {
    type->units.push_back(LowerCase(UpperOf(Advance())));
    if (At(Keyword::kTo)) {
      Advance();
      if (!unit()) {
        FailHere("a unit");
      }
      type->units.push_back(LowerCase(UpperOf(Advance())));
    }
    return;
  }
  if (type->word == "string" && At(Keyword::kCollate)) {
    Advance();
    ParseNamePath("a collation");
    return;
  }
  int64_t start = Here();
  if (Accept(TokenKind::kLeftParen)) {
    do {
      Token token = Peek();
      Expect(TokenKind::kInteger, "a number");
      if (!failed()) {
        type->parameters.push_back(token.length > 9
                                       ? INT64_C(999999999)
                                       : std::stoll(std::string(TextOf(token))));
      }
    } while (Accept(TokenKind::kComma));
    Expect(TokenKind::kRightParen, ")");
  }
  CheckTypeParameters(*type, start);
  bool zone = type->word == "timestamp" || type->word == "time";
  if (zone && AtAny({Keyword::kWith, Keyword::kWithout}) &&
      (At(Keyword::kTime, 1) || AtWord("LOCAL", 1))) {
    type->time_zone = Advance().keyword == Keyword::kWith;
    AcceptWord("LOCAL");
    Expect(Keyword::kTime, "TIME ZONE");
    Expect(Keyword::kZone, "ZONE");
  }
}

void Parser::CheckTypeParameters(const ast::TypeName& type, int64_t start) {
  constexpr int64_t kPrecisionMax = 38;
  const std::vector<int64_t>& numbers = type.parameters;
  const std::string& word = type.word;
  bool decimal = word == "decimal" || word == "dec" || word == "numeric";
  bool text = word == "varchar" || word == "char" || word == "character";
  size_t most = decimal ? 2 : text || word == "time" ? 1 : 0;
  plan::SourceRange range = Since(start);
  if (numbers.size() > most) {
    Fail(range,
         "the type " + word + " takes " +
             (most == 0 ? "no number" : "at most " + std::to_string(most)),
         "UNSUPPORTED_DATATYPE");
  } else if (text && numbers.empty()) {
    Fail(Peek().range(), "the type " + word + " needs a length, as " + word + "(10)",
         "DATATYPE_MISSING_SIZE");
  } else if (decimal && !numbers.empty() && numbers[0] > kPrecisionMax) {
    Fail(range, "a decimal has at most 38 digits",
         "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION");
  } else if (numbers.size() == 2 && numbers[1] > numbers[0]) {
    Fail(range, "decimal(precision, scale): the scale is at most the precision",
         "DECIMAL_SCALE_EXCEEDS_PRECISION");
  }
}

// name [:] type [NOT NULL] [COMMENT '…'], …
void Parser::ParseStructFields(ast::TypeName* type) {
  if (At(TokenKind::kGreater)) {
    return;
  }
  do {
    type->fields.push_back(ParseName("a field's name"));
    Accept(TokenKind::kColon);
    type->arguments.push_back(ParseType());
    if (At(Keyword::kNot) && At(Keyword::kNull, 1)) {
      Advance();
      Advance();
    }
    if (Accept(Keyword::kComment)) {
      ParseString("a comment in quotes");
    }
  } while (Accept(TokenKind::kComma));
}

// Takes one > off what the lexer took for an operator: ARRAY<ARRAY<INT>>.
void Parser::ExpectTypeEnd() {
  Token& token = tokens_[position_];
  if (token.kind == TokenKind::kShiftRight ||
      token.kind == TokenKind::kShiftRightUnsigned) {
    token.kind = token.kind == TokenKind::kShiftRight ? TokenKind::kGreater
                                                      : TokenKind::kShiftRight;
    ++token.offset;
    --token.length;
    return;
  }
  Expect(TokenKind::kGreater, ", or >");
}

}  // namespace wheelpit::sql
