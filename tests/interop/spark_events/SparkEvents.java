// SPDX-License-Identifier: Apache-2.0
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.deploy.history.EventLogFileReader;
import org.apache.spark.scheduler.ReplayListenerBus;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.util.JsonProtocol;

/**
 * Reads event logs with Apache Spark's own classes. Each line must become an event, and the event
 * must become the same JSON again: the same fields in the same order with the same values. Then the
 * log is replayed as the history server does it.
 *
 * <p>SparkEvents FILE_OR_FOLDER…: a file of JSON lines, or a folder eventlog_v2_…. For each of them
 * a line "log {COUNTS} PATH", then one for each problem, then the sum of all.
 */
public final class SparkEvents {
  /** Our own record, which Spark passes over. */
  private static final String SUMMARY = "org.wheelpit.events.RunSummary";

  /** Objects that Spark holds in maps: their order means nothing. */
  private static final Set<String> MAPS =
      Set.of(
          "JVM Information",
          "Spark Properties",
          "Hadoop Properties",
          "System Properties",
          "Metrics Properties",
          "Classpath Entries",
          "Properties",
          "Executor Resource Requests",
          "Task Resource Requests",
          "metadata",
          "modifiedConfigs");

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final List<String> problems = new ArrayList<>();
  private final Set<String> classes = new TreeSet<>();
  private int events = 0;
  private int taskEnds = 0;
  private boolean summary = false;

  /** Of one log: lines by the last word of their class. */
  private final Map<String, Integer> counts = new TreeMap<>();

  private static List<String> namesOf(JsonNode node) {
    List<String> names = new ArrayList<>();
    node.fieldNames().forEachRemaining(names::add);
    return names;
  }

  private void compare(String path, boolean isMap, JsonNode ours, JsonNode spark) {
    if (ours.isObject() && spark.isObject()) {
      List<String> left = namesOf(ours);
      List<String> right = namesOf(spark);
      if (isMap) {
        left.sort(null);
        right.sort(null);
      }
      if (!left.equals(right)) {
        problems.add(path + ": fields " + left + ", Spark's " + right);
        return;
      }
      for (String name : left) {
        compare(path + "/" + name, MAPS.contains(name), ours.get(name), spark.get(name));
      }
    } else if (ours.isArray() && spark.isArray() && ours.size() == spark.size()) {
      for (int i = 0; i < ours.size(); i++) {
        compare(path + "/" + i, false, ours.get(i), spark.get(i));
      }
    } else if (!ours.equals(spark)) {
      problems.add(path + ": " + ours + ", Spark's " + spark);
    }
  }

  private void checkLine(String where, String line) throws Exception {
    JsonNode ours = MAPPER.readTree(line);
    String name = ours.get("Event").asText();
    if (name.equals(SUMMARY)) {
      summary = true;
      return;
    }
    if (summary) {
      problems.add(where + ": a line after the summary");
    }
    events++;
    counts.merge(name.substring(name.lastIndexOf('.') + 1), 1, Integer::sum);
    if (name.equals("SparkListenerTaskEnd")) {
      taskEnds++;
    }
    SparkListenerEvent event = JsonProtocol.sparkEventFromJson(line);
    classes.add(event.getClass().getSimpleName());
    compare(
        where + " " + name,
        false,
        ours,
        MAPPER.readTree(JsonProtocol.sparkEventToJsonString(event)));
  }

  private interface Source {
    InputStream open() throws Exception;
  }

  private void check(String name, Source source) throws Exception {
    try (BufferedReader reader =
        new BufferedReader(new InputStreamReader(source.open(), StandardCharsets.UTF_8))) {
      int number = 0;
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        number++;
        checkLine(name + ":" + number, line);
      }
    }
  }

  /** What arrives at a listener. */
  public static final class Counter extends SparkListener {
    int taskEnds = 0;
    int ends = 0;

    @Override
    public void onTaskEnd(SparkListenerTaskEnd end) {
      taskEnds++;
    }

    @Override
    public void onApplicationEnd(SparkListenerApplicationEnd end) {
      ends++;
    }
  }

  private void replay(String name, Source source, Counter counter) throws Exception {
    ReplayListenerBus bus = new ReplayListenerBus();
    bus.addListener(counter);
    try (InputStream input = source.open()) {
      if (!bus.replay(input, name, false, bus.replay$default$4())) {
        problems.add(name + ": Spark stops in the middle");
      }
    }
  }

  private void checkLog(String path) throws Exception {
    Counter counter = new Counter();
    taskEnds = 0;
    summary = false;
    counts.clear();
    if (Files.isRegularFile(java.nio.file.Path.of(path))) {
      Source source = () -> Files.newInputStream(java.nio.file.Path.of(path));
      check(path, source);
      replay(path, source, counter);
    } else {
      FileSystem files = FileSystem.getLocal(new Configuration());
      EventLogFileReader reader = EventLogFileReader.apply(files, new Path(path)).get();
      Iterator<FileStatus> parts =
          scala.jdk.javaapi.CollectionConverters.asJava(reader.listEventLogFiles().iterator());
      while (parts.hasNext()) {
        Path part = parts.next().getPath();
        Source source = () -> EventLogFileReader.openEventLog(part, files);
        check(part.getName(), source);
        replay(part.getName(), source, counter);
      }
      if (reader.completed() != summary) {
        problems.add(path + ": completed is " + reader.completed() + ", its summary " + summary);
      }
    }
    if (counter.taskEnds != taskEnds) {
      problems.add(path + ": " + taskEnds + " tasks, replayed " + counter.taskEnds);
    }
    System.out.println("log " + MAPPER.writeValueAsString(counts) + " " + path);
  }

  public static void main(String[] arguments) throws Exception {
    SparkEvents checker = new SparkEvents();
    for (String path : arguments) {
      checker.checkLog(path);
    }
    checker.problems.forEach(System.out::println);
    System.out.println(
        checker.events + " events of " + checker.classes.size() + " classes, "
            + checker.problems.size() + " problems: " + checker.classes);
    System.exit(checker.problems.isEmpty() && checker.events > 0 ? 0 : 1);
  }
}
