# Statements that Spark's own parser has judged (verdicts.txt) and ours must judge alike.
# One a line; a line that begins with two spaces goes on with the one before. Lines that
# begin with "# " are notes.

# Lexical: strings
SELECT 'it\'s'
SELECT 'a''b', "a""b"
SELECT 'one' 'two' "three"
SELECT 'say "hi"', "it's"
SELECT 'tab\t line\n zero\0 ctrl\Z'
SELECT '\u0041\U00000042\103'
SELECT 'a\%b\_c'
SELECT r'raw\n', R"raw\t", r'it"s'
SELECT ''
SELECT ""
SELECT 'größe €'
SELECT 'two
  lines'
SELECT 'open
SELECT "open
SELECT 'ends with \'
SELECT r'a' r'b'
SELECT N'x'

# Lexical: names
SELECT `a b`, `a``b`, `a.b`
SELECT `größe` FROM t
SELECT größe FROM t
SELECT 1a, 2_b FROM t
SELECT _a, a_1 FROM t
SELECT t.1a FROM t
SELECT t.`a b` FROM `my table` t
SELECT `open
SELECT a$b FROM t
SELECT t . a FROM t
SELECT A, a, Á FROM t
SELECT * FROM db.t, cat.db.t
SELECT * FROM s3://bucket/key
SELECT * FROM `s3://bucket/key`

# Lexical: numbers
SELECT 1L, 2S, 3Y, 4.0D, 5.5F, 6BD, 7.0BD
SELECT 1l, 2s, 3y, 4d, 5f, 6bd
SELECT 1e3, 1E3, 1.5e-3, 1.e3, .5, 5., .5e+2
SELECT 1_000
SELECT 1e
SELECT 1e+
SELECT 1ex
SELECT 1.5x
SELECT 1.2.3
SELECT 127Y, -128Y
SELECT 128Y
SELECT -129Y
SELECT 32768S
SELECT 9223372036854775807L, -9223372036854775808L
SELECT 9223372036854775808L
SELECT 9223372036854775808
SELECT 99999999999999999999999999999999999999
SELECT 999999999999999999999999999999999999999
SELECT 0.99999999999999999999999999999999999999
SELECT 1e308, -1e308
SELECT 1e309
SELECT 1e400D
SELECT 3.5e38F
SELECT 1.0E10BD
SELECT 1e38BD
SELECT 007, 00.10
SELECT 0x1F
SELECT X'1F', x'ab', X'', X'1'
SELECT X '1F'
SELECT X'1G'
SELECT - 1, -1, +1, - -1
SELECT 1--1
SELECT 1 - -1

# Lexical: comments and hints
SELECT 1 -- to the end
SELECT /* in between */ 1
SELECT /* outer /* inner */ still */ 1
SELECT /**/ 1
SELECT /* open
SELECT 1 /* a */ + /* b */ 2 -- c
-- before
  SELECT 1
SELECT 1 --
SELECT 2 */ 3
SELECT 2*/*c*/3
SELECT /*+ BROADCAST(t) */ * FROM t
SELECT /*+ BROADCAST(a, b), REPARTITION(3) */ * FROM a JOIN b
SELECT /*+ COALESCE(1) REBALANCE */ * FROM t
SELECT /*+ MERGE(t) */ /*+ COALESCE(2) */ * FROM t
SELECT /*+ */ 1
SELECT /*+ broadcast( */ 1
SELECT 1 /*+ BROADCAST(t) */
SELECT 1 FROM /*+ x */ t
SELECT 1;
SELECT 1;;
;
SELECT 1; SELECT 2

# Lexical: operators
SELECT a = b, a == b, a <> b, a != b, a <=> b FROM t
SELECT a < b, a <= b, a > b, a >= b, a !> b, a !< b FROM t
SELECT a ! = b FROM t
SELECT a + b - c * d / e % f DIV g FROM t
SELECT a & b | c ^ ~d FROM t
SELECT a << 1, a >> 2, a >>> 3 FROM t
SELECT a || b || 'c' FROM t
SELECT a # b FROM t
SELECT a @ b FROM t
SELECT a === b FROM t
SELECT a <> <> b FROM t
SELECT a => b FROM t
SELECT ? + ?
SELECT :p, :q + 1
SELECT : p
SELECT :1a

# Select list
SELECT 1
SELECT 1, 2, 3
SELECT 1 AS a, 2 b, 3 AS `c d`, 4 `e`
SELECT 1 AS 'a'
SELECT 1 'a'
SELECT 1 "a"
SELECT 1 AS
SELECT 1 a b
SELECT a AS (x, y) FROM t
SELECT stack(2, a, b) AS (x, y) FROM t
SELECT * FROM t
SELECT t.* FROM t
SELECT db.t.* FROM db.t
SELECT *, t.*, a FROM t
SELECT * EXCEPT (a) FROM t
SELECT * EXCEPT (a, t.b), t.* EXCEPT (c) FROM t
SELECT * EXCEPT () FROM t
SELECT * EXCEPT a FROM t
SELECT DISTINCT a, b FROM t
SELECT ALL a FROM t
SELECT DISTINCT * FROM t
SELECT DISTINCT(a) FROM t
SELECT DISTINCT FROM t
SELECT
SELECT ,
SELECT a,
SELECT a b, FROM t
SELECT (a) b FROM t
SELECT a AS limit, b AS order, c AS select FROM t
SELECT a limit, b offset FROM t
SELECT a left, b full FROM t
SELECT a end, b desc, c first FROM t
SELECT date, timestamp, year, month, day FROM t
SELECT first, last, row, rows, range, values FROM t
SELECT user, current_date, current_timestamp FROM t
SELECT interval FROM t
SELECT left, right FROM t
SELECT key, value, count, sum, position FROM t
SELECT start, end FROM t
SELECT t.order, t.group, t.from, t.where FROM t
SELECT a FROM t AS order
SELECT a.b.c.d.e FROM t
SELECT a. FROM t
SELECT .a FROM t
SELECT a..b FROM t
SELECT TOP 5 a FROM t
SELECT a INTO b FROM t

