// SPDX-License-Identifier: Apache-2.0
// Queries: WITH, set operations, SELECT and its clauses, ORDER BY and what else organises
// a result. Relations are in parse_relation.cc.
#include <utility>

#include "wheelpit/sql/parser.h"
#include "wheelpit/sql/recursive_descent.h"

namespace wheelpit::sql {

namespace {

constexpr int kUnionPower = 1;
constexpr int kIntersectPower = 2;

}  // namespace

// Whether a query starts here. VALUES and TABLE are names too, where nothing follows that
// a query would go on with.
bool Parser::AtQuery(size_t ahead) const {
  if (AtAny({Keyword::kSelect, Keyword::kFrom}, ahead)) {
    return true;
  }
  if (At(Keyword::kValues, ahead)) {
    return !AtExpressionEnd(ahead + 1) && !At(TokenKind::kStar, ahead + 1) &&
           !At(TokenKind::kPlus, ahead + 1) && !At(TokenKind::kMinus, ahead + 1);
  }
  return AtAny({Keyword::kWith, Keyword::kTable}, ahead) && AtName(ahead + 1);
}

// Whether "(" up to here opened a query: one starts here, or after more parentheses whose
// contents are a whole query.
bool Parser::AtSubquery() const {
  size_t parens = 0;
  while (At(TokenKind::kLeftParen, parens)) {
    ++parens;
  }
  if (!AtQuery(parens)) {
    return false;
  }
  size_t ahead = parens;
  int64_t depth = 0;
  while (parens > 0 && !At(TokenKind::kEnd, ahead)) {
    if (At(TokenKind::kLeftParen, ahead)) {
      ++depth;
    } else if (At(TokenKind::kRightParen, ahead) && depth-- == 0) {
      // The innermost query has ended: a query goes on with one of these words.
      if (AtQueryAfterParens(ahead + 1)) {
        return true;
      }
      if (!At(TokenKind::kRightParen, ahead + 1)) {
        return false;
      }
      --parens;
      depth = 0;
    }
    ++ahead;
  }
  return true;
}

bool Parser::AtQueryAfterParens(size_t ahead) const {
  return At(TokenKind::kPipeArrow, ahead) ||
         AtAny({Keyword::kUnion, Keyword::kExcept, Keyword::kIntersect, Keyword::kOrder,
                Keyword::kLimit, Keyword::kOffset},
               ahead) ||
         (At(Keyword::kMinus, ahead) &&
          (AtQuery(ahead + 1) || At(TokenKind::kLeftParen, ahead + 1))) ||
         (AtAny({Keyword::kSort, Keyword::kCluster, Keyword::kDistribute}, ahead) &&
          At(Keyword::kBy, ahead + 1));
}

std::unique_ptr<ast::Query> Parser::ParseQuery() {
  Nesting nesting(this);
  DepthScope scope(this);
  auto query = std::make_unique<ast::Query>();
  int64_t start = Here();
  ParseCommonTables(query.get());
  query->body = ParseSetOperation(0);
  ParsePipe(query.get());
  ParseOrganization(query.get());
  query->range = Since(start);
  query->depth = scope.depth() + 1;
  deepest_ = query->depth;
  if (query->depth > kTreeDepthMax && !failed()) {
    Fail({.offset = start, .length = 1}, "this query is nested more than " +
                                             std::to_string(kTreeDepthMax) +
                                             " levels deep; split it");
  }
  return query;
}

void Parser::ParseCommonTables(ast::Query* query) {
  if (!At(Keyword::kWith)) {
    return;
  }
  query->with_range = Advance().range();
  query->recursive = At(Keyword::kRecursive) && AtName(1) && !At(Keyword::kAs, 1);
  if (query->recursive) {
    Advance();
  }
  do {
    ast::CommonTable table;
    table.name = ParseName("a name for the common table");
    if (At(TokenKind::kLeftParen) && !AtQuery(1)) {
      table.columns = ParseNameList();
    }
    Accept(Keyword::kAs);
    Expect(TokenKind::kLeftParen, "( and a query");
    table.query = ParseQuery();
    Expect(TokenKind::kRightParen, ") at the end of the common table");
    query->common_tables.push_back(std::move(table));
  } while (Accept(TokenKind::kComma));
}

// The clauses have one order, and only some go together: ORDER BY alone, SORT BY with or
// without DISTRIBUTE BY, CLUSTER BY alone.
void Parser::ParseOrganization(ast::Query* query) {
  auto clause = [&](Keyword word) {
    if (!At(word) || !At(Keyword::kBy, 1)) {
      return false;
    }
    plan::SourceRange range = Advance().range();
    Advance();
    bool with_distribute =
        word == Keyword::kSort && query->order_by.empty() && query->cluster_by.empty();
    if (query->order_range.offset >= 0 && !with_distribute) {
      Fail(range, "ORDER BY, SORT BY, CLUSTER BY and DISTRIBUTE BY do not go together");
    } else if (query->order_range.offset < 0) {
      query->order_range = range;
    }
    return true;
  };
  if (clause(Keyword::kOrder)) {
    query->order_by = ParseSortItems();
  }
  if (clause(Keyword::kCluster)) {
    query->cluster_by = ParseExpressions();
  }
  if (clause(Keyword::kDistribute)) {
    query->distribute_by = ParseExpressions();
  }
  if (clause(Keyword::kSort)) {
    query->sort_by = ParseSortItems();
  }
  if (At(Keyword::kWindow) && AtName(1) && At(Keyword::kAs, 2)) {
    query->windows_range = Peek().range();
    query->windows = ParseWindows();
  }
  if (At(Keyword::kLimit)) {
    Advance();
    if (At(Keyword::kAll) && AtExpressionEnd(1)) {
      Advance();
    } else {
      query->limit = ParseExpression();
    }
  }
  if (Accept(Keyword::kOffset)) {
    query->offset = ParseExpression();
  }
}

std::unique_ptr<ast::QueryBody> Parser::ParseSetOperation(int binding_power) {
  std::unique_ptr<ast::QueryBody> left = ParseQueryPrimary();
  while (!failed()) {
    bool intersect = At(Keyword::kIntersect);
    bool is_union = At(Keyword::kUnion);
    int power = intersect ? kIntersectPower : kUnionPower;
    if ((!intersect && !is_union && !AtAny({Keyword::kExcept, Keyword::kMinus})) ||
        power <= binding_power) {
      break;
    }
    auto node = std::make_unique<ast::QueryBody>();
    node->kind = ast::BodyKind::kSetOperation;
    node->set_operator = intersect  ? ast::SetOperator::kIntersect
                         : is_union ? ast::SetOperator::kUnion
                                    : ast::SetOperator::kExcept;
    node->op_range = Advance().range();
    node->all = Accept(Keyword::kAll);
    if (!node->all) {
      Accept(Keyword::kDistinct);
    }
    int64_t start = left->range.offset;
    node->left = std::move(left);
    node->right = ParseSetOperation(power);
    node->depth = std::max(node->left->depth, node->right->depth) + 1;
    deepest_ = std::max(deepest_, node->depth);
    node->range = Since(start);
    if (node->depth > kTreeDepthMax && !failed()) {
      Fail(node->op_range, "more than " + std::to_string(kTreeDepthMax) +
                               " set operations after each other; split the query");
    }
    left = std::move(node);
  }
  return left;
}

std::unique_ptr<ast::QueryBody> Parser::ParseQueryPrimary() {
  auto body = std::make_unique<ast::QueryBody>();
  int64_t start = Here();
  body->kind = ast::BodyKind::kSelect;
  if (Accept(TokenKind::kLeftParen)) {
    body->kind = ast::BodyKind::kQuery;
    body->query = ParseQuery();
    Expect(TokenKind::kRightParen, ") at the end of the query");
  } else if (At(Keyword::kValues)) {
    body->kind = ast::BodyKind::kValues;
    body->values = std::make_unique<ast::Relation>(ParseValues());
  } else {
    body->select = std::make_unique<ast::Select>();
    if (At(Keyword::kSelect)) {
      ParseSelect(body->select.get());
    } else if (At(Keyword::kFrom)) {
      ParseFromFirst(body->select.get());
    } else if (At(Keyword::kTable) && AtName(1)) {
      Advance();
      AddStar(body->select.get());
      ast::Relation relation;
      int64_t table_start = Here();
      relation.path = ParseNamePath("a table");
      relation.range = Since(table_start);
      body->select->from.push_back(std::move(relation));
    } else {
      FailHere("SELECT, VALUES, WITH, FROM, TABLE or (");
    }
  }
  body->range = Since(start);
  return body;
}

void Parser::AddStar(ast::Select* select) {
  ast::SelectItem item{.expression = Make(ast::ExpressionKind::kStar, Here()),
                       .aliases = {}};
  select->items.push_back(std::move(item));
}

// FROM t SELECT a, or FROM t alone.
void Parser::ParseFromFirst(ast::Select* select) {
  ParseFrom(select);
  if (At(Keyword::kSelect)) {
    ParseSelectClause(select);
    ParseSelectTail(select);
  } else {
    AddStar(select);
  }
}

void Parser::ParseSelect(ast::Select* select) {
  ParseSelectClause(select);
  if (At(Keyword::kFrom)) {
    ParseFrom(select);
  }
  ParseSelectTail(select);
}

void Parser::ParseSelectClause(ast::Select* select) {
  Expect(Keyword::kSelect, "SELECT");
  while (At(TokenKind::kHintStart)) {
    ParseHints(select);
  }
  if (At(Keyword::kTransform) && At(TokenKind::kLeftParen, 1)) {
    size_t saved = position_;
    ParseTransform(select);
    if (select->transform || failed()) {
      return;
    }
    position_ = saved;
  }
  if (AtAny({Keyword::kDistinct, Keyword::kAll}) && !AtExpressionEnd(1)) {
    select->distinct = At(Keyword::kDistinct);
    select->distinct_range = Advance().range();
  }
  select->items = ParseSelectItems();
}

// TRANSFORM (a, b) USING 'script' [AS (…)]; without USING it is the function of that
// name.
void Parser::ParseTransform(ast::Select* select) {
  size_t close = 1;
  int64_t depth = 0;
  for (;; ++close) {
    if (At(TokenKind::kEnd, close)) {
      return;
    }
    depth += At(TokenKind::kLeftParen, close) ? 1 : 0;
    if (At(TokenKind::kRightParen, close) && --depth == 0) {
      break;
    }
  }
  if (!At(Keyword::kUsing, close + 1)) {
    return;
  }
  select->transform = true;
  Advance();
  Advance();
  select->items = ParseSelectItems();
  Expect(TokenKind::kRightParen, ")");
  Expect(Keyword::kUsing, "USING");
  ParseString("a script in quotes");
  if (Accept(Keyword::kAs)) {
    bool open = Accept(TokenKind::kLeftParen);
    do {
      ParseName("a column");
      if (At(TokenKind::kWord) && !AtReservedWord() && !AtSoftClauseStart()) {
        ParseType();
      }
    } while (Accept(TokenKind::kComma));
    if (open) {
      Expect(TokenKind::kRightParen, ")");
    }
  }
}

void Parser::ParseHints(ast::Select* select) {
  Advance();
  do {
    ast::Hint hint;
    hint.name = ParseName("a hint");
    if (Accept(TokenKind::kLeftParen)) {
      do {
        hint.parameters.push_back(ParsePostfix());
      } while (Accept(TokenKind::kComma));
      Expect(TokenKind::kRightParen, ", or )");
    }
    select->hints.push_back(std::move(hint));
    Accept(TokenKind::kComma);
  } while (!failed() && !At(TokenKind::kHintEnd));
  Expect(TokenKind::kHintEnd, "*/");
}

std::vector<ast::SelectItem> Parser::ParseSelectItems() {
  std::vector<ast::SelectItem> items;
  do {
    items.push_back(ParseSelectItem());
  } while (Accept(TokenKind::kComma));
  return items;
}

ast::SelectItem Parser::ParseSelectItem() {
  ast::SelectItem item{.expression = ParseExpression(), .aliases = {}};
  if (Accept(Keyword::kAs)) {
    if (At(TokenKind::kLeftParen)) {
      item.aliases = ParseNameList();
    } else {
      item.aliases.push_back(ParseName("a name after AS"));
    }
  } else if (AtName() && !AtClauseStart()) {
    item.aliases.push_back(ParseName());
  }
  return item;
}

void Parser::ParseFrom(ast::Select* select) {
  select->from_range = Advance().range();
  do {
    select->from.push_back(ParseRelation());
  } while (Accept(TokenKind::kComma));
  ParseLateralViews(select);
}

void Parser::ParseSelectTail(ast::Select* select) {
  ParseLateralViews(select);
  if (Accept(Keyword::kWhere)) {
    select->where = ParseExpression();
  }
  if (At(Keyword::kGroup) && At(Keyword::kBy, 1)) {
    int64_t start = Here();
    Advance();
    Advance();
    select->group_by = ParseGroupBy(start);
  }
  if (At(Keyword::kHaving)) {
    select->having_range = Advance().range();
    select->having = ParseExpression();
  }
  if (At(Keyword::kQualify)) {
    select->qualify_range = Advance().range();
    select->qualify = ParseExpression();
  }
  if (At(Keyword::kWindow) && AtName(1) && At(Keyword::kAs, 2)) {
    select->windows_range = Peek().range();
    select->windows = ParseWindows();
  }
}

void Parser::ParseLateralViews(ast::Select* select) {
  while (At(Keyword::kLateral) && At(Keyword::kView, 1)) {
    select->lateral_views.push_back(ParseLateralView());
  }
}

ast::LateralView Parser::ParseLateralView() {
  ast::LateralView view;
  int64_t start = Here();
  Advance();
  Advance();
  view.outer = Accept(Keyword::kOuter);
  int64_t call_start = Here();
  view.function = ParseCall(ParseNamePath("a function"), call_start);
  view.table_alias = ParseName("a name for the view");
  if (Accept(Keyword::kAs) || (AtName() && !AtClauseStart())) {
    do {
      view.column_aliases.push_back(ParseName("a column's name"));
    } while (Accept(TokenKind::kComma));
  }
  view.range = Since(start);
  return view;
}

ast::GroupBy Parser::ParseGroupBy(int64_t start) {
  ast::GroupBy group;
  group.range = Since(start);
  group.all = At(Keyword::kAll) && AtExpressionEnd(1) && !At(TokenKind::kComma, 1);
  do {
    group.items.push_back(ParseGroupItem());
  } while (Accept(TokenKind::kComma));
  if (At(Keyword::kWith) && AtAny({Keyword::kRollup, Keyword::kCube}, 1)) {
    Advance();
    group.with_rollup = At(Keyword::kRollup);
    group.with_cube = At(Keyword::kCube);
    Advance();
  } else if (At(Keyword::kGrouping) && At(Keyword::kSets, 1)) {
    Advance();
    Advance();
    group.grouping_sets = ParseGroupingSets();
  }
  return group;
}

ast::GroupItem Parser::ParseGroupItem() {
  Nesting nesting(this);
  ast::GroupItem item;
  if (AtAny({Keyword::kRollup, Keyword::kCube}) && At(TokenKind::kLeftParen, 1)) {
    item.kind = At(Keyword::kRollup) ? ast::GroupItem::Kind::kRollup
                                     : ast::GroupItem::Kind::kCube;
    Advance();
    item.items = ParseGroupingSets();
  } else if (At(Keyword::kGrouping) && At(Keyword::kSets, 1)) {
    Advance();
    Advance();
    item.kind = ast::GroupItem::Kind::kGroupingSets;
    item.items = ParseGroupingSets();
  } else {
    item.expression = ParseExpression();
  }
  return item;
}

std::vector<ast::GroupItem> Parser::ParseGroupingSets() {
  std::vector<ast::GroupItem> sets;
  Expect(TokenKind::kLeftParen, "(");
  do {
    sets.push_back(ParseGroupingSet());
  } while (Accept(TokenKind::kComma));
  Expect(TokenKind::kRightParen, ", or )");
  return sets;
}

// (), (a, b), a, or another ROLLUP and the like.
ast::GroupItem Parser::ParseGroupingSet() {
  bool empty = At(TokenKind::kLeftParen) && At(TokenKind::kRightParen, 1);
  if (!empty) {
    return ParseGroupItem();
  }
  Advance();
  Advance();
  ast::GroupItem set;
  set.kind = ast::GroupItem::Kind::kSet;
  return set;
}

std::vector<ast::NamedWindow> Parser::ParseWindows() {
  Advance();
  std::vector<ast::NamedWindow> windows;
  do {
    ast::NamedWindow window;
    window.name = ParseName("a window's name");
    Expect(Keyword::kAs, "AS");
    window.window = ParseWindow();
    windows.push_back(std::move(window));
  } while (Accept(TokenKind::kComma));
  return windows;
}

// query |> step |> step: the steps are checked and told apart, not kept.
void Parser::ParsePipe(ast::Query* query) {
  while (At(TokenKind::kPipeArrow)) {
    Advance();
    ast::PipeStep step;
    int64_t start = Here();
    step.word = At(TokenKind::kWord) ? UpperOf(Peek()) : std::string();
    ParsePipeStep();
    step.range = Since(start);
    query->pipe.push_back(std::move(step));
  }
}

void Parser::ParsePipeStep() {
  if (At(Keyword::kSelect)) {
    ast::Select select;
    ParseSelectClause(&select);
  } else if (Accept(Keyword::kExtend)) {
    ParseSelectItems();
  } else if (Accept(Keyword::kWhere)) {
    ParseExpression();
  } else if (Accept(Keyword::kDrop)) {
    do {
      ParseNamePath("a column");
    } while (Accept(TokenKind::kComma));
  } else if (Accept(Keyword::kAs)) {
    ParseName("a name after AS");
  } else if (Accept(Keyword::kSet)) {
    do {
      ParseNamePath("a column");
      Expect(TokenKind::kEqual, "=");
      ParseExpression();
    } while (Accept(TokenKind::kComma));
  } else if (Accept(Keyword::kAggregate)) {
    if (!At(Keyword::kGroup)) {
      ParseSelectItems();
    }
    if (At(Keyword::kGroup) && At(Keyword::kBy, 1)) {
      Advance();
      Advance();
      ParseSelectItems();
    }
  } else if (At(Keyword::kPivot)) {
    ParsePivot();
  } else if (At(Keyword::kUnpivot)) {
    ParseUnpivot();
  } else if (At(Keyword::kTablesample)) {
    ParseSample();
  } else if (AtJoin()) {
    ParseJoin();
  } else if (AtAny({Keyword::kUnion, Keyword::kExcept, Keyword::kIntersect,
                    Keyword::kMinus})) {
    Advance();
    AcceptAny({Keyword::kAll, Keyword::kDistinct});
    ParseQueryPrimary();
  } else if (AtAny({Keyword::kOrder, Keyword::kSort, Keyword::kCluster,
                    Keyword::kDistribute, Keyword::kLimit, Keyword::kOffset})) {
    ast::Query organization;
    ParseOrganization(&organization);
  } else {
    FailHere("SELECT, EXTEND, WHERE, AGGREGATE, JOIN, ORDER BY, LIMIT or another step");
  }
}

}  // namespace wheelpit::sql
