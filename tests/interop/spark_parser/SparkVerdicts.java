// SPDX-License-Identifier: Apache-2.0
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.antlr.v4.runtime.BaseErrorListener;
import org.antlr.v4.runtime.CharStream;
import org.antlr.v4.runtime.CharStreams;
import org.antlr.v4.runtime.CommonTokenStream;
import org.antlr.v4.runtime.RecognitionException;
import org.antlr.v4.runtime.Recognizer;
import org.antlr.v4.runtime.misc.Interval;
import org.apache.spark.sql.catalyst.parser.SqlBaseLexer;
import org.apache.spark.sql.catalyst.parser.SqlBaseParser;

/**
 * Asks Apache Spark's own parser about each statement of a file. "accept": it parses.
 * "reject": its grammar has no such statement. "refuse": the grammar has, and what Spark makes
 * of the tree does not (a date that is none, a number out of range). With the grammar's jar alone
 * (spark-sql-api) "refuse" cannot be told from "accept".
 *
 * <p>SparkVerdicts write STATEMENTS VERDICTS | SparkVerdicts check STATEMENTS VERDICTS
 */
public final class SparkVerdicts {
  /** Spark's lexer knows upper case only; the text itself keeps its case. */
  private static final class UpperCaseStream implements CharStream {
    private final CharStream in;

    UpperCaseStream(CharStream in) {
      this.in = in;
    }

    @Override
    public int LA(int i) {
      int c = in.LA(i);
      return c <= 0 ? c : Character.toUpperCase(c);
    }

    @Override
    public void consume() {
      in.consume();
    }

    @Override
    public int mark() {
      return in.mark();
    }

    @Override
    public void release(int marker) {
      in.release(marker);
    }

    @Override
    public int index() {
      return in.index();
    }

    @Override
    public void seek(int index) {
      in.seek(index);
    }

    @Override
    public int size() {
      return in.size();
    }

    @Override
    public String getSourceName() {
      return in.getSourceName();
    }

    @Override
    public String getText(Interval interval) {
      return in.getText(interval);
    }
  }

  private static final class FirstError extends BaseErrorListener {
    boolean seen = false;

    @Override
    public void syntaxError(
        Recognizer<?, ?> recognizer,
        Object symbol,
        int line,
        int column,
        String message,
        RecognitionException cause) {
      seen = true;
    }
  }

  private static boolean grammarAccepts(String statement) {
    FirstError errors = new FirstError();
    SqlBaseLexer lexer = new SqlBaseLexer(new UpperCaseStream(CharStreams.fromString(statement)));
    lexer.removeErrorListeners();
    lexer.addErrorListener(errors);
    SqlBaseParser parser = new SqlBaseParser(new CommonTokenStream(lexer));
    parser.removeErrorListeners();
    parser.addErrorListener(errors);
    parser.singleStatement();
    return !errors.seen && !lexer.has_unclosed_bracketed_comment;
  }

  /** Spark's whole parser, when its jars are there. */
  private final Object sparkParser;

  private final Method parsePlan;

  private SparkVerdicts() throws ReflectiveOperationException {
    Object parser = null;
    Method method = null;
    try {
      Class<?> type = Class.forName("org.apache.spark.sql.execution.SparkSqlParser");
      parser = type.getDeclaredConstructor().newInstance();
      method = type.getMethod("parsePlan", String.class);
    } catch (ClassNotFoundException | NoClassDefFoundError e) {
      System.err.println("grammar only: SparkSqlParser is not among the jars");
    }
    sparkParser = parser;
    parsePlan = method;
  }

  private String judge(String statement) throws IllegalAccessException {
    if (!grammarAccepts(statement)) {
      return "reject";
    }
    if (parsePlan == null) {
      return "accept";
    }
    try {
      parsePlan.invoke(sparkParser, statement);
      return "accept";
    } catch (InvocationTargetException e) {
      return "refuse";
    }
  }

  private static List<String> readStatements(Path path) throws Exception {
    List<String> statements = new ArrayList<>();
    for (String line : Files.readAllLines(path)) {
      if (line.startsWith("  ") && !statements.isEmpty()) {
        int last = statements.size() - 1;
        statements.set(last, statements.get(last) + "\n" + line);
      } else if (!line.isEmpty() && !line.startsWith("# ")) {
        statements.add(line);
      }
    }
    return statements;
  }

  private static String sameAs(String verdict, boolean grammarOnly) {
    return grammarOnly && verdict.equals("refuse") ? "accept" : verdict;
  }

  public static void main(String[] arguments) throws Exception {
    SparkVerdicts spark = new SparkVerdicts();
    List<String> verdicts = new ArrayList<>();
    for (String statement : readStatements(Path.of(arguments[1]))) {
      verdicts.add(spark.judge(statement) + "\t" + statement.replace("\n", "\\n"));
    }
    Path file = Path.of(arguments[2]);
    if (arguments[0].equals("write")) {
      Path jar =
          Path.of(SqlBaseParser.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      String header =
          "# The judgement of Apache Spark's parser ("
              + jar.getFileName()
              + ") on statements.sql, made by SparkVerdicts.java; not to be edited.\n";
      Files.writeString(file, header + String.join("\n", verdicts) + "\n");
      return;
    }
    List<String> committed = Files.readAllLines(file);
    committed.removeIf(line -> line.startsWith("# "));
    int differences = Math.abs(committed.size() - verdicts.size());
    for (int i = 0; i < Math.min(committed.size(), verdicts.size()); i++) {
      String[] expected = committed.get(i).split("\t", 2);
      String[] found = verdicts.get(i).split("\t", 2);
      boolean grammarOnly = spark.parsePlan == null;
      if (!sameAs(expected[0], grammarOnly).equals(found[0]) || !expected[1].equals(found[1])) {
        differences++;
        System.out.println("file: " + committed.get(i) + "\nSpark: " + verdicts.get(i));
      }
    }
    System.out.println(verdicts.size() + " statements judged, " + differences + " differences");
    System.exit(differences == 0 ? 0 : 1);
  }
}
