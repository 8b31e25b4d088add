package dev.blobshuffle.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The modules, {@code blobshuffle-bom} and the versions of the poms agree: a module is published
 * unless its pom sets {@code maven.deploy.skip}, and each published one is in the BOM.
 */
class PublishedArtifactsTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern MODULE = Pattern.compile("<module>([a-z0-9-]+)</module>");
    private static final Pattern MANAGED = Pattern.compile("<artifactId>(blobshuffle-[a-z0-9-]+)</artifactId>");
    private static final Pattern OWN = Pattern.compile("<artifactId>(blobshuffle-[a-z0-9-]+)</artifactId>\\s*<name>");
    private static final Pattern KAFKA = Pattern.compile("<artifactId>(kafka[a-z0-9_.-]*)</artifactId>");
    private static final Pattern VERSION = Pattern.compile("<version>([^<]+)</version>");

    @Test
    void eachPublishedModuleIsInTheBomAndNothingElse() throws IOException {
        TreeSet<String> published = new TreeSet<>();
        for (String module : modules()) {
            String pom = pom(module);
            if (!module.equals("bom") && !pom.contains("<maven.deploy.skip>true</maven.deploy.skip>")) {
                published.add(all(OWN, pom).get(0));
            }
        }
        String bom = pom("bom");
        List<String> managed = all(MANAGED, bom.substring(bom.indexOf("<dependencyManagement>")));

        assertThat(managed)
                .as("bom/pom.xml: add a line for a published module, or set maven.deploy.skip in its pom")
                .containsExactlyElementsOf(published);
    }

    /** A user would not find it. */
    @Test
    void noPublishedModuleNeedsOneThatIsNot() throws IOException {
        List<String> missing = new ArrayList<>();
        List<String> managed = all(MANAGED, pom("bom"));
        for (String module : modules()) {
            String pom = pom(module);
            if (module.equals("bom") || pom.contains("<maven.deploy.skip>true")) {
                continue;
            }
            String dependencies = pom.substring(pom.indexOf("<dependencies>"));
            for (String dependency : dependencies.split("<dependency>")) {
                boolean isOurs = dependency.contains("<groupId>dev.blobshuffle</groupId>");
                if (isOurs && !dependency.contains("<scope>test</scope>")) {
                    all(MANAGED, dependency).stream()
                            .filter(artifact -> !managed.contains(artifact))
                            .map(artifact -> module + " needs " + artifact)
                            .forEach(missing::add);
                }
            }
        }
        assertThat(missing).isEmpty();
    }

    /**
     * The BOM of a framework, such as Quarkus's, manages {@code kafka_2.13} and not each jar of the
     * broker. A jar that we name ourselves would keep our version, and the broker fails.
     */
    @Test
    void embeddedBrokerHasOneVersionOfKafkaInEveryBuild() throws IOException {
        String dependencies = pom("kafka-embedded");
        dependencies = dependencies.substring(dependencies.indexOf("<dependencies>"), dependencies.indexOf("<build>"));
        List<String> brought = Stream.of(dependencies.split("<dependency>"))
                .filter(dependency -> dependency.contains("<groupId>org.apache.kafka</groupId>"))
                .filter(dependency -> !dependency.contains("<scope>provided</scope>"))
                .flatMap(dependency -> all(KAFKA, dependency).stream())
                .toList();
        assertThat(brought).containsExactly("kafka_2.13", "kafka-clients");
    }

    /**
     * HikariCP needs SLF4J 2, and everything else of ours 1.7, as {@code kafka-clients} does.
     * Builds with the rules {@code dependencyConvergence} or {@code requireUpperBoundDeps} fail
     * over both.
     */
    @Test
    void messagingBringsOneVersionOfSlf4j() throws IOException {
        String pom = pom("postgresql");
        String pool = pom.substring(pom.indexOf("<artifactId>HikariCP</artifactId>"));
        assertThat(pool.substring(0, pool.indexOf("</dependency>")))
                .contains("<exclusion>", "<artifactId>slf4j-api</artifactId>");
    }

    /** The BOM and the examples have no parent of ours, so nothing else keeps them equal. */
    @Test
    void allPomsHaveOneVersion() throws IOException {
        String root = Files.readString(ROOT.resolve("pom.xml"));
        String version = first(VERSION, root);
        assertThat(first(VERSION, pom("bom"))).isEqualTo(version);
        assertThat(Files.readString(ROOT.resolve("README.md"))).contains("<version>" + version + "</version>");
        try (var examples = Files.newDirectoryStream(ROOT.resolve("examples"), Files::isDirectory)) {
            for (Path example : examples) {
                Path pom = example.resolve("pom.xml");
                if (Files.exists(pom)) {
                    assertThat(Files.readString(pom))
                            .as(pom.toString())
                            .contains("<blobshuffle.version>" + version + "</blobshuffle.version>");
                }
            }
        }
    }

    private static List<String> modules() throws IOException {
        List<String> modules = all(MODULE, Files.readString(ROOT.resolve("pom.xml")));
        assertThat(modules).contains("bom", "core", "kstreams");
        return modules;
    }

    private static String pom(String module) throws IOException {
        return Files.readString(ROOT.resolve(module).resolve("pom.xml"));
    }

    private static String first(Pattern pattern, String text) {
        return all(pattern, text).get(0);
    }

    private static List<String> all(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        List<String> found = new ArrayList<>();
        while (matcher.find()) {
            found.add(matcher.group(1));
        }
        return found;
    }
}
