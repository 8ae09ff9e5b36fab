// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/exec/write/batch_text.h"

#include <utility>
#include <vector>

#include <arrow/array/builder_binary.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "wheelpit/exec/expr/evaluator.h"
#include "wheelpit/exec/write/nested_text.h"
#include "wheelpit/plan/expression.h"

namespace wheelpit::exec {

namespace {

// Binary as hexadecimal digits: bytes that are not text have no other exact form.
arrow::Result<std::shared_ptr<arrow::Array>> HexText(const arrow::Array& array,
                                                     arrow::MemoryPool* pool) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  const auto& values = static_cast<const arrow::BinaryArray&>(array);
  arrow::StringBuilder builder(pool);
  std::string text;
  for (int64_t i = 0; i < array.length(); ++i) {
    if (array.IsNull(i)) {
      ARROW_RETURN_NOT_OK(builder.AppendNull());
      continue;
    }
    text.clear();
    for (const char byte : values.GetView(i)) {
      text += kDigits[static_cast<unsigned char>(byte) >> 4];
      text += kDigits[static_cast<unsigned char>(byte) & 15];
    }
    ARROW_RETURN_NOT_OK(builder.Append(text));
  }
  return builder.Finish();
}

}  // namespace

struct BatchText::Impl {
  enum class How : uint8_t { kCast, kHex, kNested };
  std::vector<How> how;
  arrow::MemoryPool* pool = nullptr;
  std::unique_ptr<Evaluator> casts;                 // one per kCast column, in order
  std::vector<std::unique_ptr<NestedText>> nested;  // one per kNested column
};

arrow::Result<std::unique_ptr<BatchText>> BatchText::Make(
    const std::shared_ptr<arrow::Schema>& schema, const TextOptions& options) {
  auto impl = std::make_unique<Impl>();
  impl->pool = options.pool;
  std::vector<plan::ExprPtr> casts;
  for (int i = 0; i < schema->num_fields(); ++i) {
    const auto& field = schema->field(i);
    if (arrow::is_nested(field->type()->id())) {
      ARROW_ASSIGN_OR_RAISE(auto nested, NestedText::Make(field->type(), options));
      impl->nested.push_back(std::move(nested));
      impl->how.push_back(Impl::How::kNested);
    } else if (arrow::is_binary_like(field->type()->id()) &&
               field->type()->id() != arrow::Type::STRING) {
      impl->how.push_back(Impl::How::kHex);
    } else {
      ARROW_ASSIGN_OR_RAISE(
          auto cast, plan::MakeCast(plan::MakeColumn(i, field->name(), field->type(),
                                                     field->nullable()),
                                    arrow::utf8(), /*try_cast=*/false));
      casts.push_back(std::move(cast));
      impl->how.push_back(Impl::How::kCast);
    }
  }
  ARROW_ASSIGN_OR_RAISE(impl->casts, Evaluator::Make(casts, *schema,
                                                     {.pool = options.pool,
                                                      .time_zone = options.time_zone}));
  return std::unique_ptr<BatchText>(new BatchText(std::move(impl)));
}

BatchText::BatchText(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
BatchText::~BatchText() = default;

arrow::Result<arrow::ArrayVector> BatchText::Convert(const arrow::RecordBatch& batch) {
  ARROW_ASSIGN_OR_RAISE(auto casts, impl_->casts->Evaluate(batch));
  arrow::ArrayVector columns;
  size_t next_cast = 0;
  size_t next_nested = 0;
  for (int i = 0; i < batch.num_columns(); ++i) {
    switch (impl_->how[static_cast<size_t>(i)]) {
      case Impl::How::kCast:
        columns.push_back(std::move(casts[next_cast++]));
        break;
      case Impl::How::kHex: {
        ARROW_ASSIGN_OR_RAISE(auto text, HexText(*batch.column(i), impl_->pool));
        columns.push_back(std::move(text));
        break;
      }
      case Impl::How::kNested: {
        ARROW_ASSIGN_OR_RAISE(auto text,
                              impl_->nested[next_nested++]->Convert(*batch.column(i)));
        columns.push_back(std::move(text));
        break;
      }
    }
  }
  return columns;
}

}  // namespace wheelpit::exec
