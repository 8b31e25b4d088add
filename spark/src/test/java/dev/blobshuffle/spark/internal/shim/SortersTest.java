package dev.blobshuffle.spark.internal.shim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class SortersTest {
    /** As up to Spark 4.0. */
    public record Five(String a, String b, String c, String d, String e) {}

    /** As from Spark 4.1 on. */
    public record Six(String a, String b, String c, String d, String e, Long[] checksums) {}

    /** Of no Spark. */
    public record Two(String a, String b) {}

    @Test
    void aConstructorWithFiveParametersGetsFiveArguments() {
        Five made = Sorters.make(Five.class, "a", "b", "c", "d", "e");
        assertThat(made).isEqualTo(new Five("a", "b", "c", "d", "e"));
    }

    @Test
    void aConstructorWithSixGetsAnEmptyArrayToo() {
        Six made = Sorters.make(Six.class, "a", "b", "c", "d", "e");
        assertThat(made.checksums()).isEmpty();
    }

    @Test
    void anUnknownConstructorIsRefusedWithTheRemedy() {
        assertThatThrownBy(() -> Sorters.make(Two.class, "a", "b", "c", "d", "e"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Use a release");
    }
}
