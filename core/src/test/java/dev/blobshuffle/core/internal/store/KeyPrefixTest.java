package dev.blobshuffle.core.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobKey;
import dev.blobshuffle.core.store.StoreUri;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyPrefixTest {
    private static final BlobId ID = new BlobId(29_700_000, -2, 3);

    @Test
    void theWholeBucketIsTheEmptyPrefix() {
        for (String uri : new String[] {"s3://bucket", "s3://bucket/", "gs://bucket?endpoint=http://localhost:1"}) {
            assertThat(prefix(uri)).isEqualTo(new KeyPrefix(""));
        }
        assertThat(prefix("s3://bucket").key(ID)).isEqualTo(BlobKey.of(ID));
        assertThat(prefix("s3://bucket").marker()).isEqualTo("blobshuffle-store");
    }

    @Test
    void aPathIsAPrefixWithOrWithoutItsLastSlash() {
        assertThat(prefix("s3://bucket/a/b")).isEqualTo(new KeyPrefix("a/b/"));
        assertThat(prefix("s3://bucket/a/b/")).isEqualTo(new KeyPrefix("a/b/"));
        assertThat(prefix("s3://bucket/a/b").key(ID)).isEqualTo("a/b/" + BlobKey.of(ID));
        assertThat(prefix("s3://bucket/a/b").marker()).isEqualTo("a/b/blobshuffle-store");
    }

    @Test
    void keysAreTakenApartOnlyBelowTheirPrefix() {
        KeyPrefix prefix = new KeyPrefix("a/b/");
        assertThat(prefix.blob(prefix.key(ID))).contains(ID);
        assertThat(prefix.blob(BlobKey.of(ID))).isEmpty();
        assertThat(prefix.blob(prefix.marker())).isEmpty();
        assertThat(prefix.parseGeneration(prefix.generation(0, 5, 29_700_000))).hasValue(29_700_000);
        assertThat(prefix.parseGeneration(prefix.shard(0, 5))).isEmpty();
        assertThat(prefix.parseGeneration("a/c/blobs/05/0029700000/")).isEmpty();
    }

    @Test
    void markersOfStoresAroundAPrefixAreThoseBesideAPartNamedBlobs() {
        assertThat(new KeyPrefix("").outerMarkers()).isEmpty();
        assertThat(new KeyPrefix("team/myblobs/blobs2/").outerMarkers()).isEmpty();
        assertThat(new KeyPrefix("blobs/").outerMarkers()).containsExactly("blobshuffle-store");
        assertThat(new KeyPrefix("a/blobs/b/blobs/blobs/c/").outerMarkers())
                .containsExactly(
                        "a/blobshuffle-store", "a/blobs/b/blobshuffle-store", "a/blobs/b/blobs/blobshuffle-store");
    }

    @Test
    void onlyShardsOfBlobsAreTheStoresOwn() {
        KeyPrefix prefix = new KeyPrefix("a/");
        prefix.requireOwn("a/blobs/00/", "s3://b");
        prefix.requireOwn("a/blobs/3f/", "s3://b");
        prefix.requireOwn("a/blobs/00c0de/", "s3://b");
        for (String foreign : new String[] {"a/blobs/40/", "a/blobs/x/", "a/blobs/note", "a/blobs/0/", "blobs/00/"}) {
            assertThatThrownBy(() -> prefix.requireOwn(foreign, "s3://b"))
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining("s3://b/" + foreign + " exists");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "s3://b/../c",
                "s3://b/a/../c",
                "s3://b/a/./c",
                "s3://b/a//c",
                "s3://b//",
                "s3://b/%2e%2e/c",
                "s3://b/a%0ab",
                "s3://b/a%5cb",
                "s3://b/%C3%A4"
            })
    void aPrefixThatClientsOrServersWouldChangeIsRefused(String uri) {
        assertThatThrownBy(() -> prefix(uri)).isInstanceOf(InvalidSettingsException.class);
    }

    @Test
    void aPrefixThatLeavesNoRoomForTheKeyIsRefused() {
        assertThatThrownBy(() -> prefix("s3://b/" + "a/".repeat(300)))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("600");
    }

    private static KeyPrefix prefix(String uri) {
        return KeyPrefix.of(StoreUri.parse(uri));
    }
}
