package dev.blobshuffle.s3;

import java.nio.file.Path;

/**
 * Credentials where the SDK looks for them first. Owned by the test that uses them; tests of a
 * module run one after the other.
 */
final class TestCredentials {
    static final String ACCESS_KEY = "blobshuffle";
    static final String SECRET_KEY = "blobshuffle-secret";

    private TestCredentials() {}

    /** What the servers of the tests accept. */
    static void use() {
        use(ACCESS_KEY, SECRET_KEY);
    }

    static void use(String accessKey, String secretKey) {
        System.setProperty("aws.accessKeyId", accessKey);
        System.setProperty("aws.secretAccessKey", secretKey);
        // Else the SDK asks the machine's metadata service, which a machine outside AWS takes a
        // second not to have.
        System.setProperty("aws.region", "us-east-1");
    }

    /** No credentials anywhere, whatever the machine has. */
    static void useNone(Path directory) {
        System.clearProperty("aws.accessKeyId");
        System.clearProperty("aws.secretAccessKey");
        System.setProperty("aws.disableEc2Metadata", "true");
        System.setProperty(
                "aws.sharedCredentialsFile", directory.resolve("credentials").toString());
        System.setProperty("aws.configFile", directory.resolve("config").toString());
    }
}
