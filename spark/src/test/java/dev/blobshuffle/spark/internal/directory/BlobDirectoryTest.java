package dev.blobshuffle.spark.internal.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.zone.Zone;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.scheduler.TaskLocation$;
import org.apache.spark.storage.BlockManagerId;
import org.junit.jupiter.api.Test;

class BlobDirectoryTest {
    private static final BlobId FIRST = new BlobId(1, 2, 3);
    private static final BlobId SECOND = new BlobId(1, 2, 4);

    private final TestApplication application = new TestApplication();
    private final BlobDirectory directory = new BlobDirectory(application);
    private final AtomicInteger requests = new AtomicInteger();
    private final DirectoryClient one = client("1");
    private final DirectoryClient two = client("2");

    private DirectoryClient client(String executor) {
        return new DirectoryClient(
                request -> {
                    requests.incrementAndGet();
                    return directory.answer(request);
                },
                new Whereabouts.Endpoint(executor, "host-" + executor, 7077),
                new Zone("zone " + executor));
    }

    @Test
    void executorsLearnWhereBlobsAre() {
        one.open(FIRST, 5);
        assertThat(two.locate(FIRST).writer()).contains(new Whereabouts.Endpoint("1", "host-1", 7077));
        assertThat(two.locate(FIRST).length()).isEmpty();

        assertThat(one.stored(FIRST, 42, true, 3)).isTrue();
        assertThat(two.refresh(FIRST).length()).hasValue(42);
        assertThat(one.stored(FIRST, 42, false, 3)).isTrue();
        assertThat(two.refresh(FIRST).writer()).isEmpty();
    }

    @Test
    void blobsOfFinishedMicroBatchesAreNotUploaded() {
        one.open(FIRST, 5);
        one.open(SECOND, 6);
        directory.stageOfBatch("query", 7, OptionalInt.of(5));
        directory.stageOfBatch("query", 7, OptionalInt.of(6));
        directory.stageOfBatch("query", 7, OptionalInt.empty());
        directory.stageOfBatch("another", 8, OptionalInt.of(9));
        assertThat(one.uploading(FIRST)).isTrue();

        directory.stageOfBatch("query", 8, OptionalInt.empty());
        assertThat(one.uploading(FIRST)).isFalse();
        directory.stageOfBatch("query", 8, OptionalInt.of(6));
        assertThat(one.uploading(SECOND)).as("its shuffle is used again").isTrue();
        assertThat(two.locate(FIRST).writer()).as("its outputs stay").contains(one.self());
    }

    /** The query began again from an earlier state of its checkpoint. */
    @Test
    void blobsOfRepeatedMicroBatchesAreUploaded() {
        directory.stageOfBatch("query", 7, OptionalInt.of(4));
        one.open(FIRST, 5);
        directory.stageOfBatch("query", 3, OptionalInt.of(5));
        assertThat(one.uploading(FIRST)).isTrue();

        directory.stageOfBatch("query", 4, OptionalInt.empty());
        assertThat(one.uploading(FIRST)).isFalse();
    }

    @Test
    void removedShufflesOfAQueryAreForgotten() {
        directory.stageOfBatch("query", 7, OptionalInt.of(5));
        assertThat(directory.removeShuffle(5)).isEmpty();
        one.open(FIRST, 5);
        directory.stageOfBatch("query", 8, OptionalInt.empty());
        assertThat(one.uploading(FIRST)).isTrue();
    }

    @Test
    void executorsLearnWhereMapsRan() {
        one.join();
        assertThat(one.open(FIRST, 5)).as("there is one zone").isFalse();
        two.join();
        assertThat(one.open(SECOND, 5)).as("there are two").isTrue();

        assertThat(two.locate(FIRST).zone()).isEqualTo(new Zone("zone 1"));
        assertThat(two.isAway(two.locate(FIRST))).isTrue();
        assertThat(two.nearWriter(FIRST)).as("its bytes would cross zones").isEmpty();
        assertThat(one.isAway(one.locate(FIRST))).isFalse();
        assertThat(one.nearWriter(FIRST)).contains(one.self());

        assertThat(one.stored(FIRST, 42, true, 3)).isTrue();
        assertThat(directory.executorLost("1")).containsExactly(SECOND);
        assertThat(two.refresh(FIRST))
                .isEqualTo(new Whereabouts(Optional.empty(), OptionalLong.of(42), new Zone("zone 1")));
        assertThat(two.open(SECOND, 5)).as("one is left").isFalse();
    }

    @Test
    void whatIsKnownCostsNoRequest() {
        one.open(FIRST, 5);
        one.open(SECOND, 5);
        assertThat(two.learn(List.of(FIRST, SECOND))).isTrue();
        int before = requests.get();

        assertThat(two.learn(List.of(FIRST, SECOND))).isFalse();
        assertThat(two.locate(SECOND).writer()).isPresent();
        assertThat(requests).hasValue(before);
    }

    @Test
    void aBlobThatIsNotStoredDependsOnItsExecutor() {
        one.open(FIRST, 5);
        assertThat(directory.hasUnstored("1")).isTrue();
        assertThat(directory.hasUnstored("2")).isFalse();
        assertThat(directory.unstoredAt(FIRST)).contains("1");
        assertThat(directory.unstoredAt(SECOND)).as("unknown").isEmpty();

        assertThat(one.stored(FIRST, 42, true, 3)).isTrue();
        assertThat(directory.hasUnstored("1")).isFalse();
        assertThat(directory.unstoredAt(FIRST)).isEmpty();
    }

