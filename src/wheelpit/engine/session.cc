// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/engine/session.h"

#include <mutex>
#include <utility>

#include <arrow/type.h>

#include "wheelpit/core/bad_alloc.h"
#include "wheelpit/core/error.h"
#include "wheelpit/engine/engine_state.h"
#include "wheelpit/engine/query_run.h"
#include "wheelpit/engine/view_catalog.h"
#include "wheelpit/index/time_zone.h"
#include "wheelpit/sql/lexer.h"
#include "wheelpit/sql/parser.h"

namespace wheelpit::engine {

using sql::ast::StatementKind;

struct Query::Impl {
  // Shared with the engine's threads, which may be the last to let go.
  std::shared_ptr<QueryRun> run;
};

Query::Query(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Query::~Query() {
  impl_->run->Cancel();
  impl_->run->AwaitEnd();
  impl_->run->KeepForBatches();
}

arrow::Result<std::shared_ptr<arrow::Schema>> Query::schema() {
  return impl_->run->AwaitSchema();
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> Query::Next() {
  return core::CatchBadAlloc([this] { return impl_->run->Next(); });
}

void Query::Cancel() {
  impl_->run->Cancel();
}

QueryStats Query::stats() const {
  return impl_->run->stats();
}

struct Session::Impl {
  EngineState* engine = nullptr;
  const std::shared_ptr<ViewCatalog> views = std::make_shared<ViewCatalog>();
  mutable std::mutex mutex;  // guards what follows
  core::Config config;
  int64_t query_count = 0;

  // SET and RESET count for what is submitted after them, whether or not their rows are
  // read.
  arrow::Status ApplySetting(const sql::ast::Statement& statement) {
    std::lock_guard lock(mutex);
    if (statement.kind == StatementKind::kSet && statement.value.has_value()) {
      core::Config changed = config;
      ARROW_RETURN_NOT_OK(changed.SetForSession(statement.key, *statement.value));
      // Reads the zone, on the client's thread: expressions find it in memory.
      ARROW_RETURN_NOT_OK(
          index::TimeZone::Find(changed.Text(core::ConfigKey::kSessionTimeZone))
              .status());
      config = std::move(changed);
      return arrow::Status::OK();
    }
    if (statement.kind == StatementKind::kReset) {
      return config.Reset(statement.key, engine->config);
    }
    return arrow::Status::OK();
  }

  std::shared_ptr<QueryRun> MakeRun(const std::string& sql) {
    std::lock_guard lock(mutex);
    return std::make_shared<QueryRun>(engine, views, config,
                                      std::to_string(++query_count), sql);
  }
};

Session::Session(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Session::~Session() = default;

arrow::Result<std::unique_ptr<Session>> Engine::MakeSession() {
  auto session = std::make_unique<Session::Impl>();
  session->engine = state_.get();
  session->config = state_->config;
  return std::unique_ptr<Session>(new Session(std::move(session)));
}

core::Config Session::config() const {
  std::lock_guard lock(impl_->mutex);
  return impl_->config;
}

arrow::Result<std::unique_ptr<Query>> Session::Submit(std::string sql) {
  return core::CatchBadAlloc([&] { return TrySubmit(sql); });
}

arrow::Result<std::unique_ptr<Query>> Session::TrySubmit(const std::string& sql) {
  ARROW_ASSIGN_OR_RAISE(sql::ast::Statement parsed, sql::Parse(sql));
  ARROW_RETURN_NOT_OK(impl_->ApplySetting(parsed));
  auto query = std::make_unique<Query::Impl>();
  query->run = impl_->MakeRun(sql);
  // Shared: a task that can be copied cannot own a tree that cannot, and a view keeps it.
  auto statement = std::make_shared<const sql::ast::Statement>(std::move(parsed));
  impl_->engine->io->Submit(
      [run = query->run, statement] { run->PlanAndStart(statement); });
  return std::unique_ptr<Query>(new Query(std::move(query)));
}

std::vector<StatementText> SplitStatements(std::string_view text) {
  const auto tokens = sql::Tokenize(text);
  if (!tokens.ok()) {
    // The parser will say what is wrong, with the place.
    return {{.text = std::string(text), .offset = 0}};
  }
  std::vector<StatementText> statements;
  size_t start = 0;
  bool empty = true;
  for (const sql::Token& token : *tokens) {
    const bool end = token.kind == sql::TokenKind::kEnd;
    if (!end && token.kind != sql::TokenKind::kSemicolon) {
      empty = false;
      continue;
    }
    if (!empty) {
      statements.push_back({.text = std::string(text.substr(start, token.offset - start)),
                            .offset = static_cast<int64_t>(start)});
    }
    start = token.offset + token.length;
    empty = true;
  }
  return statements;
}

}  // namespace wheelpit::engine
