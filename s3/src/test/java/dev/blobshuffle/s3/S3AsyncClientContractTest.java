package dev.blobshuffle.s3;

import dev.blobshuffle.core.store.BlobStore;
import dev.blobshuffle.core.store.StoreContext;
import dev.blobshuffle.core.time.SystemTime;
import dev.blobshuffle.s3sim.S3Sim;
import dev.blobshuffle.testkit.BlobStoreContractTest;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3AsyncClient;

/** Runs the contract through a user's asynchronous client, with the SDK's own checksums. */
class S3AsyncClientContractTest extends BlobStoreContractTest {
    private static final SystemTime TIME = new SystemTime();
    private static final AtomicInteger BUCKETS = new AtomicInteger();
    private static final S3Sim SIM = S3Sim.builder().start();
    private static final S3AsyncClient CLIENT = S3AsyncClient.builder()
            .endpointOverride(SIM.endpoint())
            .forcePathStyle(true)
            .region(Region.EU_CENTRAL_1)
            .httpClientBuilder(NettyNioAsyncHttpClient.builder().maxConcurrency(S3Settings.DEFAULT_CONNECTIONS))
            .overrideConfiguration(override -> override.retryStrategy(AwsRetryStrategy.doNotRetry()))
            .credentialsProvider(StaticCredentialsProvider.create(
                    AwsBasicCredentials.create(TestCredentials.ACCESS_KEY, TestCredentials.SECRET_KEY)))
            .build();

    @Override
    protected BlobStore open() {
        String bucket = "contract-" + BUCKETS.incrementAndGet();
        SIM.createBucket(bucket);
        return S3BlobStores.builder(bucket).client(CLIENT).open(StoreContext.unmetered(TIME));
    }

    @AfterAll
    static void end() {
        CLIENT.close();
        SIM.close();
        TIME.close();
    }
}
