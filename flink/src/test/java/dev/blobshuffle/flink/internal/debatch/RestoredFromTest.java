package dev.blobshuffle.flink.internal.debatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.failure.BlobMissingException;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class RestoredFromTest {
    private final BlobMissingException missing = new BlobMissingException("Cannot read blob a: it is not in b.");

    @Test
    void theMessageNamesTheCheckpointAndTheRemedy() {
        assertThat(new RestoredFrom(OptionalLong.of(12)).explain(missing))
                .hasMessageStartingWith("Cannot read blob a: it is not in b. The job was restored from checkpoint 12")
                .hasMessageContaining("restore a newer checkpoint, or a savepoint")
                .hasCause(missing);
    }

    @Test
    void aJobThatWasNotRestoredHasTheStoresMessage() {
        assertThat(RestoredFrom.NOTHING.explain(missing)).isSameAs(missing);
    }
}
