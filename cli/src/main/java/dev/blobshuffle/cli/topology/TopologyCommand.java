package dev.blobshuffle.cli.topology;

import dev.blobshuffle.cli.json.Json;
import dev.blobshuffle.cli.messaging.Shown;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code blobshuffle plan topology}: lists the shuffles of a Kafka Streams topology, and those that
 * it may not need. Only reads a text.
 */
@Command(
        name = "topology",
        exitCodeList = {"0:done", "1:the text is not a topology"},
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Shows what a Kafka Streams topology shuffles, and which shuffles it may not need.",
            "It knows the names of nodes, not their functions."
        })
public final class TopologyCommand implements Callable<Integer> {
    private static final long MOST_BYTES = 16 << 20;

    @Spec
    private CommandSpec spec;

    @Parameters(
            index = "0",
            paramLabel = "FILE",
            description = "What Topology.describe() prints: System.out.println(builder.build(properties).describe()).")
    private Path file;

    @Option(names = "--json", description = "Print JSON.")
    private boolean isJson;

    /** Created by the command line. */
    @SuppressWarnings("NullAway.Init") // the command line fills the fields
    public TopologyCommand() {}

    @Override
    public Integer call() {
        TopologyReview review;
        try {
            review = new TopologyReview(TopologyText.read(lines()));
        } catch (TopologyRefusedException e) {
            return fail(e.getMessage());
        } catch (IOException e) {
            return fail(e + ". Give a text file that can be read");
        }
        PrintWriter out = spec.commandLine().getOut();
        out.print(isJson ? Json.write(json(review)) : text(review));
        out.flush();
        return 0;
    }

    private int fail(@Nullable String problem) {
        spec.commandLine().getErr().println("Cannot read " + file + ": " + problem + ".");
        spec.commandLine().getErr().flush();
        return 1;
    }

    private List<String> lines() throws IOException {
        if (Files.size(file) > MOST_BYTES) {
            throw new TopologyRefusedException("it has more than 16 MiB. Give only what Topology.describe() prints");
        }
        return Files.readAllLines(file);
    }

    private static String text(TopologyReview review) {
        if (review.repartitions().isEmpty()) {
            return "Nothing is shuffled: no topic's name ends in -repartition.\n";
        }
        StringBuilder text = new StringBuilder();
        text.append(Shown.count(review.repartitions().size(), "repartition topic"))
                .append(". A record passes at most ")
                .append(review.depth())
                .append(" of them; each adds its latency.\n\n");
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("TOPIC", "IN A ROW", "KEY FROM"));
        review.repartitions()
                .forEach(repartition -> rows.add(List.of(
                        Shown.text(repartition.topic()),
                        String.valueOf(repartition.depth()),
                        repartition.keyedBy().isEmpty()
                                ? "-"
                                : Shown.text(TopologyReview.names(repartition.keyedBy())))));
        text.append(Shown.table(rows)).append('\n');
        List<String> findings = review.findings();
        text.append(findings.isEmpty() ? "The names show no shuffle that could go.\n" : "Look at:\n");
        findings.forEach(
                finding -> text.append("- ").append(Shown.text(finding)).append('\n'));
        return text.toString();
    }

    private static Map<String, Object> json(TopologyReview review) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("most_in_a_row", review.depth());
        List<Object> topics = new ArrayList<>();
        for (Repartition repartition : review.repartitions()) {
            Map<String, Object> topic = new LinkedHashMap<>();
            topic.put("topic", repartition.topic());
            topic.put("in_a_row", repartition.depth());
            topic.put(
                    "key_from",
                    repartition.keyedBy().stream()
                            .map(TopologyNode::name)
                            .sorted()
                            .toList());
            topics.add(topic);
        }
        json.put("repartition_topics", topics);
        json.put("findings", review.findings());
        return json;
    }
}