    @Test
    void withAnExecutorItsBlobsAreLostUnlessTheyAreStored() {
        one.open(FIRST, 5);
        one.open(SECOND, 5);
        assertThat(one.stored(SECOND, 42, true, 3)).isTrue();

        assertThat(directory.executorLost("2")).isEmpty();
        assertThat(directory.executorLost("1")).containsExactly(FIRST);
        assertThat(two.locate(FIRST)).isEqualTo(Whereabouts.NOWHERE);
        assertThat(two.locate(SECOND).writer()).isEmpty();
        assertThat(two.locate(SECOND).length()).hasValue(42);
    }

    @Test
    void storedMapsOfALostExecutorAreSaved() {
        one.open(FIRST, 5);
        one.open(SECOND, 5);
        assertThat(one.stored(FIRST, 42, false, 3)).isTrue();
        assertThat(directory.savedMaps()).isZero();

        assertThat(directory.executorLost("2")).isEmpty();
        assertThat(directory.savedMaps()).isZero();
        assertThat(directory.executorLost("1")).containsExactly(SECOND);
        assertThat(directory.executorLost("1")).isEmpty();
        assertThat(directory.savedMaps()).as("Spark reports some losses twice").isEqualTo(3);
    }

    @Test
    void executorsReportWhatTheyUse() {
        one.used(new Usage(1, 2, 3, 4, 5, 6));
        assertThat(application.usages).containsExactly("1 6");
        assertThat(Usage.parse(new Usage(1, 2, 3, 4, 5, 6).text()).plus(Usage.NONE))
                .isEqualTo(new Usage(1, 2, 3, 4, 5, 6));
    }

    /** Otherwise a blob would be stored after the application has deleted its blobs. */
    @Test
    void noUploadBeginsWhenTheApplicationEnds() {
        one.open(FIRST, 5);
        one.open(SECOND, 5);
        assertThat(one.uploading(FIRST)).isTrue();
        assertThat(directory.uploads()).isEqualTo(1);
        application.ends = true;

        assertThat(one.uploading(SECOND)).isFalse();
        assertThat(directory.uploads()).isEqualTo(1);
        assertThat(one.stored(FIRST, 42, true, 3)).as("its writer deletes it").isFalse();
        assertThat(directory.uploads()).isZero();
    }

    @Test
    void aLostExecutorUploadsNothing() {
        one.open(FIRST, 5);
        two.open(SECOND, 5);
        assertThat(one.uploading(FIRST)).isTrue();
        assertThat(two.uploading(SECOND)).isTrue();

        assertThat(directory.executorLost("1")).containsExactly(FIRST);
        assertThat(directory.uploads()).isEqualTo(1);
    }

    /** An executor ends after the driver has deleted the blobs, and must not store more. */
    @Test
    void afterTheEndNothingIsStored() {
        DirectoryClient late = new DirectoryClient(
                BlobDirectory::answerAfterEnd, new Whereabouts.Endpoint("1", "host", 7), Zone.SINGLE);
        assertThat(late.isEnding()).isTrue();
        assertThat(late.stored(FIRST, 42, true, 3)).isFalse();
    }

    @Test
    void aRemovedShuffleIsForgotten() {
        one.open(FIRST, 5);
        one.open(SECOND, 6);
        assertThat(one.stored(FIRST, 42, true, 3)).isTrue();

        assertThat(directory.removeShuffle(5)).containsExactly(FIRST);
        assertThat(directory.removeShuffle(5)).isEmpty();
        assertThat(one.stored(FIRST, 42, true, 3)).isFalse();
        assertThat(two.locate(FIRST)).isEqualTo(Whereabouts.NOWHERE);
        assertThat(directory.size()).isEqualTo(1);
    }

    @Test
    void whoMissesABlobReportsIt() {
        one.open(FIRST, 5);
        one.open(SECOND, 5);
        assertThat(one.stored(FIRST, 42, false, 3)).isTrue();
        assertThat(one.stored(SECOND, 42, true, 3)).isTrue();
        two.lost(FIRST);

        assertThat(application.lost).containsExactly(FIRST);
        assertThat(two.isEnding()).isFalse();
        assertThat(directory.storedOnlyWith(FIRST)).containsExactly(FIRST);
        directory.vanished(FIRST);
        assertThat(two.refresh(FIRST)).isEqualTo(Whereabouts.NOWHERE);
        assertThat(directory.storedOnlyWith(FIRST)).isEmpty();
    }

    @Test
    void aBlobPosesAsAnExecutor() {
        BlockManagerId location = BlobLocation.of(FIRST, "host");
        assertThat(BlobLocation.parse(location.executorId())).contains(FIRST);
        assertThat(location).isEqualTo(BlobLocation.of(new BlobId(1, 2, 3), "host"));
        assertThat(BlobLocation.parse("driver")).isEmpty();
        assertThat(BlobLocation.parse("1")).isEmpty();
    }

    /** Its readers want to be there, and none takes it for its own host and reads the disk. */
    @Test
    void aBlobIsNearItsWriter() {
        assertThat(BlobLocation.of(FIRST, "host").host()).isNotEqualTo("host");
        assertThat(TaskLocation$.MODULE$
                        .apply(BlobLocation.of(FIRST, "host").host())
                        .host())
                .isEqualTo("host");
        assertThat(BlobLocation.of(FIRST, "[::1]").host()).isEqualTo("blob-store");
    }

    @Test
    void anUnknownRequestIsRefused() {
        assertThatThrownBy(() -> directory.answer(new ArrayList<>(List.of("dance"))))
                .hasMessageContaining("one version of BlobShuffle");
        assertThatThrownBy(() -> directory.answer(new ArrayList<>(List.of("locate", "nothing"))))
                .hasMessageContaining("'nothing' is no blob");
    }
}
