package dev.blobshuffle.s3;

import java.nio.file.Path;

/**
 * Sets and removes the credentials that the SDK looks for first. Owned by the test that uses them;
 * the tests of a module run one after another.
 */
final class TestCredentials {
    static final String ACCESS_KEY = "blobshuffle";
    static final String SECRET_KEY = "blobshuffle-secret";

    private TestCredentials() {}

    /** Sets the credentials that the tests' servers accept. */
    static void use() {
        use(ACCESS_KEY, SECRET_KEY);
    }

    static void use(String accessKey, String secretKey) {
        System.setProperty("aws.accessKeyId", accessKey);
        System.setProperty("aws.secretAccessKey", secretKey);
        // Otherwise the SDK asks the machine's metadata service. Outside AWS that takes a second to
        // fail.
        System.setProperty("aws.region", "us-east-1");
    }

    /** Hides all credentials that the machine may have. */
    static void useNone(Path directory) {
        System.clearProperty("aws.accessKeyId");
        System.clearProperty("aws.secretAccessKey");
        System.setProperty("aws.disableEc2Metadata", "true");
        System.setProperty(
                "aws.sharedCredentialsFile", directory.resolve("credentials").toString());
        System.setProperty("aws.configFile", directory.resolve("config").toString());
    }
}
