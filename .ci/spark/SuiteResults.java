import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * Judges the runs of one of Spark's suites: with our plug-in, in some modes, and with Spark alone.
 * {@code .ci/spark-suites} runs it:
 *
 * <pre>java .ci/spark/SuiteResults.java DIRECTORY SUITE EXCEPTIONS MODE...</pre>
 *
 * The exit status is 1 for a failure that counts, and 3 if the failures must be compared with a run
 * of Spark alone, which is not there yet. A failure counts unless the test fails with Spark alone
 * too, or is an exception. An exception that passes in every mode counts as well.
 */
final class SuiteResults {
    private static final int COUNTS = 1;
    private static final int COMPARE = 3;

    /** What the driver logs at the end of an application that has the plug-in. */
    private static final String END = "ApplicationShuffle: The shuffles of this application";

    /** How a test ended. */
    enum Result {
        PASSED,
        FAILED,
        SKIPPED
    }

    private final Path directory;
    private final String suite;
    private final Map<String, String> exceptions;
    private final List<String> problems = new ArrayList<>();

    private SuiteResults(Path directory, String suite, Map<String, String> exceptions) {
        this.directory = directory;
        this.suite = suite;
        this.exceptions = exceptions;
    }

    public static void main(String[] arguments) throws Exception {
        String suite = arguments[1];
        SuiteResults results =
                new SuiteResults(Path.of(arguments[0]), suite, exceptions(Path.of(arguments[2]), suite));
        System.exit(results.judge(Arrays.asList(arguments).subList(3, arguments.length)));
    }

    /** The reasons of a suite's exceptions, by test. */
    private static Map<String, String> exceptions(Path file, String suite) throws IOException {
        Map<String, String> reasons = new TreeMap<>();
        for (String line : Files.readAllLines(file)) {
            String[] parts = line.split(" \\| ", 3);
            if (!line.startsWith("#") && parts.length == 3 && parts[0].equals(suite)) {
                reasons.put(parts[1], parts[2]);
            }
        }
        return reasons;
    }

    private int judge(List<String> modes) throws Exception {
        Map<String, Map<String, Result>> ours = new TreeMap<>();
        for (String mode : modes) {
            ours.put(mode, tests(mode));
        }
        boolean isRunNatively = Files.exists(directory.resolve("native").resolve(suite));
        if (!isRunNatively && ours.values().stream().anyMatch(this::hasUnexpected)) {
            return COMPARE;
        }
        Map<String, Result> natively = isRunNatively ? tests("native") : Map.of();
        for (String mode : modes) {
            requirePlugin(mode);
            ours.get(mode).forEach((test, result) -> {
                if (result == Result.FAILED && !exceptions.containsKey(test)) {
                    compare(mode, test, natively.getOrDefault(test, Result.SKIPPED));
                }
            });
        }
        exceptions.keySet().stream()
                .filter(test -> ours.values().stream().allMatch(tests -> tests.get(test) == Result.PASSED))
                .forEach(test -> problems.add("the exception '" + test + "' passes: delete its line"));
        problems.forEach(problem -> System.out.println("      " + problem));
        print(ours);
        return problems.isEmpty() ? 0 : COUNTS;
    }

    private void compare(String mode, String test, Result natively) {
        if (natively == Result.FAILED) {
            System.out.println("      fails with Spark alone too: " + test);
        } else {
            problems.add("FAILED (" + mode + "): " + test);
        }
    }

    private boolean hasUnexpected(Map<String, Result> tests) {
        return tests.entrySet().stream()
                .anyMatch(test -> test.getValue() == Result.FAILED && !exceptions.containsKey(test.getKey()));
    }

    /** A suite that makes a configuration of its own would prove nothing. */
    private void requirePlugin(String mode) throws IOException {
        Path log = directory.resolve(mode).resolve(suite).resolve("log");
        try (Stream<String> lines = Files.exists(log) ? Files.lines(log) : Stream.empty()) {
            if (lines.noneMatch(line -> line.contains(END))) {
                problems.add("no application of the run had the plug-in (" + mode + ")");
            }
        }
    }

    private void print(Map<String, Map<String, Result>> ours) {
        ours.forEach((mode, tests) -> System.out.printf(
                "      %s %s: %d passed, %d failed, %d skipped%n",
                suite.substring(suite.lastIndexOf('.') + 1),
                mode,
                count(tests, Result.PASSED),
                count(tests, Result.FAILED),
                count(tests, Result.SKIPPED)));
    }

    private static long count(Map<String, Result> tests, Result result) {
        return tests.values().stream().filter(each -> each == result).count();
    }

    /** The tests of a run. A run that was ended, or did not begin, is one test that failed. */
    private Map<String, Result> tests(String mode) throws Exception {
        Path reports = directory.resolve(mode).resolve(suite).resolve("reports");
        Map<String, Result> results = new TreeMap<>();
        try (Stream<Path> files = Files.list(reports)) {
            for (Path file : files.filter(each -> each.toString().endsWith(".xml")).toList()) {
                add(file, results);
            }
        }
        if (results.isEmpty()) {
            System.out.println("      " + mode + " has no report. The end of its output:");
            List<String> output = Files.readAllLines(reports.resolveSibling("output"));
            output.subList(Math.max(0, output.size() - 20), output.size())
                    .forEach(line -> System.out.println("        " + line));
            results.put("(the suite as a whole)", Result.FAILED);
        }
        return results;
    }

    private static void add(Path report, Map<String, Result> results)
            throws IOException, ParserConfigurationException, SAXException {
        NodeList tests = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(report.toFile())
                .getElementsByTagName("testcase");
        for (int i = 0; i < tests.getLength(); i++) {
            Element test = (Element) tests.item(i);
            boolean isFailed = has(test, "failure") || has(test, "error");
            Result result = isFailed ? Result.FAILED : has(test, "skipped") ? Result.SKIPPED : Result.PASSED;
            results.put(test.getAttribute("name"), result);
        }
    }

    private static boolean has(Element test, String child) {
        return test.getElementsByTagName(child).getLength() > 0;
    }
}
