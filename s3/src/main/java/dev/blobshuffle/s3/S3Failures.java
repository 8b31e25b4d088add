package dev.blobshuffle.s3;

import dev.blobshuffle.core.failure.BlobShuffleException;
import dev.blobshuffle.core.failure.ClosedException;
import dev.blobshuffle.core.failure.StoreRefusedException;
import dev.blobshuffle.core.failure.StoreThrottledException;
import dev.blobshuffle.core.failure.StoreUnavailableException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.ApiCallTimeoutException;
import software.amazon.awssdk.services.s3.model.S3Error;

/**
 * Maps failures of the SDK to the failures of a store, with their remedies. Stateless except for
 * the store's name.
 */
final class S3Failures {
    /** The code of the answer for a key without an object. */
    static final String NO_KEY = "NoSuchKey";

    private static final int SHOWN_CHARACTERS = 300;

    private static final Set<String> THROTTLED = Set.of(
            "SlowDown",
            "SlowDownRead",
            "SlowDownWrite",
            "ServiceUnavailable",
            "Throttling",
            "ThrottlingException",
            "ThrottledException",
            "RequestLimitExceeded",
            "RequestThrottled",
            "TooManyRequests",
            "TooManyRequestsException",
            "BandwidthLimitExceeded",
            "KMS.ThrottlingException");

    private static final Set<String> MAY_PASS = Set.of(
            "RequestTimeout",
            "InternalError",
            "OperationAborted",
            "ConditionalRequestConflict",
            "IncompleteBody",
            "BadDigest",
            "XAmzContentSHA256Mismatch",
            "XAmzContentChecksumMismatch");

    private static final String PERMISSIONS =
            "Allow s3:GetObject, s3:PutObject and s3:DeleteObject below the prefix and s3:ListBucket on the bucket"
                    + " (without the last one S3 denies access even to a missing blob)";
    private static final String CREDENTIALS =
            "Check the credentials that the AWS SDK finds (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, the profile, or the role of the machine or pod)";
    private static final String TOKEN = "Renew it, or use a role whose tokens the AWS SDK renews itself";

    private static final Map<String, String> REMEDIES = Map.ofEntries(
            Map.entry("NoSuchBucket", "Create the bucket, or name another"),
            Map.entry("InvalidBucketName", "Name a bucket of 3 to 63 lower case letters, digits, dots and dashes"),
            Map.entry("AccessDenied", PERMISSIONS),
            Map.entry("AllAccessDisabled", PERMISSIONS),
            Map.entry("MethodNotAllowed", "Make the bucket writable, or name another"),
            Map.entry("InvalidAccessKeyId", CREDENTIALS),
            Map.entry("SignatureDoesNotMatch", CREDENTIALS),
            Map.entry("UnrecognizedClientException", CREDENTIALS),
            Map.entry("InvalidToken", TOKEN),
            Map.entry("ExpiredToken", TOKEN),
            Map.entry("TokenRefreshRequired", TOKEN),
            Map.entry("RequestExpired", "Set this machine's clock"),
            Map.entry("NotImplemented", "Try the parameter checksum=md5 or checksum=none"),
            Map.entry("InvalidRequest", "Try the parameter checksum=md5 or checksum=none"),
            Map.entry("InvalidArgument", "Try the parameter checksum=md5 or checksum=none"));

    /** The SDK's message if credentials need a module that is absent. */
    private static final Pattern MODULE = Pattern.compile("the '([a-z]+)' service module must be on the class path");

    private final String location;

    S3Failures(String location) {
        this.location = location;
    }

    /** The failure of a request. */
    BlobShuffleException of(String what, Throwable cause) {
        if (cause instanceof BlobShuffleException failure) {
            return failure;
        }
        if (cause instanceof AwsServiceException answer) {
            return answered(what, answer);
        }
        return unanswered(what, cause);
    }

    /** The failure of one of the keys of a delete. */
    BlobShuffleException of(String what, S3Error error) {
        String code = String.valueOf(error.code());
        String reason = location + " answered " + code + " for " + error.key();
        if (THROTTLED.contains(code)) {
            return new StoreThrottledException("Cannot " + what + ": " + reason + ". " + throttledRemedy());
        }
        String remedy = REMEDIES.get(code);
        if (remedy != null) {
            return new StoreRefusedException("Cannot " + what + ": " + reason + ". " + remedy + ".");
        }
        return new StoreUnavailableException("Cannot " + what + ": " + reason + ". Try again.");
    }

    /** The store's code for a failure; empty if it sent none. */
    static String code(AwsServiceException answer) {
        AwsErrorDetails details = answer.awsErrorDetails();
        return details == null || details.errorCode() == null ? "" : details.errorCode();
    }

    /** Whether the answer says that there is no object. */
    static boolean isMissing(AwsServiceException answer) {
        return code(answer).equals(NO_KEY);
    }

