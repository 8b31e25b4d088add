package dev.blobshuffle.core.internal.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OpenPartsTest {
    private final OpenParts parts = new OpenParts();
    private final List<String> closed = new ArrayList<>();

    @Test
    void partsCloseInTheReverseOrder() {
        add("first");
        add("second");
        parts.close();
        parts.close();
        assertThat(closed).containsExactly("second", "first");
    }

    @Test
    void partThatCannotBeClosedKeepsNoOtherOpen() {
        add("first");
        addFailing("second");
        addFailing("third");
        assertThatThrownBy(parts::close)
                .hasMessage("third")
                .satisfies(failure -> assertThat(failure.getSuppressed()[0]).hasMessage("second"));
        assertThat(closed).containsExactly("first");
    }

    private void add(String name) {
        AutoCloseable ignored = parts.add(() -> closed.add(name));
    }

    private void addFailing(String name) {
        AutoCloseable ignored = parts.add(() -> {
            throw new IllegalStateException(name);
        });
    }
}
