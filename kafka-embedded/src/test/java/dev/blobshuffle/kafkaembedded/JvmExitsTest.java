package dev.blobshuffle.kafkaembedded;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JvmExitsTest {
    /** Without the refusal, the JVM of this test ends. */
    @ParameterizedTest
    @ValueSource(strings = {"exit", "halt"})
    void aNodeCannotEndTheJvm(String way) {
        JvmExits.forbid();
        assertThatThrownBy(() -> JvmExits.exits()
                        .getMethod(way, int.class, String.class)
                        .invoke(null, 3, "log directory is gone"))
                .rootCause()
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("status 3", "log directory is gone");
    }
}
