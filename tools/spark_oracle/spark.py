# SPDX-License-Identifier: Apache-2.0
"""Asks Apache Spark for the type and the value, or the error, of one expression or query."""

import struct

import py4j.java_gateway
import py4j.protocol
from py4j.protocol import Py4JJavaError

SPARK_VERSION = "4.3.0"


class Refused(Exception):
    """Spark's error: its condition and the phase that raised it."""

    def __init__(self, condition, phase):
        super().__init__(f"{phase}: {condition}")
        self.condition = condition
        self.phase = phase


def _condition(error):
    """The error condition of a Java exception, or of its nearest cause that has one."""
    java = error.java_exception
    while java is not None:
        try:
            condition = java.getCondition()
        except py4j.protocol.Py4JError:  # not a SparkThrowable
            condition = None
        if condition and condition != "FAILED_EXECUTE_UDF":
            return condition
        name = java.getClass().getName()
        java = java.getCause()
    return "INTERNAL_ERROR:" + name


def exact_number(type_name, text):
    """The value of Spark's text of a float or double as C's hexadecimal literal."""
    if text in (None, "NaN", "Infinity", "-Infinity"):
        return None
    number = float(text)
    if type_name == "float":
        number = struct.unpack("<f", struct.pack("<f", number))[0]
    return number.hex()


class Spark:
    """One local session: ANSI mode on, one thread, no files left behind."""

    def __init__(self, warehouse):
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.master("local[1]").appName("oracle")
        for key, value in {
            "spark.ui.enabled": "false",
            "spark.log.level": "OFF",
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.ansi.enabled": "true",
            "spark.sql.shuffle.partitions": "1",
            "spark.sql.warehouse.dir": warehouse,
            "spark.driver.memory": "2g",
        }.items():
            builder = builder.config(key, value)
        self.session = builder.getOrCreate()
        if self.session.version != SPARK_VERSION:
            raise SystemExit(f"this is Spark {self.session.version}, not {SPARK_VERSION}")
        # pyspark's own hook logs each error at length; the plain Java exception is enough.
        py4j.java_gateway.get_return_value = py4j.protocol.get_return_value
        self._java = self.session._jsparkSession

    def set(self, key, value):
        self._java.conf().set(key, value)

    def frame(self, query):
        """The analysed query; Refused when it does not parse or bind."""
        try:
            return self._java.sql(query)
        except Py4JJavaError as error:
            name = error.java_exception.getClass().getSimpleName()
            phase = "parse" if name == "ParseException" else "analysis"
            raise Refused(_condition(error), phase) from None

    def rows(self, frame):
        """Its rows, each value as text or None; the columns must be strings."""
        try:
            width = frame.schema().length()
            return [
                [None if row.isNullAt(i) else row.getString(i) for i in range(width)]
                for row in frame.collect()
            ]
        except Py4JJavaError as error:
            raise Refused(_condition(error), "execution") from None

    def _folded(self, frame):
        """The second column's value as (True, text) when planning computes it."""
        try:
            plan = frame.queryExecution().optimizedPlan()
        except Py4JJavaError as error:
            raise Refused(_condition(error), "execution") from None
        if plan.getClass().getSimpleName() != "Project":
            return False, None
        value = plan.projectList().apply(1).child()
        if value.getClass().getSimpleName() != "Literal":
            return False, None
        value = value.value()
        return True, None if value is None else value.toString()

    def evaluate(self, expression, source=""):
        """{"type", "value"[, "exact"]} or {["type",] "error"[, "phase"]} of an expression.

        `source` is what follows: "" or a FROM clause of one row.
        """
        answer = {}
        # The line break ends a comment that the expression may end with.
        text = f"CAST({expression}\n AS STRING) AS s"
        try:
            frame = self.frame(f"SELECT {expression}\n AS v, {text}{source}")
            answer["type"] = frame.schema().apply(0).dataType().simpleString()
            if answer["type"] == "binary":
                text = f"hex({expression}\n) AS s"
                frame = self.frame(f"SELECT 0, {text}{source}")
            folded, value = self._folded(frame)
            if not folded:
                value = self.rows(self.frame(f"SELECT {text}{source}"))[0][0]
            answer["value"] = value
        except Refused as refused:
            answer["error"] = refused.condition
            if refused.phase != "execution":
                answer["phase"] = refused.phase
            return answer
        exact = None
        if answer["type"] in ("float", "double"):
            exact = exact_number(answer["type"], answer["value"])
        elif answer["type"] == "timestamp" and answer["value"] is not None:
            text = f"CAST(unix_micros({expression}\n) AS STRING)"
            exact = self.rows(self.frame(f"SELECT {text}{source}"))[0][0]
        if exact:
            answer["exact"] = exact
        return answer

    def query(self, query):
        """{"types", "rows"} or {["types",] "error"[, "phase"]} of a whole query."""
        answer = {}
        try:
            frame = self.frame(query)
            schema = frame.schema()
            fields = [schema.apply(i) for i in range(schema.length())]
            answer["types"] = [field.dataType().simpleString() for field in fields]
            if query.startswith("DESCRIBE"):
                answer["rows"] = self.rows(frame)
                return answer
            names = ", ".join(f"c{i}" for i in range(len(fields)))
            columns = ", ".join(
                f"hex(c{i})" if name == "binary" else f"CAST(c{i} AS STRING)"
                for i, name in enumerate(answer["types"])
            )
            frame = self.frame(f"SELECT {columns} FROM ({query}) AS q({names})")
            answer["rows"] = self.rows(frame)
        except Refused as refused:
            answer["error"] = refused.condition
            if refused.phase != "execution":
                answer["phase"] = refused.phase
        return answer