# Expressions: precedence and prefixes
SELECT 1 + 2 * 3, (1 + 2) * 3
SELECT -a, +a, ~a, - - a, -(-a), -+~a FROM t
SELECT NOT a, ! a, NOT NOT a, !!a FROM t
SELECT NOT a = b AND c OR d FROM t
SELECT a AND b OR c AND d FROM t
SELECT a = b = c, a < b < c FROM t
SELECT a = NOT b FROM t
SELECT a + NOT b FROM t
SELECT NOT a IN (1) FROM t
SELECT a AND
SELECT AND a
SELECT a OR OR b
SELECT a NOT b FROM t
SELECT 1 +
SELECT + FROM t
SELECT ()
SELECT (1
SELECT 1)
SELECT ((1))
SELECT (1, 2), (1, 'a', NULL)
SELECT (1 AS a, 2 AS b)
SELECT (1 AS a)
SELECT (1,)
SELECT a b + c FROM t
SELECT (a)(b)
SELECT *
SELECT a * FROM t
SELECT a % 2 = 0 AND b DIV 3 <> 1 FROM t

# Expressions: predicates
SELECT a BETWEEN 1 AND 2, a NOT BETWEEN b AND c FROM t
SELECT a BETWEEN 1 AND 2 AND b FROM t
SELECT a BETWEEN 1 OR 2 FROM t
SELECT a BETWEEN 1 FROM t
SELECT a BETWEEN SYMMETRIC 1 AND 2 FROM t
SELECT a BETWEEN 1 + 1 AND 2 * b FROM t
SELECT a IN (1, 2, 3), a NOT IN ('x') FROM t
SELECT (a, b) IN ((1, 2), (3, 4)) FROM t
SELECT a IN (SELECT b FROM u) FROM t
SELECT a NOT IN (SELECT b FROM u) FROM t
SELECT a IN () FROM t
SELECT a IN 1 FROM t
SELECT a IN (1, ) FROM t
SELECT a !IN (1) FROM t
SELECT a LIKE 'x%', a NOT LIKE '_y', a ILIKE 'Z' FROM t
SELECT a LIKE 'x!%' ESCAPE '!' FROM t
SELECT a LIKE 'x' ESCAPE 'ab' FROM t
SELECT a LIKE 'x' ESCAPE FROM t
SELECT a LIKE ANY ('x', 'y'), a LIKE SOME ('x'), a NOT LIKE ALL ('x', 'y') FROM t
SELECT a ILIKE ANY ('x') FROM t
SELECT a LIKE ANY () FROM t
SELECT a LIKE FROM t
SELECT a RLIKE 'x.*', a REGEXP '^y', a NOT RLIKE 'z' FROM t
SELECT a LIKE b || '%' FROM t
SELECT a IS NULL, a IS NOT NULL FROM t
SELECT a IS TRUE, a IS NOT FALSE, a IS UNKNOWN FROM t
SELECT a IS DISTINCT FROM b, a IS NOT DISTINCT FROM NULL FROM t
SELECT a IS 1 FROM t
SELECT a IS NULL IS NULL FROM t
SELECT (a IS NULL) IS NULL FROM t
SELECT a ISNULL FROM t
SELECT a + b IS NULL FROM t
SELECT a = b IS TRUE FROM t
SELECT EXISTS (SELECT 1) FROM t
SELECT * FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a)
SELECT * FROM t WHERE NOT EXISTS (SELECT 1)
SELECT exists(xs, x -> x > 1) FROM t
SELECT EXISTS () FROM t

# Expressions: case, cast, literals
SELECT CASE WHEN a THEN b END FROM t
SELECT CASE WHEN a THEN b WHEN c THEN d ELSE e END FROM t
SELECT CASE a WHEN 1 THEN 'x' ELSE 'y' END FROM t
SELECT CASE a WHEN 1 THEN 'x' END AS c FROM t
SELECT CASE a WHEN THEN 1 END FROM t
SELECT CASE WHEN a END FROM t
SELECT CASE WHEN a THEN b FROM t
SELECT CASE ELSE 1 END
SELECT CASE WHEN CASE WHEN a THEN b END THEN c END FROM t
SELECT CAST(a AS INT), CAST(a AS integer), CAST('1' AS bigint)
SELECT CAST(a AS STRING), CAST(a AS VARCHAR(10)), CAST(a AS CHAR(3))
SELECT CAST(a AS DECIMAL), CAST(a AS DECIMAL(10)), CAST(a AS NUMERIC(10, 2)), CAST(a AS DEC(5, 1))
SELECT CAST(a AS DATE), CAST(a AS TIMESTAMP), CAST(a AS TIMESTAMP_NTZ), CAST(a AS TIMESTAMP_LTZ)
SELECT CAST(a AS BOOLEAN), CAST(a AS TINYINT), CAST(a AS BYTE), CAST(a AS SMALLINT), CAST(a AS SHORT)
SELECT CAST(a AS LONG), CAST(a AS FLOAT), CAST(a AS REAL), CAST(a AS DOUBLE), CAST(a AS BINARY)
SELECT CAST(a AS ARRAY<INT>), CAST(a AS MAP<STRING, INT>), CAST(a AS STRUCT<x: INT, y STRING>)
SELECT CAST(a AS ARRAY<ARRAY<INT>>), CAST(a AS MAP<STRING, ARRAY<MAP<INT, INT>>>)
SELECT CAST(a AS STRUCT<>), CAST(a AS STRUCT<x: INT NOT NULL COMMENT 'c'>)
SELECT CAST(a AS INTERVAL DAY TO SECOND), CAST(a AS INTERVAL YEAR), CAST(a AS INTERVAL)
SELECT CAST(a AS FOO) FROM t
SELECT CAST(a AS) FROM t
SELECT CAST(a INT) FROM t
SELECT CAST(a, INT) FROM t
SELECT CAST() FROM t
SELECT CAST(a AS ARRAY) FROM t
SELECT CAST(a AS ARRAY<INT) FROM t
SELECT CAST(a AS MAP<INT>) FROM t
SELECT CAST(a AS DECIMAL(10, 2, 1)) FROM t
SELECT CAST(a AS DECIMAL('x')) FROM t
SELECT CAST(a AS DECIMAL(39, 2)) FROM t
SELECT CAST(a AS DECIMAL(5, 6)) FROM t
SELECT CAST(a AS INT(5)) FROM t
SELECT CAST(a AS VARCHAR) FROM t
SELECT TRY_CAST('x' AS INT)
SELECT a::int, '1'::bigint, (a + b)::decimal(10, 2), a::int::string FROM t
SELECT -1::int, a.b::date FROM t
SELECT a:: FROM t
SELECT NULL, TRUE, FALSE, true, null
SELECT DATE '2020-01-01', date"2020-1-1", DATE '2020-01', DATE '2020'
SELECT DATE '2020-13-01'
SELECT DATE '2020-02-30'
SELECT DATE 'soon'
SELECT DATE 'now'
SELECT DATE '+2020-01-01', DATE '-0001-01-01'
SELECT TIMESTAMP '2020-01-01 00:00:00', TIMESTAMP_NTZ '2020-01-01 01:02:03.456', TIMESTAMP_LTZ '2020-01-01'
SELECT TIMESTAMP '2020-01-01T10:11:12Z', TIMESTAMP '2020-01-01 10:11:12+02:00'
SELECT TIMESTAMP '2020-01-01 25:00:00'
SELECT TIMESTAMP 'x'
SELECT foo 'bar'
SELECT a 'x' FROM t
SELECT date_col - DATE '2020-01-01' FROM t
SELECT TIME '12:30:00', TIME '1:2'

