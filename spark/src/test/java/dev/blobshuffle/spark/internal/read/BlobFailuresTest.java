package dev.blobshuffle.spark.internal.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.spark.internal.directory.BlobLocation;
import java.util.Map;
import org.apache.spark.FetchFailed;
import org.apache.spark.shuffle.FetchFailedException;
import org.apache.spark.storage.BlockManagerId;
import org.junit.jupiter.api.Test;
import scala.Option;
import scala.collection.AbstractIterator;

class BlobFailuresTest {
    private static final BlockManagerId BLOB = BlobLocation.of(new BlobId(1, 2, 3), "host");
    private static final BlockManagerId SELF = BlockManagerId.apply("1", "host", 7, Option.empty());
    private static final BlobFailures<String> NONE = new BlobFailures<>(null, Map.of(10L, BLOB));

    /** The driver unregisters nothing otherwise, and gives the job up after four attempts. */
    @Test
    void aFailureOfALocalBlockNamesItsBlob() {
        FetchFailedException failure = new FetchFailedException(SELF, 5, 10, 2, 3, "gone", null);
        BlobFailures<String> records = new BlobFailures<>(
                new AbstractIterator<>() {
                    @Override
                    public boolean hasNext() {
                        return true;
                    }

                    @Override
                    public String next() {
                        throw BlobFailuresTest.<RuntimeException>unchecked(failure);
                    }
                },
                Map.of(10L, BLOB));

        assertThat(records.hasNext()).isTrue();
        assertThatThrownBy(records::next).isInstanceOfSatisfying(FetchFailedException.class, named -> {
            FetchFailed reason = (FetchFailed) named.toTaskFailedReason();
            assertThat(reason.bmAddress()).isEqualTo(BLOB);
            assertThat(reason.mapId()).isEqualTo(10);
            assertThat(reason.mapIndex()).isEqualTo(2);
            assertThat(reason.shuffleId()).isEqualTo(5);
        });
    }

    @Test
    void otherFailuresStay() {
        FetchFailedException others = new FetchFailedException(SELF, 5, 11, 2, 3, "gone", null);
        assertThat(NONE.named(others)).isSameAs(others);
        IllegalStateException any = new IllegalStateException();
        assertThat(NONE.named(any)).isSameAs(any);
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <E extends Exception> E unchecked(Exception e) throws E {
        throw (E) e;
    }
}
