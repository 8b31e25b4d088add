package dev.blobshuffle.kstreams.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.TopologyTestDriver;
import org.junit.jupiter.api.Test;

/** A test of a topology with the operators, as in the guide. */
class TestDriverExampleTest {
    @Test
    void wordsAreCounted() {
        try (TopologyTestDriver driver =
                new TopologyTestDriver(WordCountByOperatorsExample.topology("memory://test"))) {
            var lines = driver.createInputTopic("lines", new StringSerializer(), new StringSerializer());
            var counts = driver.createOutputTopic("counts", new StringDeserializer(), new LongDeserializer());

            lines.pipeInput("to be or not to be");

            assertThat(counts.readKeyValuesToMap()).isEqualTo(Map.of("to", 2L, "be", 2L, "or", 1L, "not", 1L));
        }
    }
}