# Expressions: intervals
SELECT INTERVAL 1 DAY, INTERVAL 2 days, INTERVAL '3' HOUR, INTERVAL "4" minutes
SELECT INTERVAL 1 YEAR 2 MONTHS, INTERVAL 1 DAY 2 HOURS 3 MINUTES 4.5 SECONDS
SELECT INTERVAL -1 DAY, INTERVAL +1 DAY, INTERVAL -'1' DAY, - INTERVAL 1 DAY
SELECT INTERVAL '1-2' YEAR TO MONTH, INTERVAL '1 02:03:04.5' DAY TO SECOND, INTERVAL '1:2' HOUR TO MINUTE
SELECT INTERVAL '1 day 2 hours', INTERVAL '1 year', interval '5 minutes'
SELECT INTERVAL 'x'
SELECT INTERVAL '1' DAY TO YEAR
SELECT INTERVAL 1 FORTNIGHT
SELECT INTERVAL 1
SELECT INTERVAL DAY
SELECT INTERVAL a DAY FROM t
SELECT INTERVAL 1.5 SECOND, INTERVAL 100 MILLISECONDS, INTERVAL 7 MICROSECONDS, INTERVAL 2 WEEKS
SELECT INTERVAL 1.5 DAY
SELECT d + INTERVAL 1 DAY - INTERVAL 2 MONTHS FROM t
SELECT date '1998-12-01' - interval '90' day
SELECT date '1998-12-01' - INTERVAL 90 DAYS
SELECT date '1998-12-01' - INTERVAL '1-2' YEAR TO MONTH
SELECT INTERVAL '10' YEAR * 2, 3 * INTERVAL '1' DAY
SELECT INTERVAL 1 DAY 1 DAY

