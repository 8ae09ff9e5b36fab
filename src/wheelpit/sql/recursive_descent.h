// SPDX-License-Identifier: Apache-2.0
// The parser's functions, one a rule, in three files: statements, queries, expressions.
// The first error sticks and moves the position to the end of the text: every rule then
// sees a kEnd, takes nothing and returns some node, so that no caller has to check. A
// rule never returns a null pointer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/status.h>

#include "wheelpit/sql/ast.h"
#include "wheelpit/sql/lexer.h"

namespace wheelpit::sql {

class Parser {
 public:
  Parser(std::string_view text, std::vector<Token> tokens)
      : text_(text), tokens_(std::move(tokens)) {}

  /// A whole statement; `status()` says whether it is one.
  ast::Statement ParseStatement();

  const arrow::Status& status() const { return status_; }

 private:
  /// Counts one level of recursion while it lives.
  class Nesting {
   public:
    explicit Nesting(Parser* parser);
    ~Nesting();
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    Parser* parser_;
  };

  /// Finds the depth of the deepest tree finished while it lives, for trees that do not
  /// hang below an operand: a subquery's, a window's.
  class DepthScope {
   public:
    explicit DepthScope(Parser* parser)
        : parser_(parser), outer_(std::exchange(parser->deepest_, 0)) {}
    ~DepthScope() { parser_->deepest_ = std::max(outer_, parser_->deepest_); }
    DepthScope(const DepthScope&) = delete;
    DepthScope& operator=(const DepthScope&) = delete;
    int32_t depth() const { return parser_->deepest_; }

   private:
    Parser* parser_;
    int32_t outer_;
  };

  // Tokens.
  const Token& Peek(size_t ahead = 0) const;
  bool At(TokenKind kind, size_t ahead = 0) const { return Peek(ahead).kind == kind; }
  bool At(Keyword keyword, size_t ahead = 0) const {
    return Peek(ahead).keyword == keyword;
  }
  bool AtAny(std::initializer_list<Keyword> keywords, size_t ahead = 0) const;
  bool AtWord(std::string_view upper, size_t ahead = 0) const;
  Token Advance();
  bool Accept(TokenKind kind);
  bool Accept(Keyword keyword);
  bool AcceptAny(std::initializer_list<Keyword> keywords);
  bool AcceptWord(std::string_view upper);
  void Expect(TokenKind kind, std::string_view expected);
  void Expect(Keyword keyword, std::string_view expected);
  std::string_view TextOf(const Token& token) const;
  std::string UpperOf(const Token& token) const;

  // Errors.
  void Fail(plan::SourceRange range, std::string message,
            std::string_view error_class = "PARSE_SYNTAX_ERROR");
  void FailHere(std::string_view expected);
  void Adopt(const arrow::Status& status);
  bool failed() const { return !status_.ok(); }

  // Ranges: from a token to the last one taken.
  plan::SourceRange Since(int64_t offset) const;
  int64_t Here() const { return Peek().offset; }

  // Names.
  static bool IsName(const Token& token);
  bool AtName(size_t ahead = 0) const { return IsName(Peek(ahead)); }
  ast::Name ParseName(std::string_view expected = "a name");
  ast::NamePath ParseNamePath(std::string_view expected = "a name");
  std::vector<ast::Name> ParseNameList();
  bool AtClauseStart() const;
  bool AtSoftClauseStart() const;
  bool AtExpressionEnd(size_t ahead) const;
  bool AtReservedWord() const;
  bool AtTableAlias() const;
  std::string ParseString(std::string_view expected);

  // Statements.
  ast::Statement ParseAnyStatement();
  ast::Statement ParseExplain();
  ast::Statement ParseDescribe();
  ast::Statement ParseSet();
  ast::Statement ParseSetTimeZone();
  ast::Statement ParseReset();
  ast::Statement ParseShow();
  ast::Statement ParseCopy();
  std::unique_ptr<ast::Query> ParseWholeTable();
  std::unique_ptr<ast::Query> AllOf(ast::Relation relation);
  ast::CopyOption ParseCopyOption();
  ast::Statement ParseOther();
  bool AtOtherStatement() const;
  bool AtCreateView() const;
  ast::Statement ParseCreateView();
  bool ParseViewHead(ast::View* view);
  bool ParseViewColumns(ast::View* view);
  std::unique_ptr<ast::Query> ParseViewFile();
  ast::Statement ParseDropView();
  bool AtQuery(size_t ahead = 0) const;
  void SkipToEnd();
  std::string_view RestOfText();
  std::string SettingName(std::string_view text, plan::SourceRange range);

