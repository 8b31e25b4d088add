package dev.blobshuffle.s3;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.internal.store.opening.BlobStores;
import dev.blobshuffle.core.time.SystemTime;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks that the message names the SDK's own reason if it finds no credentials. */
class CredentialsTest {
    private static final List<String> PROPERTIES = List.of(
            "aws.accessKeyId",
            "aws.secretAccessKey",
            "aws.configFile",
            "aws.sharedCredentialsFile",
            "aws.profile",
            "aws.disableEc2Metadata",
            "aws.region",
            "aws.webIdentityTokenFile",
            "aws.roleArn",
            "aws.endpointUrlSts");

    @TempDir
    private Path directory;

    private final Map<String, String> before = new HashMap<>();

    @BeforeEach
    void clear() {
        for (String name : PROPERTIES) {
            String value = System.clearProperty(name);
            if (value != null) {
                before.put(name, value);
            }
        }
        System.setProperty("aws.disableEc2Metadata", "true");
        System.setProperty("aws.region", "eu-central-1");
        System.setProperty(
                "aws.sharedCredentialsFile", directory.resolve("none").toString());
    }

    @AfterEach
    void restore() {
        PROPERTIES.forEach(System::clearProperty);
        before.forEach(System::setProperty);
    }

    @Test
    void withoutAnySourceTheMessageNamesTheUsualOnes() {
        assertRefused()
                .hasMessageContaining("was not asked: there are no credentials. Check the credentials that the AWS SDK")
                .hasMessageNotContaining("since");
    }

    @Test
    void aProfileOfSingleSignOnNeedsModulesOfTheSdk() throws Exception {
        profile("""
                sso_session = corp
                sso_account_id = 111122223333
                sso_role_name = dev
                [sso-session corp]
                sso_region = eu-central-1
                sso_start_url = https://corp.awsapps.com/start
                """);
        assertRefused()
                .hasMessageContaining("'sso' service module must be on the class path")
                .hasMessageContaining("Add software.amazon.awssdk:sso and software.amazon.awssdk:ssooidc");
    }

    @Test
    void aProfileOfALoginSessionNeedsAModuleOfTheSdk() throws Exception {
        profile("login_session = arn:aws:iam::111122223333:user/dev");
        assertRefused()
                .hasMessageContaining("'signin' service module must be on the class path")
                .hasMessageContaining("Add software.amazon.awssdk:signin in the version");
    }

    @Test
    void aMissingProfileIsNamed() {
        System.setProperty("aws.profile", "absent");
        assertRefused().hasMessageContaining("absent").hasMessageContaining("profile");
    }

    @Test
    void aCredentialProcessThatFailsIsNamed() throws Exception {
        profile("credential_process = sh -c \"exit 3\"");
        assertRefused()
                .hasMessageContaining(
                        "Failed to refresh process-based credentials. Run the command credential_process");
    }

    @Test
    void aRoleThatMayNotBeAssumedIsNamed() throws Exception {
        profile("""
                role_arn = arn:aws:iam::111122223333:role/shuffle
                source_profile = base
                [profile base]
                aws_access_key_id = AKIDEXAMPLE
                aws_secret_access_key = secret-of-base
                """);
        withSts(() -> assertRefused()
                .hasMessageContaining("is not authorized to perform: sts:AssumeRole")
                .hasMessageNotContaining("secret-of-base"));
    }

    @Test
    void aRejectedTokenOfAServiceAccountIsNamed() throws Exception {
        Path token = directory.resolve("token");
        Files.writeString(token, "not-a-token");
        System.setProperty("aws.webIdentityTokenFile", token.toString());
        System.setProperty("aws.roleArn", "arn:aws:iam::111122223333:role/shuffle");
        withSts(() -> assertRefused()
                .hasMessageContaining("is not authorized to perform: sts:AssumeRole")
                .hasMessageNotContaining("not-a-token"));
    }

    private void profile(String content) throws Exception {
        Path config = directory.resolve("config");
        Files.writeString(config, "[profile dev]\n" + content + "\n");
        System.setProperty("aws.configFile", config.toString());
        System.setProperty("aws.profile", "dev");
    }

    private static void withSts(Runnable test) throws Exception {
        byte[] refusal = """
                <ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>User base is not authorized to
                 perform: sts:AssumeRole</Message></Error><RequestId>R1</RequestId></ErrorResponse>
                """.replace("\n ", " ").getBytes(StandardCharsets.UTF_8);
        HttpServer sts = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        sts.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            exchange.getResponseHeaders().add("Content-Type", "text/xml");
            exchange.sendResponseHeaders(403, refusal.length);
            exchange.getResponseBody().write(refusal);
            exchange.close();
        });
        sts.start();
        System.setProperty(
                "aws.endpointUrlSts", "http://127.0.0.1:" + sts.getAddress().getPort());
        try {
            test.run();
        } finally {
            sts.stop(0);
        }
    }

    private static AbstractThrowableAssert<?, ? extends Throwable> assertRefused() {
        try (SystemTime time = new SystemTime()) {
            return assertThatThrownBy(() -> BlobStores.open(
                            "s3://bucket/x?region=eu-central-1&path-style=true&endpoint=http://127.0.0.1:1", time))
                    .isInstanceOf(InvalidSettingsException.class);
        }
    }
}
