package dev.blobshuffle.s3;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.time.Time;
import dev.blobshuffle.http.internal.HttpLimits;
import java.util.Optional;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.client.config.SdkAdvancedClientOption;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.regions.providers.DefaultAwsRegionProviderChain;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;

/**
 * Creates the client of a store. The client sends one HTTP request per call, because our decorators
 * retry and hedge, and must count every request. The SDK finds credentials, proxies and trust in
 * its usual places. Stateless.
 */
final class S3Clients {
    /** The region for other stores. They ignore it, but signatures must name one. */
    private static final Region REGION_OF_OTHERS = Region.US_EAST_1;

    private S3Clients() {}

    /** Requests through a client that the store closes. */
    static S3Requests requests(S3Settings settings, S3Timeouts timeouts, Time time) {
        SdkHttpClient http = new S3HttpClient(
                new HttpLimits(settings.connections(), timeouts.connect(), timeouts.silence(), timeouts.call()), time);
        S3Client client;
        try {
            client = client(settings, http);
        } catch (RuntimeException e) {
            http.close();
            throw e;
        }
        return new BlockingRequests(client, () -> {
            client.close();
            http.close();
        });
    }

    private static S3Client client(S3Settings settings, SdkHttpClient http) {
        S3ClientBuilder builder = S3Client.builder()
                .httpClient(http)
                .region(region(settings))
                .forcePathStyle(settings.isPathStyle())
                .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
                .serviceConfiguration(service -> service.chunkedEncodingEnabled(false))
                .overrideConfiguration(override -> override.retryStrategy(AwsRetryStrategy.doNotRetry())
                        .putAdvancedOption(SdkAdvancedClientOption.USER_AGENT_SUFFIX, "blobshuffle"));
        settings.endpoint().ifPresent(builder::endpointOverride);
        return builder.build();
    }

    private static Region region(S3Settings settings) {
        Optional<Region> given = settings.region().map(Region::of);
        if (given.isPresent()) {
            return given.get();
        }
        try {
            return DefaultAwsRegionProviderChain.builder().build().getRegion();
        } catch (SdkClientException e) {
            if (settings.endpoint().isPresent()) {
                return REGION_OF_OTHERS;
            }
            throw new InvalidSettingsException(
                    "Cannot open store " + settings.location()
                            + ": no region is known. Add ?region=NAME, or set AWS_REGION.",
                    e);
        }
    }
}