# Expressions: calls
SELECT f(), f(1), f(a, b + 1, 'c') FROM t
SELECT db.f(a), cat.db.f(a) FROM t
SELECT count(*), count(DISTINCT a), count(DISTINCT a, b), count(ALL a) FROM t
SELECT sum(DISTINCT a + 1), avg(a), min(a), max(a) FROM t
SELECT count(*) FILTER (WHERE a > 1), sum(a) FILTER (WHERE b) FROM t
SELECT sum(a) FILTER (a > 1) FROM t
SELECT sum(a) FILTER WHERE a > 1 FROM t
SELECT f(a,) FROM t
SELECT f(,a) FROM t
SELECT f(a FROM t
SELECT f(DISTINCT) FROM t
SELECT f(a => 1, b => 'x') FROM t
SELECT f(a => ) FROM t
SELECT left(a, 1), right(a, 2), if(a, b, c), nvl(a, b), coalesce(a, b, c) FROM t
SELECT filter(xs, x -> x > 1), transform(xs, (x, i) -> x + i), aggregate(xs, 0, (acc, x) -> acc + x, acc -> acc * 2) FROM t
SELECT x -> x + 1 FROM t
SELECT (x, y) -> x FROM t
SELECT () -> 1 FROM t
SELECT (x) -> x FROM t
SELECT first(a), last(a IGNORE NULLS), any_value(a IGNORE NULLS), first(a, true) FROM t
SELECT first_value(a) IGNORE NULLS OVER (ORDER BY b), lead(a) RESPECT NULLS OVER w FROM t WINDOW w AS (ORDER BY b)
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY a DESC) FROM t
SELECT listagg(a, ',') WITHIN GROUP (ORDER BY b, c) FILTER (WHERE d) FROM t
SELECT percentile_cont(0.5) WITHIN GROUP (a) FROM t
SELECT extract(year FROM d), extract(DAY FROM d), EXTRACT(dayofweek FROM d) FROM t
SELECT extract(year d) FROM t
SELECT substring(a, 1, 2), substring(a FROM 1 FOR 2), substr(a FROM 2), substr(a, 2) FROM t
SELECT substring(a FROM 1 TO 2) FROM t
SELECT trim(a), trim(BOTH FROM a), trim(LEADING 'x' FROM a), trim(TRAILING 'x' FROM a), trim('x' FROM a), trim(BOTH 'x' FROM a) FROM t
SELECT trim(MIDDLE 'x' FROM a) FROM t
SELECT position('a' IN b), position('a', b) FROM t
SELECT overlay(a PLACING 'x' FROM 2), overlay(a PLACING 'x' FROM 2 FOR 1), overlay(a, 'x', 2) FROM t
SELECT timestampadd(DAY, 1, ts), dateadd(MONTH, 2, d), date_add(d, 3), datediff(d, e), timestampdiff(HOUR, a, b) FROM t
SELECT current_date(), current_timestamp(), current_user(), now() FROM t
SELECT array(1, 2)[0], map('a', 1)['a'], struct(1, 2).col1, named_struct('a', 1).a
SELECT struct(1 AS a, 2 b), struct(a, b AS c) FROM t
SELECT a[0][1].b['c'] FROM t
SELECT a[ FROM t
SELECT a[] FROM t
SELECT f(a).b, (a).b, f(a)[0] FROM t
SELECT a COLLATE UTF8_LCASE, 'x' COLLATE UNICODE = b FROM t
SELECT a:b.c, a:b[0].c, a:['k'] FROM t
SELECT grouping(a), grouping_id() FROM t GROUP BY CUBE (a)

# Windows
SELECT rank() OVER (PARTITION BY a ORDER BY b ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM t
SELECT sum(a) OVER (), sum(a) OVER w, sum(a) OVER (w) FROM t WINDOW w AS (PARTITION BY b)
SELECT sum(a) OVER (ORDER BY b RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM t
SELECT sum(a) OVER (ORDER BY b ROWS 5 PRECEDING), sum(a) OVER (ORDER BY b ROWS UNBOUNDED PRECEDING) FROM t
SELECT sum(a) OVER (DISTRIBUTE BY b SORT BY c), sum(a) OVER (CLUSTER BY b) FROM t
SELECT sum(a) OVER (ORDER BY b RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND CURRENT ROW) FROM t
SELECT sum(a) OVER (PARTITION b) FROM t
SELECT sum(a) OVER FROM t
SELECT sum(a) OVER (ORDER BY b ROWS BETWEEN 1 AND 2) FROM t
SELECT sum(a) OVER (PARTITION BY b ORDER BY c DESC NULLS LAST, d ASC) FROM t
SELECT a FROM t QUALIFY row_number() OVER (ORDER BY a) = 1
SELECT a FROM t WINDOW w AS (ORDER BY a), v AS (PARTITION BY a)
SELECT a FROM t WINDOW w (ORDER BY a)

# FROM and joins
SELECT * FROM t a, u AS b, v
SELECT * FROM t AS a (x, y)
SELECT * FROM t a (x, y)
SELECT * FROM t AS
SELECT * FROM
SELECT * FROM ,
SELECT * FROM t,
SELECT * FROM t u v
SELECT * FROM a JOIN b ON a.x = b.x
SELECT * FROM a JOIN b
SELECT * FROM a INNER JOIN b ON true
SELECT * FROM a CROSS JOIN b
SELECT * FROM a CROSS JOIN b ON a.x = b.x
SELECT * FROM a LEFT JOIN b ON a.x = b.x LEFT OUTER JOIN c ON b.y = c.y
SELECT * FROM a RIGHT JOIN b USING (x) FULL OUTER JOIN c USING (x, y)
SELECT * FROM a FULL JOIN b ON a.x = b.x
SELECT * FROM a LEFT SEMI JOIN b ON a.x = b.x
SELECT * FROM a SEMI JOIN b ON a.x = b.x
SELECT * FROM a LEFT ANTI JOIN b USING (x)
SELECT * FROM a ANTI JOIN b USING (x)
SELECT * FROM a RIGHT SEMI JOIN b ON a.x = b.x
SELECT * FROM a NATURAL JOIN b
SELECT * FROM a NATURAL LEFT JOIN b
SELECT * FROM a NATURAL JOIN b ON a.x = b.x
SELECT * FROM a NATURAL CROSS JOIN b
SELECT * FROM a OUTER JOIN b ON a.x = b.x
SELECT * FROM a LEFT INNER JOIN b ON a.x = b.x
SELECT * FROM a JOIN b ON
SELECT * FROM a JOIN b USING x
SELECT * FROM a JOIN b USING ()
SELECT * FROM a JOIN b USING (x.y)
SELECT * FROM a JOIN
SELECT * FROM a JOIN b JOIN c ON a.x = b.x ON b.y = c.y
SELECT * FROM a JOIN (b JOIN c ON b.y = c.y) ON a.x = b.x
SELECT * FROM (a)
SELECT * FROM (a) AS b
SELECT * FROM (a, b)
SELECT * FROM ()
SELECT * FROM (SELECT 1)
SELECT * FROM (SELECT 1) AS x, (SELECT 2) y (z)
SELECT * FROM ((SELECT 1))
SELECT * FROM ((SELECT 1) UNION (SELECT 2)) x
SELECT * FROM ((SELECT 1) x JOIN (SELECT 2) y)
SELECT * FROM (SELECT 1
SELECT * FROM t, LATERAL (SELECT t.a)
SELECT * FROM t JOIN LATERAL (SELECT t.a) ON true
SELECT * FROM t LEFT JOIN LATERAL explode(t.xs) AS e (x)
SELECT * FROM LATERAL t
SELECT a FROM t LATERAL VIEW explode(xs) e AS x
SELECT a FROM t LATERAL VIEW OUTER explode(xs) e AS x LATERAL VIEW posexplode(ys) f AS p, y
SELECT a FROM t LATERAL VIEW explode(xs) e
SELECT a FROM t LATERAL VIEW explode(xs)
SELECT a FROM t LATERAL VIEW explode e AS x
SELECT * FROM range(10), range(1, 10, 2) AS r (x)
SELECT * FROM read_parquet('x/*.parquet', hive_partitioning => true)
SELECT * FROM f(TABLE t), g(TABLE (SELECT 1)), h(x => TABLE t PARTITION BY a ORDER BY b)
SELECT * FROM f(TABLE t WITH SINGLE PARTITION)
SELECT * FROM VALUES 1, 2
SELECT * FROM VALUES (1, 2), (3, 4) AS t (a, b)
SELECT * FROM (VALUES (1, 2)) AS t (a, b)
SELECT * FROM VALUES
SELECT * FROM parquet.`path/x`
SELECT * FROM parquet.`path/*.parquet` AS p WHERE p.a = 1
SELECT * FROM IDENTIFIER('t')
SELECT * FROM t TABLESAMPLE (10 PERCENT)
SELECT * FROM t TABLESAMPLE (5 ROWS) AS s
SELECT * FROM t TABLESAMPLE (BUCKET 3 OUT OF 32 ON id)
SELECT * FROM t TABLESAMPLE (10 PERCENT) REPEATABLE (7) s
SELECT * FROM t TABLESAMPLE (100M)
SELECT * FROM t TABLESAMPLE (10)
SELECT * FROM t TABLESAMPLE (PERCENT)
SELECT * FROM t TABLESAMPLE 10 PERCENT
SELECT * FROM t VERSION AS OF 3
SELECT * FROM t FOR VERSION AS OF 'v1' AS x
SELECT * FROM t TIMESTAMP AS OF '2020-01-01'
SELECT * FROM t FOR SYSTEM_TIME AS OF current_timestamp()
SELECT * FROM t VERSION AS OF a
SELECT * FROM t1 PIVOT (sum(x) FOR k IN ('a', 'b'))
SELECT * FROM t1 PIVOT (sum(x) AS s, avg(x) FOR (k, l) IN (('a', 1) AS p, ('b', 2)))
SELECT * FROM t1 PIVOT (sum(x) FOR k IN ())
SELECT * FROM t1 PIVOT (sum(x) IN ('a'))
SELECT * FROM t UNPIVOT (v FOR n IN (a, b AS bb))
SELECT * FROM t UNPIVOT INCLUDE NULLS ((v, w) FOR n IN ((a, b) AS x, (c, d)))
SELECT * FROM t UNPIVOT (v FOR n (a, b))
SELECT * FROM t JOIN u PIVOT (sum(x) FOR k IN (1)) WHERE a = 1
SELECT * FROM a-b
SELECT * FROM 5
SELECT * FROM t WHERE a > 1
SELECT * FROM t WHERE a > 1 WHERE b
SELECT * FROM t WHERE a > 1 AND
SELECT 1 WHERE true
SELECT a WHERE FROM t

# GROUP BY, HAVING
SELECT a, count(*) FROM t GROUP BY a
SELECT a, count(*) FROM t GROUP BY a, b + 1, 3
SELECT a, count(*) FROM t GROUP BY a WITH ROLLUP
SELECT a, count(*) FROM t GROUP BY a, b WITH CUBE
SELECT a, count(*) FROM t GROUP BY ROLLUP (a, b)
SELECT a, count(*) FROM t GROUP BY ROLLUP ((a, b), c), d
SELECT a, count(*) FROM t GROUP BY CUBE (a), ROLLUP (b)
SELECT a, count(*) FROM t GROUP BY GROUPING SETS ((a), (a, b), ())
SELECT a, count(*) FROM t GROUP BY GROUPING SETS (a, ROLLUP (b, c), CUBE (d))
SELECT a, count(*) FROM t GROUP BY a, b GROUPING SETS ((a), (b))
SELECT a FROM t GROUP BY ALL
SELECT a FROM t GROUP BY ()
SELECT a FROM t GROUP a
SELECT a FROM t GROUP BY
SELECT a FROM t GROUP BY a,
SELECT a FROM t GROUP BY GROUPING SETS
SELECT a FROM t GROUP BY GROUPING SETS ()
SELECT a FROM t GROUP BY a HAVING count(*) > 1
SELECT count(*) FROM t HAVING count(*) > 1
SELECT a FROM t HAVING
SELECT a FROM t HAVING a GROUP BY a
SELECT a FROM t GROUP BY a WHERE a > 1

# ORDER BY, LIMIT and the like
SELECT a FROM t ORDER BY a
SELECT a FROM t ORDER BY a ASC, b DESC NULLS FIRST, c NULLS LAST
SELECT a FROM t ORDER BY ALL
SELECT a FROM t ORDER BY 1, a + b, f(c)
SELECT a FROM t ORDER a
SELECT a FROM t ORDER BY
SELECT a FROM t ORDER BY a DESCENDING
SELECT a FROM t ORDER BY a ASC DESC
SELECT a FROM t ORDER BY a NULLS
SELECT a FROM t SORT BY a DESC
SELECT a FROM t DISTRIBUTE BY a SORT BY b
SELECT a FROM t CLUSTER BY a, b
SELECT a FROM t ORDER BY a SORT BY b
SELECT a FROM t ORDER BY a CLUSTER BY b
SELECT a FROM t SORT BY a DISTRIBUTE BY b
SELECT a FROM t ORDER BY a NULLS LAST LIMIT 5 OFFSET 2
SELECT a FROM t LIMIT 5
SELECT a FROM t LIMIT ALL
SELECT a FROM t LIMIT 1 + 1
SELECT a FROM t LIMIT ALL OFFSET 3
SELECT a FROM t OFFSET 3
SELECT a FROM t OFFSET 3 LIMIT 5
SELECT a FROM t LIMIT 5, 2
SELECT a FROM t LIMIT 5 LIMIT 6
SELECT a FROM t FETCH FIRST 5 ROWS ONLY
SELECT a FROM t LIMIT 5 ORDER BY a

# Set operations
SELECT 1 UNION SELECT 2
SELECT 1 UNION ALL SELECT 2 UNION DISTINCT SELECT 3
SELECT 1 EXCEPT SELECT 2
SELECT 1 EXCEPT ALL SELECT 2
SELECT 1 MINUS SELECT 2
SELECT 1 MINUS ALL SELECT 2
SELECT 1 INTERSECT SELECT 2
SELECT 1 INTERSECT ALL SELECT 2
SELECT 1 UNION SELECT 2 INTERSECT SELECT 3 EXCEPT SELECT 4
SELECT 1 UNION SELECT 2 ORDER BY 1 LIMIT 1
SELECT 1 ORDER BY 1 UNION SELECT 2
(SELECT 1 ORDER BY 1 LIMIT 1) UNION (SELECT 2)
(SELECT 1) LIMIT 1
((SELECT 1)) UNION ALL ((SELECT 2))
SELECT 1 UNION
UNION SELECT 1
SELECT 1 UNION 2
SELECT 1 UNION ALL DISTINCT SELECT 2
SELECT a FROM t UNION SELECT b FROM u
SELECT * EXCEPT (SELECT 1)
SELECT * FROM t EXCEPT SELECT * FROM u
VALUES 1, 2
VALUES (1, 'a'), (2, 'b') AS t (x, y)
VALUES
VALUES (1, 2), SELECT
VALUES 1 UNION VALUES 2
TABLE t
TABLE db.t
TABLE
SELECT 1 UNION TABLE t

# WITH and subqueries
WITH c AS (SELECT 1 a) SELECT * FROM c UNION ALL SELECT 2
WITH a AS (SELECT 1), b (x, y) AS (SELECT 2, 3) SELECT * FROM a, b
WITH a (SELECT 1) SELECT * FROM a
WITH a AS SELECT 1 SELECT * FROM a
WITH a AS (SELECT 1)
WITH a AS (SELECT 1), SELECT 2
WITH SELECT 1
WITH a AS (WITH b AS (SELECT 1) SELECT * FROM b) SELECT * FROM a
WITH RECURSIVE r AS (SELECT 1) SELECT * FROM r
SELECT * FROM (WITH a AS (SELECT 1) SELECT * FROM a)
SELECT (SELECT 1), (SELECT max(a) FROM t) + 1
SELECT ((SELECT 1)), ((SELECT 1) + 1)
SELECT (SELECT 1 UNION SELECT 2)
SELECT ((SELECT 1) UNION (SELECT 2))
SELECT (WITH a AS (SELECT 1) SELECT * FROM a)
SELECT a FROM t WHERE a > (SELECT avg(a) FROM t) AND b IN (SELECT b FROM u WHERE u.c = t.c)
SELECT a FROM t WHERE (a, b) IN (SELECT c, d FROM u)
SELECT a FROM t WHERE a = SELECT 1
SELECT a IN (WITH c AS (SELECT 1) SELECT * FROM c) FROM t

# FROM first, and pipes
FROM t
FROM t SELECT a
FROM t SELECT a WHERE b GROUP BY c
FROM t, u SELECT a ORDER BY a LIMIT 1
FROM t |> WHERE a > 1 |> SELECT a
FROM t |> SELECT a, b |> EXTEND a + b AS c |> SET a = 1, b = 2 |> DROP c |> AS x
FROM t |> AGGREGATE sum(a) AS s GROUP BY b |> ORDER BY s DESC |> LIMIT 5
FROM t |> JOIN u ON t.a = u.a |> TABLESAMPLE (5 ROWS)
FROM t |> UNION ALL SELECT 1 |> PIVOT (sum(x) FOR k IN (1))
SELECT 1 AS a |> WHERE a = 1
FROM t |> FOO a
FROM t |>
FROM t WHERE a
SELECT TRANSFORM (a, b) USING 'cat' AS (c, d) FROM t
SELECT TRANSFORM (a) USING 'cat' AS (c INT, d STRING) FROM t
SELECT transform(xs, x -> x) FROM t

# Statements around queries
EXPLAIN SELECT 1
EXPLAIN EXTENDED SELECT 1
EXPLAIN FORMATTED SELECT a FROM t
EXPLAIN CODEGEN SELECT 1
EXPLAIN COST SELECT 1
EXPLAIN LOGICAL SELECT 1
EXPLAIN
EXPLAIN FOO SELECT 1
EXPLAIN EXPLAIN SELECT 1
DESCRIBE t
DESC t
DESCRIBE TABLE t
DESCRIBE TABLE EXTENDED db.t
DESCRIBE FORMATTED t
DESCRIBE EXTENDED t a
DESCRIBE QUERY SELECT 1
DESCRIBE SELECT 1 AS a
DESC WITH a AS (SELECT 1) SELECT * FROM a
DESCRIBE VALUES 1
DESCRIBE parquet.`path`
DESCRIBE
DESCRIBE FUNCTION abs
DESCRIBE DATABASE d
SET spark.sql.shuffle.partitions = 8
SET memory_limit = '1GB'
SET a.b=c d e
SET a =
SET a
SET -v
SET
SET TIME ZONE 'UTC'
SET TIME ZONE LOCAL
SET VARIABLE x = 1
RESET
RESET a.b
SHOW TABLES
SHOW TABLES IN db LIKE 'x*'
SHOW COLUMNS FROM t
SHOW CREATE TABLE t
SHOW DATABASES
SHOW FUNCTIONS
SHOW ALL FUNCTIONS
SHOW PARTITIONS t
SHOW

# Other statements, known by their words
CREATE TABLE t (a INT) USING parquet PARTITIONED BY (a) LOCATION 'x'
CREATE EXTERNAL TABLE t (a INT) STORED AS PARQUET LOCATION 'x'
CREATE TEMPORARY VIEW v USING parquet OPTIONS (path 'x')
CREATE OR REPLACE TEMP VIEW v AS SELECT 1
CREATE TABLE t AS SELECT a FROM u
CREATE DATABASE d
INSERT INTO t SELECT 1
INSERT INTO t VALUES (1, 2)
INSERT OVERWRITE DIRECTORY 'x' USING parquet SELECT 1
DROP TABLE IF EXISTS t
ALTER TABLE t ADD COLUMNS (a INT)
DELETE FROM t WHERE a = 1
UPDATE t SET a = 1 WHERE b = 2
MERGE INTO t USING u ON t.a = u.a WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT *
USE db
ANALYZE TABLE t COMPUTE STATISTICS
CACHE TABLE t
UNCACHE TABLE t
CLEAR CACHE
REFRESH TABLE t
TRUNCATE TABLE t
MSCK REPAIR TABLE t
LOAD DATA INPATH 'x' INTO TABLE t
SELEC 1
HELLO
1
'x'
(1)
()

# Ours alone: each stands in intended.txt
SELECT * FROM "dir/*.parquet"
SELECT * FROM 'dir/x.parquet' AS f WHERE f.a > 1
SELECT l_returnflag, sum(l_quantity) FROM "dir/*.parquet" GROUP BY 1
SELECT * FROM "a.parquet" JOIN 'b.parquet' b ON true
SELECT * FROM t LEFT JOIN "b.parquet" USING (x)
COPY (SELECT 1) TO 'x' (FORMAT parquet)
COPY t TO 'x.csv'
COPY (SELECT a FROM t) TO 'x' (FORMAT parquet, COMPRESSION 'zstd', ROW_GROUP_SIZE 100000)
EXPLAIN ANALYZE SELECT 1
EXPLAIN ANALYZE SELECT a FROM "x.parquet"
SHOW ALL
SHOW memory.limit
DESCRIBE "dir/x.parquet"
DESCRIBE 'dir/x.parquet'
SELECT a, FROM t
SELECT FROM t
SELECT 1 WHERE
SELECT * FROM t where
SELECT a AND FROM t
SELECT CASE END
SELECT array(1)[0] >> 2

# TPC-H
select
    l_returnflag,
    l_linestatus,
    sum(l_quantity) as sum_qty,
    sum(l_extendedprice) as sum_base_price,
    sum(l_extendedprice * (1 - l_discount)) as sum_disc_price,
    sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) as sum_charge,
    avg(l_quantity) as avg_qty,
    avg(l_extendedprice) as avg_price,
    avg(l_discount) as avg_disc,
    count(*) as count_order
  from lineitem
  where l_shipdate <= date '1998-12-01' - interval '90' day
  group by l_returnflag, l_linestatus
  order by l_returnflag, l_linestatus
select s_acctbal, s_name, n_name, p_partkey, p_mfgr, s_address, s_phone, s_comment
  from part, supplier, partsupp, nation, region
  where p_partkey = ps_partkey
    and s_suppkey = ps_suppkey
    and p_size = 15
    and p_type like '%BRASS'
    and s_nationkey = n_nationkey
    and n_regionkey = r_regionkey
    and r_name = 'EUROPE'
    and ps_supplycost = (
      select min(ps_supplycost)
      from partsupp, supplier, nation, region
      where p_partkey = ps_partkey
        and s_suppkey = ps_suppkey
        and s_nationkey = n_nationkey
        and n_regionkey = r_regionkey
        and r_name = 'EUROPE')
  order by s_acctbal desc, n_name, s_name, p_partkey
  limit 100
select l_orderkey, sum(l_extendedprice * (1 - l_discount)) as revenue, o_orderdate, o_shippriority
  from customer, orders, lineitem
  where c_mktsegment = 'BUILDING'
    and c_custkey = o_custkey
    and l_orderkey = o_orderkey
    and o_orderdate < date '1995-03-15'
    and l_shipdate > date '1995-03-15'
  group by l_orderkey, o_orderdate, o_shippriority
  order by revenue desc, o_orderdate
  limit 10
select o_orderpriority, count(*) as order_count
  from orders
  where o_orderdate >= date '1993-07-01'
    and o_orderdate < date '1993-07-01' + interval '3' month
    and exists (
      select * from lineitem
      where l_orderkey = o_orderkey and l_commitdate < l_receiptdate)
  group by o_orderpriority
  order by o_orderpriority
select n_name, sum(l_extendedprice * (1 - l_discount)) as revenue
  from customer, orders, lineitem, supplier, nation, region
  where c_custkey = o_custkey
    and l_orderkey = o_orderkey
    and l_suppkey = s_suppkey
    and c_nationkey = s_nationkey
    and s_nationkey = n_nationkey
    and n_regionkey = r_regionkey
    and r_name = 'ASIA'
    and o_orderdate >= date '1994-01-01'
    and o_orderdate < date '1994-01-01' + interval '1' year
  group by n_name
  order by revenue desc
select sum(l_extendedprice * l_discount) as revenue
  from lineitem
  where l_shipdate >= date '1994-01-01'
    and l_shipdate < date '1994-01-01' + interval '1' year
    and l_discount between 0.06 - 0.01 and 0.06 + 0.01
    and l_quantity < 24
select supp_nation, cust_nation, l_year, sum(volume) as revenue
  from (
    select
      n1.n_name as supp_nation,
      n2.n_name as cust_nation,
      extract(year from l_shipdate) as l_year,
      l_extendedprice * (1 - l_discount) as volume
    from supplier, lineitem, orders, customer, nation n1, nation n2
    where s_suppkey = l_suppkey
      and o_orderkey = l_orderkey
      and c_custkey = o_custkey
      and s_nationkey = n1.n_nationkey
      and c_nationkey = n2.n_nationkey
      and ((n1.n_name = 'FRANCE' and n2.n_name = 'GERMANY')
        or (n1.n_name = 'GERMANY' and n2.n_name = 'FRANCE'))
      and l_shipdate between date '1995-01-01' and date '1996-12-31'
  ) as shipping
  group by supp_nation, cust_nation, l_year
  order by supp_nation, cust_nation, l_year
select o_year, sum(case when nation = 'BRAZIL' then volume else 0 end) / sum(volume) as mkt_share
  from (
    select
      extract(year from o_orderdate) as o_year,
      l_extendedprice * (1 - l_discount) as volume,
      n2.n_name as nation
    from part, supplier, lineitem, orders, customer, nation n1, nation n2, region
    where p_partkey = l_partkey
      and s_suppkey = l_suppkey
      and l_orderkey = o_orderkey
      and o_custkey = c_custkey
      and c_nationkey = n1.n_nationkey
      and n1.n_regionkey = r_regionkey
      and r_name = 'AMERICA'
      and s_nationkey = n2.n_nationkey
      and o_orderdate between date '1995-01-01' and date '1996-12-31'
      and p_type = 'ECONOMY ANODIZED STEEL'
  ) as all_nations
  group by o_year
  order by o_year
select nation, o_year, sum(amount) as sum_profit
  from (
    select
      n_name as nation,
      extract(year from o_orderdate) as o_year,
      l_extendedprice * (1 - l_discount) - ps_supplycost * l_quantity as amount
    from part, supplier, lineitem, partsupp, orders, nation
    where s_suppkey = l_suppkey
      and ps_suppkey = l_suppkey
      and ps_partkey = l_partkey
      and p_partkey = l_partkey
      and o_orderkey = l_orderkey
      and s_nationkey = n_nationkey
      and p_name like '%green%'
  ) as profit
  group by nation, o_year
  order by nation, o_year desc
select
    c_custkey, c_name, sum(l_extendedprice * (1 - l_discount)) as revenue,
    c_acctbal, n_name, c_address, c_phone, c_comment
  from customer, orders, lineitem, nation
  where c_custkey = o_custkey
    and l_orderkey = o_orderkey
    and o_orderdate >= date '1993-10-01'
    and o_orderdate < date '1993-10-01' + interval '3' month
    and l_returnflag = 'R'
    and c_nationkey = n_nationkey
  group by c_custkey, c_name, c_acctbal, c_phone, n_name, c_address, c_comment
  order by revenue desc
  limit 20
select ps_partkey, sum(ps_supplycost * ps_availqty) as value
  from partsupp, supplier, nation
  where ps_suppkey = s_suppkey
    and s_nationkey = n_nationkey
    and n_name = 'GERMANY'
  group by ps_partkey
  having sum(ps_supplycost * ps_availqty) > (
    select sum(ps_supplycost * ps_availqty) * 0.0001
    from partsupp, supplier, nation
    where ps_suppkey = s_suppkey
      and s_nationkey = n_nationkey
      and n_name = 'GERMANY')
  order by value desc
select
    l_shipmode,
    sum(case when o_orderpriority = '1-URGENT' or o_orderpriority = '2-HIGH' then 1 else 0 end) as high_line_count,
    sum(case when o_orderpriority <> '1-URGENT' and o_orderpriority <> '2-HIGH' then 1 else 0 end) as low_line_count
  from orders, lineitem
  where o_orderkey = l_orderkey
    and l_shipmode in ('MAIL', 'SHIP')
    and l_commitdate < l_receiptdate
    and l_shipdate < l_commitdate
    and l_receiptdate >= date '1994-01-01'
    and l_receiptdate < date '1994-01-01' + interval '1' year
  group by l_shipmode
  order by l_shipmode
select c_count, count(*) as custdist
  from (
    select c_custkey, count(o_orderkey) as c_count
    from customer left outer join orders
      on c_custkey = o_custkey and o_comment not like '%special%requests%'
    group by c_custkey
  ) as c_orders
  group by c_count
  order by custdist desc, c_count desc
select
    100.00 * sum(case when p_type like 'PROMO%' then l_extendedprice * (1 - l_discount) else 0 end)
      / sum(l_extendedprice * (1 - l_discount)) as promo_revenue
  from lineitem, part
  where l_partkey = p_partkey
    and l_shipdate >= date '1995-09-01'
    and l_shipdate < date '1995-09-01' + interval '1' month
with revenue as (
    select l_suppkey as supplier_no, sum(l_extendedprice * (1 - l_discount)) as total_revenue
    from lineitem
    where l_shipdate >= date '1996-01-01'
      and l_shipdate < date '1996-01-01' + interval '3' month
    group by l_suppkey
  )
  select s_suppkey, s_name, s_address, s_phone, total_revenue
  from supplier, revenue
  where s_suppkey = supplier_no
    and total_revenue = (select max(total_revenue) from revenue)
  order by s_suppkey
select p_brand, p_type, p_size, count(distinct ps_suppkey) as supplier_cnt
  from partsupp, part
  where p_partkey = ps_partkey
    and p_brand <> 'Brand#45'
    and p_type not like 'MEDIUM POLISHED%'
    and p_size in (49, 14, 23, 45, 19, 3, 36, 9)
    and ps_suppkey not in (
      select s_suppkey from supplier where s_comment like '%Customer%Complaints%')
  group by p_brand, p_type, p_size
  order by supplier_cnt desc, p_brand, p_type, p_size
select sum(l_extendedprice) / 7.0 as avg_yearly
  from lineitem, part
  where p_partkey = l_partkey
    and p_brand = 'Brand#23'
    and p_container = 'MED BOX'
    and l_quantity < (
      select 0.2 * avg(l_quantity) from lineitem where l_partkey = p_partkey)
select c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice, sum(l_quantity) as sum_qty
  from customer, orders, lineitem
  where o_orderkey in (
      select l_orderkey from lineitem group by l_orderkey having sum(l_quantity) > 300)
    and c_custkey = o_custkey
    and o_orderkey = l_orderkey
  group by c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice
  order by o_totalprice desc, o_orderdate
  limit 100
select sum(l_extendedprice * (1 - l_discount)) as revenue
  from lineitem, part
  where (p_partkey = l_partkey
      and p_brand = 'Brand#12'
      and p_container in ('SM CASE', 'SM BOX', 'SM PACK', 'SM PKG')
      and l_quantity >= 1 and l_quantity <= 1 + 10
      and p_size between 1 and 5
      and l_shipmode in ('AIR', 'AIR REG')
      and l_shipinstruct = 'DELIVER IN PERSON')
    or (p_partkey = l_partkey
      and p_brand = 'Brand#23'
      and p_container in ('MED BAG', 'MED BOX', 'MED PKG', 'MED PACK')
      and l_quantity >= 10 and l_quantity <= 10 + 10
      and p_size between 1 and 10
      and l_shipmode in ('AIR', 'AIR REG')
      and l_shipinstruct = 'DELIVER IN PERSON')
    or (p_partkey = l_partkey
      and p_brand = 'Brand#34'
      and p_container in ('LG CASE', 'LG BOX', 'LG PACK', 'LG PKG')
      and l_quantity >= 20 and l_quantity <= 20 + 10
      and p_size between 1 and 15
      and l_shipmode in ('AIR', 'AIR REG')
      and l_shipinstruct = 'DELIVER IN PERSON')
select s_name, s_address
  from supplier, nation
  where s_suppkey in (
      select ps_suppkey
      from partsupp
      where ps_partkey in (select p_partkey from part where p_name like 'forest%')
        and ps_availqty > (
          select 0.5 * sum(l_quantity)
          from lineitem
          where l_partkey = ps_partkey
            and l_suppkey = ps_suppkey
            and l_shipdate >= date '1994-01-01'
            and l_shipdate < date '1994-01-01' + interval '1' year))
    and s_nationkey = n_nationkey
    and n_name = 'CANADA'
  order by s_name
select s_name, count(*) as numwait
  from supplier, lineitem l1, orders, nation
  where s_suppkey = l1.l_suppkey
    and o_orderkey = l1.l_orderkey
    and o_orderstatus = 'F'
    and l1.l_receiptdate > l1.l_commitdate
    and exists (
      select * from lineitem l2
      where l2.l_orderkey = l1.l_orderkey and l2.l_suppkey <> l1.l_suppkey)
    and not exists (
      select * from lineitem l3
      where l3.l_orderkey = l1.l_orderkey
        and l3.l_suppkey <> l1.l_suppkey
        and l3.l_receiptdate > l3.l_commitdate)
    and s_nationkey = n_nationkey
    and n_name = 'SAUDI ARABIA'
  group by s_name
  order by numwait desc, s_name
  limit 100
select cntrycode, count(*) as numcust, sum(c_acctbal) as totacctbal
  from (
    select substring(c_phone from 1 for 2) as cntrycode, c_acctbal
    from customer
    where substring(c_phone from 1 for 2) in ('13', '31', '23', '29', '30', '18', '17')
      and c_acctbal > (
        select avg(c_acctbal)
        from customer
        where c_acctbal > 0.00
          and substring(c_phone from 1 for 2) in ('13', '31', '23', '29', '30', '18', '17'))
      and not exists (select * from orders where o_custkey = c_custkey)
  ) as custsale
  group by cntrycode
  order by cntrycode
