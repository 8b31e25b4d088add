package dev.blobshuffle.core.internal.owner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.failure.StoreRefusedException;
import dev.blobshuffle.core.internal.owner.OwnerText.Lower;
import dev.blobshuffle.core.internal.owner.OwnerText.Owner;
import dev.blobshuffle.core.internal.owner.OwnerText.Raise;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OwnerTextTest {
    private static final Promise NEEDED = new Promise(Duration.ofHours(1), Optional.empty());
    private static final Promise AGED = new Promise(Duration.ofMinutes(45), Optional.of(Duration.ofDays(2)));

    private static OwnerText full() {
        return OwnerText.NONE
                .raised("C", new Raise("shop-claims", "1f"))
                .doubted("C", "t1", "no\nbrokers")
                .contested("D", "a copy")
                .owned(0xabc, new Owner("C", "shop-claims", NEEDED))
                .owned(1, new Owner("D", "log", AGED))
                .lowered(0xabc, new Lower(AGED, "t2"));
    }

    @Test
    void textHoldsALineForEachFact() {
        assertThat(full().text()).isEqualTo("""
                        BlobShuffle owners 1
                        counter 0
                        cluster C shop-claims 1f
                        doubt C t1 no brokers
                        contest D a copy
                        owner 000001 D log 2700000 172800000
                        owner 000abc C shop-claims 3600000 needed
                        lower 000abc 2700000 172800000 t2
                        """);
    }

    @Test
    void textIsReadAsItWasWritten() {
        assertThat(OwnerText.parse(full().text())).isEqualTo(full());
    }

    @Test
    void eachNewValueCountsAndTheSameOneIsNone() {
        assertThat(full().after(full())).isEmpty();
        assertThat(full().trusted("C").after(full()).map(OwnerText::counter)).contains(1L);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "BlobShuffle owners 2\ncounter 1\n",
                "BlobShuffle owners 1\n",
                "BlobShuffle owners 1\ncounter 1",
                "BlobShuffle owners 1\ncounter -1\n",
                "BlobShuffle owners 1\ncounter 1\ncounter 2\n",
                "BlobShuffle owners 1\ncounter 1\nclaim C topic id\n",
                "BlobShuffle owners 1\ncounter 1\ncluster C topic\n",
                "BlobShuffle owners 1\ncounter 1\ncluster C topic 1\ncluster C topic 2\n",
                "BlobShuffle owners 1\ncounter 1\nowner 1 C topic 1 needed\n",
                "BlobShuffle owners 1\ncounter 1\nowner 000001 C topic 1 forever\n",
                "BlobShuffle owners 1\ncounter 1\nlower 000001 1 needed t\n"
            })
    void anythingElseIsRefused(String text) {
        assertThatThrownBy(() -> OwnerText.parse(text)).isInstanceOf(InvalidSettingsException.class);
    }

    @Test
    void ownersLeaveRoomForDoubtsAndContests() {
        OwnerText text = OwnerText.NONE;
        int owner = 0;
        boolean isFull = false;
        while (!isFull) {
            owner++;
            OwnerText more = text.owned(owner, new Owner("C" + owner % 20, "t".repeat(50), NEEDED));
            try {
                more.requireRoom();
                text = more;
            } catch (StoreRefusedException e) {
                assertThat(e).hasMessageContaining("gc --forget");
                isFull = true;
            }
        }
        assertThat(owner).isGreaterThan(100);
        OwnerText worst = text;
        for (int cluster = 0; cluster < 20; cluster++) {
            worst = worst.raised("C" + cluster, new Raise("t".repeat(249), "i".repeat(32)))
                    .doubted("C" + cluster, "t".repeat(16), "x".repeat(500))
                    .contested("C" + cluster, "x".repeat(500));
        }
        assertThat(worst.text()).isNotEmpty();
    }

    @Test
    void aPromiseCoversWhatIsShorter() {
        assertThat(NEEDED.covers(AGED)).isTrue();
        assertThat(AGED.covers(NEEDED)).isFalse();
        assertThat(AGED.covers(AGED)).isTrue();
        assertThat(AGED.and(new Promise(Duration.ofHours(2), Optional.of(Duration.ofDays(1)))))
                .isEqualTo(new Promise(Duration.ofHours(2), Optional.of(Duration.ofDays(2))));
    }
}
