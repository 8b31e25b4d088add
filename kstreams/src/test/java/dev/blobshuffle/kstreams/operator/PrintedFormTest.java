package dev.blobshuffle.kstreams.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.List;
import java.util.Locale;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/**
 * Figure 1 of the paper ends with {@code process}, after which Kafka Streams would repartition
 * every record again, natively. This must not happen unnoticed: it does not compile.
 */
class PrintedFormTest {
    private static final String FORM = """
            import dev.blobshuffle.kstreams.operator.BlobShuffle;
            import org.apache.kafka.streams.kstream.KStream;

            class Form {
                static void shuffle(KStream<String, Integer> stream, BlobShuffle<String, Integer> blobShuffle) {
                    stream.process(blobShuffle.batcherSupplier())
                            .repartition(blobShuffle.repartitioned())
                            .LAST(blobShuffle.debatcherSupplier())
                            .groupByKey()
                            .reduce(Integer::sum);
                }
            }
            """;

    @Test
    void lastStepByProcessValuesCompiles() {
        assertThat(errors(FORM.replace("LAST", "processValues"))).isEmpty();
    }

    @Test
    void lastStepByProcessIsRefusedAndTheTypeSaysWhatToCall() {
        assertThat(errors(FORM.replace("LAST", "process")))
                .singleElement()
                .asString()
                .contains("process(", "FixedKeyProcessorSupplier");
    }

    private static List<String> errors(String source) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        JavaFileObject file = new SimpleJavaFileObject(URI.create("string:///Form.java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return source;
            }
        };
        // Analysis only: nothing is written.
        List<String> options = List.of(
                "-proc:none",
                "-implicit:none",
                "-XDshould-stop.ifNoError=FLOW",
                "-cp",
                System.getProperty("java.class.path"));
        boolean ignored = compiler.getTask(null, null, found, options, null, List.of(file))
                .call();
        return found.getDiagnostics().stream()
                .filter(diagnostic -> diagnostic.getKind() == Diagnostic.Kind.ERROR)
                .map(diagnostic -> diagnostic.getMessage(Locale.ROOT))
                .toList();
    }
}
