import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * Prints what a build's test reports say as a whole: the slowest classes, and which tests were
 * skipped for which reason. The last module of a build runs it; by hand:
 *
 * <pre>java .ci/BuildSummary.java DIRECTORY [SINCE] [--fail-if-skipped]</pre>
 *
 * SINCE is an instant in UTC: older reports belong to an earlier build and are left out. With
 * {@code --fail-if-skipped} it prints only the skipped tests, and its exit status is 1 if a test
 * was skipped or none ran.
 */
final class BuildSummary {
    private static final int SHOWN = 20;
    private static final String FAIL_IF_SKIPPED = "--fail-if-skipped";

    private BuildSummary() {}

    public static void main(String[] arguments) throws Exception {
        List<String> values =
                Stream.of(arguments).filter(argument -> !argument.startsWith("--")).toList();
        Path root = Path.of(values.get(0));
        Instant since = values.size() > 1 ? Instant.parse(values.get(1)) : Instant.EPOCH;
        List<Report> reports = reports(root, since);
        boolean mustBeComplete = List.of(arguments).contains(FAIL_IF_SKIPPED);
        if (!mustBeComplete) {
            printSlowest(reports);
        }
        printSkipped(reports);
        boolean isComplete = !reports.isEmpty() && reports.stream().allMatch(report -> report.skipped.isEmpty());
        if (!isComplete && mustBeComplete) {
            System.err.println(
                    reports.isEmpty()
                            ? "No test report found: no test ran."
                            : "Tests were skipped, which counts as failed here.");
            System.exit(1);
        }
    }

    private static void printSlowest(List<Report> reports) {
        if (reports.isEmpty()) {
            return;
        }
        System.out.printf("%nThe %d slowest of %d test classes:%n", Math.min(SHOWN, reports.size()), reports.size());
        reports.stream()
                .sorted(Comparator.comparingDouble(Report::seconds).reversed())
                .limit(SHOWN)
                .forEach(report ->
                        System.out.printf("%8.1f s  %s (%s)%n", report.seconds, report.simpleName(), report.module));
    }

    private static void printSkipped(List<Report> reports) {
        Map<String, Set<String>> classesByReason = new TreeMap<>();
        int tests = 0;
        for (Report report : reports) {
            tests += report.skipped.size();
            for (String reason : report.skipped) {
                classesByReason
                        .computeIfAbsent(reason, key -> new TreeSet<>())
                        .add(report.simpleName() + " (" + report.module + ")");
            }
        }
        if (tests > 0) {
            System.out.printf("%nSkipped: %d tests or classes of tests.%n", tests);
            classesByReason.forEach((reason, classes) ->
                    System.out.printf("  %s%n    %s%n", reason, String.join(", ", classes)));
        }
    }

    private static List<Report> reports(Path root, Instant since)
            throws IOException, ParserConfigurationException, SAXException {
        List<Path> files;
        try (Stream<Path> modules = Files.list(root)) {
            files = modules.map(module -> module.resolve("target"))
                    .filter(Files::isDirectory)
                    .flatMap(BuildSummary::reportsIn)
                    .sorted()
                    .collect(Collectors.toCollection(ArrayList::new));
        }
        List<Report> reports = new ArrayList<>();
        for (Path file : files) {
            if (!Files.getLastModifiedTime(file).toInstant().isBefore(since)) {
                reports.add(Report.read(root, file));
            }
        }
        return reports;
    }

    private static Stream<Path> reportsIn(Path target) {
        try (Stream<Path> found = Files.find(
                target,
                2,
                (path, attributes) -> path.getParent().getFileName().toString().endsWith("-reports")
                        && path.getFileName().toString().matches("TEST-.*\\.xml"))) {
            return found.toList().stream();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException("Cannot read the test reports in " + target + ".", e);
        }
    }

    /**
     * The report of one class.
     *
     * @param skipped the reason of each skipped test
     */
    private record Report(String module, String name, double seconds, List<String> skipped) {
        static Report read(Path root, Path file) throws IOException, ParserConfigurationException, SAXException {
            Document document =
                    DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile());
            Element suite = document.getDocumentElement();
            List<String> skipped = new ArrayList<>();
            NodeList found = suite.getElementsByTagName("skipped");
            for (int i = 0; i < found.getLength(); i++) {
                skipped.add(reason((Element) found.item(i)));
            }
            if (suite.getAttribute("tests").equals("0")) {
                skipped.add("No test of the class ran: it was skipped as a whole.");
            }
            return new Report(
                    root.relativize(file).getName(0).toString(),
                    suite.getAttribute("name"),
                    Double.parseDouble(suite.getAttribute("time").replace(",", "")),
                    skipped);
        }

        /**
         * An attribute has it where a test is disabled; the text, with a stack trace, where an
         * assumption failed.
         */
        private static String reason(Element skipped) {
            String attribute = skipped.getAttribute("message");
            String message = attribute.isBlank() ? skipped.getTextContent() : attribute;
            String line = message.strip().lines().findFirst().orElse("(no reason)");
            return line.replaceFirst("^[a-zA-Z0-9.]*TestAbortedException: ", "").replaceFirst("^Assumption failed: ", "");
        }

        String simpleName() {
            return name.substring(name.lastIndexOf('.') + 1);
        }
    }
}
