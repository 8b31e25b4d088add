package dev.blobshuffle.s3sim;

import dev.blobshuffle.planner.LatencyProfile;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The main class of an {@link S3SimProcess}. Prints {@code READY port}, then answers each line
 * {@code counts} on its standard input with a line of counts, and ends with its standard input.
 */
final class S3SimServer {
    static final String READY = "READY ";
    static final String COUNTS = "counts";

    private static final String NONE = "-";

    private S3SimServer() {}

    /**
     * Runs the server.
     *
     * @param args bucket, most bytes, name of a latency profile, file for the trust store of
     *     clients ({@code -}: no TLS), the trust store's password, factor on the blobs' bytes for
     *     the computation of latencies
     */
    public static void main(String[] args) throws IOException {
        S3SimBuilder builder = S3Sim.builder()
                .bucket(args[0])
                .bytes(Long.parseLong(args[1]))
                .latency(LatencyProfile.named(args[2]).scaledDown(Double.parseDouble(args[5])));
        if (!args[3].equals(NONE)) {
            TlsIdentity identity = TlsIdentity.create();
            identity.writeTrustStore(Path.of(args[3]), args[4]);
            builder.tls(identity);
        }
        try (S3Sim sim = builder.start();
                BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            say(READY + sim.port());
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.equals(COUNTS)) {
                    say(format(sim.counts()));
                }
            }
        }
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    static String format(RequestCounts counts) {
        return format(counts.requests()) + " " + format(counts.failures()) + " " + counts.bytesIn() + " "
                + counts.bytesOut();
    }

    private static String format(Map<Operation, Long> numbers) {
        return numbers.isEmpty()
                ? NONE
                : numbers.entrySet().stream()
                        .map(entry -> entry.getKey() + "=" + entry.getValue())
                        .collect(Collectors.joining(","));
    }

    static RequestCounts parse(String line) {
        String[] words = line.split(" ", -1);
        return new RequestCounts(
                parseNumbers(words[0]), parseNumbers(words[1]), Long.parseLong(words[2]), Long.parseLong(words[3]));
    }

    private static Map<Operation, Long> parseNumbers(String text) {
        Map<Operation, Long> numbers = new EnumMap<>(Operation.class);
        if (!text.equals(NONE)) {
            Arrays.stream(text.split(",", -1))
                    .map(pair -> pair.split("=", -1))
                    .forEach(pair -> numbers.put(Operation.valueOf(pair[0]), Long.parseLong(pair[1])));
        }
        return numbers;
    }
}
