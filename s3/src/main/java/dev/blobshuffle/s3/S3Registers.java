package dev.blobshuffle.s3;

import dev.blobshuffle.core.failure.StoreRefused;
import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.Register;
import dev.blobshuffle.core.store.Registers;
import dev.blobshuffle.core.store.RequestMeter;
import dev.blobshuffle.core.store.RequestMeter.Request;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;

/**
 * The registers of a store in S3: objects created with {@code If-None-Match} and replaced with
 * {@code If-Match}. Thread-safe.
 */
final class S3Registers implements Registers {
    private final S3Settings settings;
    private final S3Objects objects;
    private final RequestMeter meter;
    private final Runner runner;

    /** Runs a request on a thread of the store and translates its failures. */
    interface Runner {
        <T> CompletionStage<T> run(String what, Supplier<T> request);
    }

    S3Registers(S3Settings settings, S3Objects objects, RequestMeter meter, Runner runner) {
        this.settings = settings;
        this.objects = objects;
        this.meter = meter;
        this.runner = runner;
    }

    @Override
    public CompletionStage<Optional<Register>> read(String name) {
        return runner.run("read register " + name, () -> latest(name));
    }

    private Optional<Register> latest(String name) {
        meter.sent(Request.GET);
        try {
            int most = MOST_BYTES + 1; // One more byte detects a text that is too long.
            ReadPart part = objects.requests().get(objects.get(settings.prefix().register(name), 0, most), most);
            String version = part.etag().orElseThrow(() -> incomplete(name, "ETag"));
            Instant stored = part.modified().orElseThrow(() -> incomplete(name, "Last-Modified"));
            String text = new String(part.bytes(), 0, part.length(), StandardCharsets.UTF_8);
            byte[] ignored = Registers.bytes(name, text);
            return Optional.of(new Register(version, text, stored));
        } catch (AwsServiceException e) {
            if (S3Failures.code(e).equals("NoSuchKey")) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private StoreRefused incomplete(String name, String header) {
        return new StoreRefused("Cannot read register " + name + ": " + settings.location() + " sends no " + header
                + ". Use a store that does.");
    }

    @Override
    public CompletionStage<Boolean> replace(String name, Optional<Register> expected, String text) {
        return runner.run("write register " + name, () -> write(name, expected, text));
    }

    private boolean write(String name, Optional<Register> expected, String text) {
        meter.sent(Request.PUT);
        byte[] bytes = Registers.bytes(name, text);
        try (UploadAttempt attempt = new UploadAttempt(BlobContent.of(bytes))) {
            PutObjectRequest.Builder request = objects.put(settings.prefix().register(name), attempt);
            expected.ifPresentOrElse(register -> request.ifMatch(register.version()), () -> request.ifNoneMatch("*"));
            objects.requests().put(request.build(), attempt);
            return true;
        } catch (AwsServiceException e) {
            if (e.statusCode() == 412 || S3Failures.code(e).equals("NoSuchKey")) {
                return false;
            }
            throw e;
        }
    }
}
