#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_verdicts.sh BUILD_FOLDER [write]
#
# Asks Spark's own parser about statements.sql and compares with verdicts.txt; with "write" makes
# verdicts.txt. WHEELPIT_SPARK_JARS names a folder of jars: that of an installed pyspark
# (pyspark/jars), or one with spark-sql-api and antlr4-runtime alone. Without Java or jars the
# check is skipped (exit 77), or fails when WHEELPIT_INTEROP_REQUIRED is set.
set -eu
source_folder=$(cd "$(dirname "$0")" && pwd)
build_folder=$1
mode=${2:-check}

skip() {
  echo "skipped: $1"
  [ -z "${WHEELPIT_INTEROP_REQUIRED:-}" ] || exit 1
  exit 77
}

[ -n "${WHEELPIT_SPARK_JARS:-}" ] ||
  skip "WHEELPIT_SPARK_JARS is not set; name a folder with Spark's jars, as pyspark/jars"
command -v javac >/dev/null || skip "there is no javac"
ls "$WHEELPIT_SPARK_JARS"/spark-sql-api_*.jar >/dev/null 2>&1 ||
  skip "$WHEELPIT_SPARK_JARS has no spark-sql-api jar"

classes="$build_folder/classes"
mkdir -p "$classes"
javac -d "$classes" -cp "$WHEELPIT_SPARK_JARS/*" "$source_folder/SparkVerdicts.java"
exec java -Xss16m -cp "$WHEELPIT_SPARK_JARS/*:$classes" SparkVerdicts "$mode" \
  "$source_folder/statements.sql" "$source_folder/verdicts.txt"