    private BlobShuffleException answered(String what, AwsServiceException answer) {
        String code = code(answer);
        int status = answer.statusCode();
        String message = "Cannot " + what + ": " + location + " answered " + describe(answer, code, status) + ". ";
        // A 503 without such a code comes from a proxy, or from a store that does not work. It does
        // not mean throttling, but opens the circuit.
        if (THROTTLED.contains(code) || status == 429) {
            return new StoreThrottledException(message + throttledRemedy(), answer);
        }
        if (code.equals("RequestTimeTooSkewed")) {
            // The SDK has recorded the difference, so the next request may succeed.
            return new StoreUnavailableException(message + "Set this machine's clock.", answer);
        }
        if (MAY_PASS.contains(code) || status == 408 || status == 409) {
            return new StoreUnavailableException(message + "Try again.", answer);
        }
        if (status == 301 || status == 307 || code.equals("AuthorizationHeaderMalformed")) {
            return new StoreRefusedException(message + regionRemedy(answer), answer);
        }
        String remedy = REMEDIES.get(code);
        if (remedy != null) {
            return new StoreRefusedException(message + remedy + ".", answer);
        }
        if (status == 401 || status == 403) {
            return new StoreRefusedException(
                    message + CREDENTIALS + ", and the permissions: " + PERMISSIONS + ".", answer);
        }
        if (status >= 400 && status < 500 && status != 404) {
            return new StoreRefusedException(message + "Check the settings of the store.", answer);
        }
        return new StoreUnavailableException(message + "Check the store and the network.", answer);
    }

    private static String describe(AwsServiceException answer, String code, int status) {
        AwsErrorDetails details = answer.awsErrorDetails();
        String text = details == null || details.errorMessage() == null ? "" : details.errorMessage();
        String request = answer.requestId();
        return status
                + (code.isEmpty() ? "" : " " + code)
                + (text.isEmpty() ? "" : ": " + shortened(text))
                + (request == null || request.isEmpty() ? "" : " (request " + shortened(request) + ")");
    }

    private static String shortened(String text) {
        String line = text.replaceAll("[\\p{Cntrl}]+", " ").strip();
        String end = line.endsWith(".") ? line.substring(0, line.length() - 1) : line;
        return end.length() > SHOWN_CHARACTERS ? end.substring(0, SHOWN_CHARACTERS) + "…" : end;
    }

    private static String throttledRemedy() {
        return "It receives too many requests. Larger blobs need fewer.";
    }

    private static String regionRemedy(AwsServiceException answer) {
        Optional<String> region = Optional.ofNullable(answer.awsErrorDetails())
                .flatMap(details -> Optional.ofNullable(details.sdkHttpResponse()))
                .flatMap(response -> response.firstMatchingHeader("x-amz-bucket-region"));
        return "The bucket is in "
                + region.map(name -> "region " + name + ": set the parameter region=" + name)
                        .orElse("another region: set the parameter region")
                + ", or check the endpoint.";
    }

    private BlobShuffleException unanswered(String what, Throwable cause) {
        String text = "Cannot " + what + ": " + location + " ";
        Optional<String> credentials = CredentialsFailure.reason(cause);
        if (credentials.isPresent()) {
            return withoutCredentials(text, credentials.get(), cause);
        }
        Throwable root = root(cause);
        String reason = shortened(root.toString());
        if (root instanceof UnknownHostException) {
            return new StoreUnavailableException(
                    text + "has no address (" + reason
                            + "). Check the endpoint, the region and the name service; stores that do not know their buckets as host names need path-style=true.",
                    cause);
        }
        if (root instanceof SSLException || contains(cause, SSLException.class)) {
            return new StoreUnavailableException(
                    text + "cannot be reached over TLS (" + reason
                            + "). Check the endpoint, and the certificates that this Java trusts (javax.net.ssl.trustStore).",
                    cause);
        }
        if (cause instanceof ApiCallTimeoutException || root instanceof SocketTimeoutException) {
            return new StoreUnavailableException(
                    text + "did not answer in time (" + reason + "). Check the network to the store.", cause);
        }
        if (root instanceof ConnectException || root instanceof NoRouteToHostException) {
            return new StoreUnavailableException(
                    text + "cannot be reached (" + reason + "). Check that the store runs, and the network to it.",
                    cause);
        }
        return new StoreUnavailableException(
                text + "did not answer (" + reason + "). Check the network to the store.", cause);
    }

    /**
     * The failure of missing credentials. It contains the SDK's own reason, because several sources
     * of credentials need modules of the SDK, or a login.
     */
    private static StoreRefusedException withoutCredentials(String text, String reason, Throwable cause) {
        if (reason.isEmpty()) {
            return new StoreRefusedException(
                    text + "was not asked: there are no credentials. " + CREDENTIALS + ".", cause);
        }
        return new StoreRefusedException(
                text + "was not asked: there are no credentials, since " + shortened(reason) + ". "
                        + credentialsRemedy(reason) + ".",
                cause);
    }

    private static String credentialsRemedy(String reason) {
        Matcher module = MODULE.matcher(reason);
        if (module.find()) {
            String name = module.group(1);
            return "Add software.amazon.awssdk:" + name
                    + (name.equals("sso") ? " and software.amazon.awssdk:ssooidc" : "")
                    + " in the version of software.amazon.awssdk:s3";
        }
        if (reason.contains("process-based")) {
            return "Run the command credential_process of the profile, and repair what it reports";
        }
        return reason.contains("SSO") || reason.contains("Token is expired") ? "Run aws sso login" : CREDENTIALS;
    }

    /** The failure of a request whose store was closed during the request. */
    ClosedException closed(String what, Throwable cause) {
        return new ClosedException(
                "Cannot " + what + ": " + location + " is closed. Close the store after everything that uses it.",
                cause);
    }

    private static Throwable root(Throwable failure) {
        Throwable root = failure;
        for (int depth = 0; root.getCause() != null && depth < 20; depth++) {
            root = root.getCause();
        }
        return root;
    }

    private static boolean contains(Throwable failure, Class<?> type) {
        Throwable at = failure;
        for (int depth = 0; at != null && depth < 20; depth++) {
            if (type.isInstance(at)) {
                return true;
            }
            at = at.getCause();
        }
        return false;
    }
}
