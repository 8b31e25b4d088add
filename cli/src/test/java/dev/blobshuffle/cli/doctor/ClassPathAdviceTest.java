package dev.blobshuffle.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.store.StoreFinding.Level;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClassPathAdviceTest {
    private static final List<String> GOOD = List.of(
            "blobshuffle-core-0.1.0.jar",
            "blobshuffle-s3-0.1.0.jar",
            "kafka-clients-4.1.2.jar",
            "kafka-streams-4.1.2.jar",
            "zstd-jni-1.5.6-10.jar",
            "at-yawk-lz4-java-1.10.1.jar",
            "httpclient5-5.5.2.jar",
            "httpcore5-5.3.6.jar",
            "s3-2.54.2.jar",
            "spring-boot-4.0.9.jar");

    @TempDir
    private Path directory;

    @Test
    void librariesInTheRangeAreAllWell() {
        assertThat(errors(GOOD)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "httpclient5-5.3.1.jar, httpclient5 5.3.1 is too old: BlobShuffle needs 5.4 or newer",
        "httpcore5-5.2.5.jar, httpcore5 5.2.5 is too old for httpclient5 5.5.2",
        "s3-2.25.60.jar, s3 2.25.60 is too old: BlobShuffle needs 2.31.50 or newer",
        "google-cloud-storage-2.45.0.jar, google-cloud-storage 2.45.0 is too old",
        "azure-storage-blob-12.20.0.jar, azure-storage-blob 12.20.0 is too old",
        "spring-boot-3.4.13.jar, spring-boot 3.4.13 is too old: BlobShuffle needs 3.5.0 or newer",
        "kafka-clients-3.8.1.jar, kafka-clients 3.8.1 is older than 3.9",
    })
    void aLibraryThatIsTooOldIsAnErrorWithBothVersions(String jar, String message) throws IOException {
        List<String> jars = with(jar);

        assertThat(errors(jars)).anyMatch(error -> error.contains(message));
        assertThat(findings(ClassPathAdvice.of(
                        boot("BOOT-INF/lib/", jars, "shop.jar").toString())))
                .as("in a jar of Spring Boot")
                .anyMatch(error -> error.contains(message));
        assertThat(findings(ClassPathAdvice.of(
                        boot("WEB-INF/lib/", jars, "shop.war").toString())))
                .as("in a WAR file")
                .anyMatch(error -> error.contains(message));
    }

    /** An application may use PostgreSQL for its own purposes, with any driver. */
    @Test
    void librariesOfTheLogAreJudgedBesideMessagingOnly() {
        List<String> jars = new ArrayList<>(GOOD);
        jars.addAll(List.of("postgresql-42.7.4.jar", "HikariCP-5.1.0.jar"));
        assertThat(errors(jars)).isEmpty();
        jars.add("blobshuffle-postgresql-0.1.0.jar");
        assertThat(errors(jars))
                .anyMatch(error -> error.contains("postgresql 42.7.4 is too old: BlobShuffle needs 42.7.5 or newer"))
                .anyMatch(error -> error.contains("HikariCP 5.1.0 is too old: BlobShuffle needs 6.3.0 or newer"));
    }

    @Test
    void aJarOfSpringBootIsAllWell() throws IOException {
        assertThat(findings(ClassPathAdvice.of(
                        boot("BOOT-INF/lib/", GOOD, "shop.jar").toString())))
                .isEmpty();
    }

    @Test
    void namesOfQuarkusHaveTheGroup() {
        assertThat(errors(List.of(
                        "dev.blobshuffle.blobshuffle-core-0.1.0.jar",
                        "org.apache.kafka.kafka-clients-3.8.1.jar",
                        "org.apache.kafka.kafka-streams-3.8.1.jar")))
                .anyMatch(error -> error.contains("kafka-clients 3.8.1 is older than 3.9"))
                .noneMatch(error -> error.contains("no jar of BlobShuffle"));
    }

    @Test
    void aShadedJarSaysWhatItHolds() throws IOException {
        Map<String, String> content = new TreeMap<>(Map.of(
                "META-INF/maven/dev.blobshuffle/blobshuffle-core/pom.properties", "version=0.1.0",
                "META-INF/maven/org.apache.httpcomponents.client5/httpclient5/pom.properties", "version=5.3.1",
                "kafka/kafka-version.properties", "version=4.1.2",
                "kafka/kafka-streams-version.properties", "version=4.1.2",
                "com/github/luben/zstd/Zstd.class", "",
                "net/jpountz/lz4/LZ4Factory.class", ""));
        String jar = zip("shop-all.jar", content).toString();

        assertThat(findings(ClassPathAdvice.of(jar)))
                .singleElement()
                .asString()
                .contains("httpclient5 5.3.1 is too old");
        content.put("META-INF/maven/org.apache.httpcomponents.client5/httpclient5/pom.properties", "version=5.5.1");
        assertThat(findings(ClassPathAdvice.of(zip("shop-all.jar", content).toString())))
                .isEmpty();
    }

    private static List<String> with(String jar) {
        String name = jar.replaceAll("-[0-9].*", "-");
        List<String> jars = new ArrayList<>(GOOD);
        jars.removeIf(each -> each.startsWith(name));
        jars.add(jar);
        return jars;
    }

    private static List<String> errors(List<String> jars) {
        return findings(ClassPathAdvice.of(String.join(File.pathSeparator, jars)));
    }

    private static List<String> findings(List<Finding> findings) {
        return findings.stream()
                .filter(finding -> finding.level() == Level.ERROR)
                .map(Finding::toString)
                .toList();
    }

    private Path boot(String libraries, List<String> jars, String name) throws IOException {
        Map<String, String> content = new TreeMap<>();
        jars.forEach(jar -> content.put(libraries + jar, ""));
        return zip(name, content);
    }

    private Path zip(String name, Map<String, String> content) throws IOException {
        Path file = directory.resolve(name);
        try (OutputStream out = Files.newOutputStream(file);
                ZipOutputStream zip = new ZipOutputStream(out)) {
            for (Map.Entry<String, String> entry : content.entrySet()) {
                zip.putNextEntry(new ZipEntry(entry.getKey()));
                zip.write(entry.getValue().getBytes(StandardCharsets.UTF_8));
            }
        }
        return file;
    }
}
