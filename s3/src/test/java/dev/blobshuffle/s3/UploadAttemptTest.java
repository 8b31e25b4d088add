package dev.blobshuffle.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.testkit.LoanCheck;
import dev.blobshuffle.testkit.TrackedContent;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

class UploadAttemptTest {
    @RegisterExtension
    final LoanCheck loans = new LoanCheck();

    private final Random random = new Random(7);

    @Test
    void aBodyCanBeSentAgainUntilTheAttemptEnds() throws Exception {
        byte[][] parts = {bytes(10), {}, bytes(300_000), bytes(1)};
        TrackedContent content = loans.content(parts);
        byte[] whole = joined(parts);
        try (UploadAttempt attempt = new UploadAttempt(content)) {
            content.release();
            for (int i = 0; i < 3; i++) {
                assertThat(attempt.newStream().readAllBytes()).isEqualTo(whole);
            }
            InputStream single = attempt.newStream();
            for (int i = 0; i < 20; i++) {
                assertThat(single.read()).isEqualTo(whole[i] & 0xff);
            }
            assertThat(attempt.body().contentLength()).isEqualTo(whole.length);
            assertThat(content.references()).isEqualTo(1);
        }
        assertThat(content.references()).isZero();
    }

    @Test
    void aStreamThatIsReadOnAfterTheEndGetsNothing() throws Exception {
        TrackedContent content = loans.content(bytes(100_000));
        UploadAttempt attempt = new UploadAttempt(content);
        InputStream begun = attempt.newStream();
        assertThat(begun.readNBytes(1000)).hasSize(1000);
        content.release();
        attempt.close();
        attempt.close();
        assertThatThrownBy(() -> begun.read(new byte[10])).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> attempt.newStream().read()).isInstanceOf(IOException.class);
        assertThatThrownBy(attempt::crc32c).isInstanceOf(IOException.class);
    }

    @Test
    void aPublisherSendsCopiesAsTheyAreWanted() throws Exception {
        byte[][] parts = {bytes(10), {}, bytes(300_000), bytes(1)};
        byte[] first = parts[0].clone();
        TrackedContent content = loans.content(parts);
        UploadAttempt attempt = new UploadAttempt(content);
        Received all = new Received(Long.MAX_VALUE);
        attempt.asyncBody().subscribe(all);
        assertThat(all.bytes.toByteArray()).isEqualTo(joined(parts));
        assertThat(all.ends).containsExactly("complete");

        Received begun = new Received(1);
        attempt.asyncBody().subscribe(begun);
        assertThat(begun.parts).hasSize(1);
        content.release();
        attempt.close();
        begun.subscription.request(5);
        assertThat(begun.parts).hasSize(1);
        assertThat(begun.ends).hasSize(1).first().asString().contains("has ended");
        assertThat(begun.parts.get(0).array())
                .as("a copy, not overwritten with the content")
                .isEqualTo(first);
    }

    @Test
    void aPublisherThatIsCancelledSendsNoMore() {
        TrackedContent content = loans.content(bytes(300_000));
        try (UploadAttempt attempt = new UploadAttempt(content)) {
            content.release();
            Received received = new Received(1);
            attempt.asyncBody().subscribe(received);
            received.subscription.cancel();
            received.subscription.request(10);
            assertThat(received.parts).hasSize(1);
            assertThat(received.ends).isEmpty();
        }
    }

    @Test
    void aPublisherThatIsAskedAfterTheEndFailsAndIsNotComplete() {
        TrackedContent content = loans.content(bytes(10));
        UploadAttempt attempt = new UploadAttempt(content);
        content.release();
        attempt.close();
        Received received = new Received(1);
        attempt.asyncBody().subscribe(received);
        assertThat(received.parts).isEmpty();
        assertThat(received.ends).hasSize(1).first().asString().contains("has ended");
    }

    @Test
    void anEmptyBodyIsComplete() throws Exception {
        TrackedContent content = loans.content(new byte[0]);
        try (UploadAttempt attempt = new UploadAttempt(content)) {
            content.release();
            Received received = new Received(1);
            attempt.asyncBody().subscribe(received);
            assertThat(received.ends).containsExactly("complete");
            assertThat(attempt.newStream().read()).isEqualTo(-1);
        }
    }

    /** The expected values are the algorithms' check values, for the text "123456789". */
    @Test
    void checksumsAreAsS3TakesThem() throws Exception {
        TrackedContent content = loans.content(
                "1234".getBytes(StandardCharsets.US_ASCII), new byte[0], "56789".getBytes(StandardCharsets.US_ASCII));
        try (UploadAttempt attempt = new UploadAttempt(content)) {
            content.release();
            assertThat(HexFormat.of().formatHex(Base64.getDecoder().decode(attempt.crc32c())))
                    .isEqualTo("e3069283");
            assertThat(HexFormat.of().formatHex(Base64.getDecoder().decode(attempt.md5())))
                    .isEqualTo("25f9e794323b453885f5181f1b624d0b");
        }
    }

    private byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private static byte[] joined(byte[]... parts) throws IOException {
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            whole.write(part);
        }
        return whole.toByteArray();
    }

    /** Records what it receives, and requests the given number of parts at the start. */
    private static final class Received implements Subscriber<ByteBuffer> {
        private final long wanted;
        private final List<ByteBuffer> parts = new ArrayList<>();
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final List<String> ends = new ArrayList<>();
        private Subscription subscription;

        Received(long wanted) {
            this.wanted = wanted;
        }

        @Override
        public void onSubscribe(Subscription given) {
            subscription = given;
            given.request(wanted);
        }

        @Override
        public void onNext(ByteBuffer part) {
            parts.add(part);
            bytes.writeBytes(part.array());
        }

        @Override
        public void onError(Throwable failure) {
            ends.add(failure.getMessage());
        }

        @Override
        public void onComplete() {
            ends.add("complete");
        }
    }
}