  // Queries.
  std::unique_ptr<ast::Query> ParseQuery();
  void ParseCommonTables(ast::Query* query);
  void ParseOrganization(ast::Query* query);
  void ParsePipe(ast::Query* query);
  void ParsePipeStep();
  std::unique_ptr<ast::QueryBody> ParseSetOperation(int binding_power);
  std::unique_ptr<ast::QueryBody> ParseQueryPrimary();
  void ParseFromFirst(ast::Select* select);
  void ParseSelect(ast::Select* select);
  void AddStar(ast::Select* select);
  void ParseSelectClause(ast::Select* select);
  void ParseTransform(ast::Select* select);
  void ParseSelectTail(ast::Select* select);
  void ParseHints(ast::Select* select);
  std::vector<ast::SelectItem> ParseSelectItems();
  ast::SelectItem ParseSelectItem();
  void ParseFrom(ast::Select* select);
  void ParseLateralViews(ast::Select* select);
  ast::LateralView ParseLateralView();
  ast::GroupBy ParseGroupBy(int64_t start);
  ast::GroupItem ParseGroupItem();
  ast::GroupItem ParseGroupingSet();
  std::vector<ast::GroupItem> ParseGroupingSets();
  std::vector<ast::NamedWindow> ParseWindows();
  ast::Relation ParseRelation();
  ast::Relation ParseRelationPrimary();
  void ParseRelationTail(ast::Relation* relation);
  ast::Relation ParseParenthesisedRelation();
  ast::Relation ParseNamedRelation();
  void ParseTableFunction(ast::Relation* relation);
  void ParseVersion(ast::Relation* relation);
  void ParseTableAlias(ast::Relation* relation);
  ast::Relation ParseValues();
  bool AtJoin() const;
  ast::RelationExtension ParseJoin();
  ast::JoinKind ParseJoinKind();
  ast::Pivot ParsePivot();
  ast::Pivot ParseUnpivot();
  void ParseUnpivotColumn();
  bool AtQueryAfterParens(size_t ahead) const;
  std::optional<ast::Sample> ParseSample();
  bool AtSubquery() const;

  // Expressions.
  ast::ExpressionPtr ParseExpression();
  ast::ExpressionPtr ParseBoolean(int binding_power);
  ast::ExpressionPtr ParseBooleanOperand();
  ast::ExpressionPtr ParseValue() { return ParseBinary(0); }
  ast::ExpressionPtr ParseBinary(int binding_power);
  ast::ExpressionPtr ParseUnary();
  ast::ExpressionPtr ParsePredicate(ast::ExpressionPtr value);
  ast::ExpressionPtr ParseLike(ast::ExpressionPtr value, bool negated);
  ast::ExpressionPtr ParseIn(ast::ExpressionPtr value, bool negated);
  ast::ExpressionPtr ParseIs(ast::ExpressionPtr value);
  ast::ExpressionPtr ParsePostfix();
  ast::ExpressionPtr ParsePrimary();
  ast::ExpressionPtr ParseWordPrimary();
  ast::ExpressionPtr ParseSpecialForm();
  ast::ExpressionPtr ParseParenthesised();
  ast::ExpressionPtr ParseLiteral();
  ast::ExpressionPtr ParseNumber(bool negative, int64_t start);
  ast::ExpressionPtr ParseInterval();
  bool ParseIntervalPart(ast::Expression* interval);
  ast::ExpressionPtr ParseParameter();
  ast::ExpressionPtr ParseStar(ast::NamePath path, int64_t start);
  ast::ExpressionPtr ParseCase();
  ast::ExpressionPtr ParseCast();
  ast::ExpressionPtr ParseNameOrCall();
  ast::ExpressionPtr ParseCall(ast::NamePath name, int64_t start);
  void ParseCallTail(ast::Expression* call);
  ast::ExpressionPtr ParseArgument();
  ast::ExpressionPtr ParseTableArgument();
  ast::ExpressionPtr ParseExtract();
  ast::ExpressionPtr ParseSubstring();
  ast::ExpressionPtr ParseTrim();
  ast::ExpressionPtr ParsePosition();
  ast::ExpressionPtr ParseOverlay();
  ast::ExpressionPtr ParseLambda();
  bool AtParenthesisedLambda() const;
  ast::ExpressionPtr ParseJsonPath(ast::ExpressionPtr value);
  ast::ExpressionList ParseExpressions();
  std::vector<ast::SortItem> ParseSortItems();
  ast::SortItem ParseSortItem();
  ast::Window ParseWindow();
  std::optional<ast::WindowFrame> ParseFrame();
  ast::WindowFrame::Bound ParseFrameBound(ast::ExpressionPtr* offset);
  ast::TypeName ParseType();
  void ParseTypeTail(ast::TypeName* type);
  void CheckTypeParameters(const ast::TypeName& type, int64_t start);
  void ParseStructFields(ast::TypeName* type);
  void ExpectTypeEnd();

  // Nodes. `Finish` sets range and depth and refuses trees that are too deep.
  ast::ExpressionPtr Make(ast::ExpressionKind kind, int64_t start);
  ast::ExpressionPtr MakeCall(std::string name, int64_t start);
  ast::ExpressionPtr Finish(ast::ExpressionPtr node);
  ast::ExpressionPtr Join(ast::Operator op, plan::SourceRange op_range,
                          ast::ExpressionPtr left, ast::ExpressionPtr right);

  std::string_view text_;
  std::vector<Token> tokens_;
  size_t position_ = 0;
  int64_t taken_end_ = 0;  // where the last token taken ends
  int nesting_ = 0;
  int32_t deepest_ = 0;
  int64_t parameter_count_ = 0;
  arrow::Status status_;
};

}  // namespace wheelpit::sql
