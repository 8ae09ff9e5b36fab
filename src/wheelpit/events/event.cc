// SPDX-License-Identifier: Apache-2.0
#include "wheelpit/events/event.h"

#include <string_view>

namespace wheelpit::events {

namespace {

int64_t Text(std::string_view text) {
  return static_cast<int64_t>(text.size());
}

int64_t SizeOf(const Properties& properties) {
  int64_t size = 0;
  for (const auto& [name, value] : properties) {
    size += static_cast<int64_t>(sizeof(properties[0])) + Text(name) + Text(value);
  }
  return size;
}

int64_t SizeOf(const std::vector<Accumulable>& values) {
  int64_t size = 0;
  for (const Accumulable& value : values) {
    size += static_cast<int64_t>(sizeof value) + Text(value.name);
  }
  return size;
}

int64_t SizeOf(const StageInfo& stage) {
  int64_t size = static_cast<int64_t>(sizeof stage) + Text(stage.name) +
                 Text(stage.details) + SizeOf(stage.accumulables);
  for (const RddInfo& rdd : stage.rdds) {
    size += static_cast<int64_t>(sizeof rdd) + Text(rdd.name) + Text(rdd.scope);
  }
  return size;
}

int64_t SizeOf(const PlanNode& node) {
  int64_t size = static_cast<int64_t>(sizeof node) + Text(node.name) + Text(node.detail) +
                 SizeOf(node.metadata);
  for (const PlanMetric& metric : node.metrics) {
    size += static_cast<int64_t>(sizeof metric) + Text(metric.name);
  }
  for (const PlanNode& child : node.children) {
    size += SizeOf(child);
  }
  return size;
}

struct Sizer {
  int64_t operator()(const JobStart& event) const {
    int64_t size = SizeOf(event.properties);
    for (const StageInfo& stage : event.stages) {
      size += SizeOf(stage);
    }
    return size;
  }
  int64_t operator()(const JobEnd& event) const { return Text(event.error.value_or("")); }
  int64_t operator()(const StageSubmitted& event) const {
    return SizeOf(event.stage) + SizeOf(event.properties);
  }
  int64_t operator()(const StageCompleted& event) const { return SizeOf(event.stage); }
  int64_t operator()(const TaskStart&) const { return 0; }
  int64_t operator()(const TaskEnd& event) const {
    return Text(event.outcome.error) + SizeOf(event.task.accumulables);
  }
  int64_t operator()(const SqlExecutionStart& event) const {
    return Text(event.description) + Text(event.details) + Text(event.plan_text) +
           SizeOf(event.plan) + SizeOf(event.changed_settings);
  }
  int64_t operator()(const SqlPlanUpdate& event) const {
    return Text(event.plan_text) + SizeOf(event.plan);
  }
  int64_t operator()(const DriverAccumUpdates& event) const {
    return static_cast<int64_t>(event.updates.size() * sizeof(event.updates[0]));
  }
  int64_t operator()(const SqlExecutionEnd& event) const { return Text(event.error); }
};

}  // namespace

int64_t SizeBytes(const Event& event) {
  return static_cast<int64_t>(sizeof event) + std::visit(Sizer{}, event);
}

bool IsFlushed(const Event& event) {
  return !std::holds_alternative<StageSubmitted>(event) &&
         !std::holds_alternative<TaskStart>(event) &&
         !std::holds_alternative<TaskEnd>(event);
}

}  // namespace wheelpit::events
