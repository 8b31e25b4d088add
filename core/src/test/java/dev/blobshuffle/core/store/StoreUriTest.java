package dev.blobshuffle.core.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import org.junit.jupiter.api.Test;

class StoreUriTest {
    @Test
    void aPathIsDecoded() {
        assertThat(StoreUri.parse("file:///data/my%20blobs/%C3%BC").path()).isEqualTo("/data/my blobs/ü");
    }

    @Test
    void aCharacterThatMustBeEncodedSaysHow() {
        assertThatThrownBy(() -> StoreUri.parse("file:///data/my blobs"))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("Illegal character in path at index 15, write it as % and two hex digits")
                .hasMessageContaining("a space as %20");
    }
}
