package dev.blobshuffle.log.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LogNameTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "o'rders",
                "say \"hi\"; drop table topic; --",
                "\u65e5\u672c\u8a9e \ud83c\udf89",
                "../../etc",
                "\u001b[31mred",
                "tab\tnl\n",
                " a"
            })
    void anyCharactersThatADatabaseKeepsAreLegal(String name) {
        assertThat(LogName.check("topic", name)).isEqualTo(name);
    }

    @Test
    void bytesCountAndNotCharacters() {
        assertThat(LogName.check("topic", "x".repeat(500))).hasSize(500);
        assertThat(LogName.check("topic", "\u00e9".repeat(250))).hasSize(250);
        assertThatThrownBy(() -> LogName.check("group", "\u00e9".repeat(251)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Cannot name a group")
                .hasMessageContaining("502 bytes");
        assertThatThrownBy(() -> LogName.check("topic", "x".repeat(10_000)))
                .hasMessageContaining("10000 bytes")
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(200));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\t\n", "a\0b", "\ud800", "a\udc00b"})
    void whatADatabaseRefusesOrChangesIsRefused(String name) {
        assertThatThrownBy(() -> LogName.check("topic", name))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Give 1 to 500 bytes");
    }
}
