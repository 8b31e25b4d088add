package dev.blobshuffle.s3sim;

import java.util.Locale;

/**
 * The errors that {@link S3Sim} returns. They have S3's own codes, statuses and messages, except
 * {@link #STORAGE_FULL}.
 */
public enum S3Error {
    /** The credentials do not permit this. */
    ACCESS_DENIED(403, "AccessDenied", "Access Denied"),
    /** The request is signed for a region other than the bucket's. */
    AUTHORIZATION_HEADER_MALFORMED(
            400, "AuthorizationHeaderMalformed", "The authorization header is malformed; the region is wrong"),
    /** The body does not match its checksum. */
    BAD_DIGEST(400, "BadDigest", "The checksum you specified did not match the calculated checksum."),
    /** The bucket exists. */
    BUCKET_ALREADY_OWNED_BY_YOU(
            409, "BucketAlreadyOwnedByYou", "Your previous request to create the named bucket succeeded."),
    /** Another conditional request for this key is in progress. */
    CONDITIONAL_REQUEST_CONFLICT(
            409,
            "ConditionalRequestConflict",
            "A conflicting operation occurred during the processing of the request."),
    /** The session token has expired. */
    EXPIRED_TOKEN(400, "ExpiredToken", "The provided token has expired."),
    /** An internal error; a retry may succeed. */
    INTERNAL_ERROR(500, "InternalError", "We encountered an internal error. Please try again."),
    /** The access key id does not exist. */
    INVALID_ACCESS_KEY_ID(
            403, "InvalidAccessKeyId", "The AWS Access Key Id you provided does not exist in our records."),
    /** A parameter or header is invalid. */
    INVALID_ARGUMENT(400, "InvalidArgument", "Invalid Argument"),
    /** The range starts after the end of the object. */
    INVALID_RANGE(416, "InvalidRange", "The requested range is not satisfiable"),
    /** The bucket's name is invalid. */
    INVALID_BUCKET_NAME(400, "InvalidBucketName", "The specified bucket is not valid."),
    /** The body of a multi-delete is malformed. */
    MALFORMED_XML(400, "MalformedXML", "The XML you provided was not well-formed or did not validate"),
    /** A body without a length. */
    MISSING_CONTENT_LENGTH(411, "MissingContentLength", "You must provide the Content-Length HTTP header."),
    /** The bucket does not exist. */
    NO_SUCH_BUCKET(404, "NoSuchBucket", "The specified bucket does not exist"),
    /** The object does not exist. */
    NO_SUCH_KEY(404, "NoSuchKey", "The specified key does not exist."),
    /** The bucket has no lifecycle rules. */
    NO_SUCH_LIFECYCLE_CONFIGURATION(404, "NoSuchLifecycleConfiguration", "The lifecycle configuration does not exist"),
    /** The simulator does not support this operation. */
    NOT_IMPLEMENTED(
            501, "NotImplemented", "A header or operation you provided implies functionality that is not implemented"),
    /** The bucket is in another region. */
    PERMANENT_REDIRECT(
            301,
            "PermanentRedirect",
            "The bucket you are attempting to access must be addressed using the specified endpoint."),
    /** The condition of a conditional request does not hold. */
    PRECONDITION_FAILED(412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold"),
    /** The client's clock is off by more than 15 minutes. */
    REQUEST_TIME_TOO_SKEWED(
            403, "RequestTimeTooSkewed", "The difference between the request time and the current time is too large."),
    /** The body did not arrive in time. */
    REQUEST_TIMEOUT(
            400,
            "RequestTimeout",
            "Your socket connection to the server was not read from or written to within the timeout period."),
    /** The server is unavailable. */
    SERVICE_UNAVAILABLE(503, "ServiceUnavailable", "Service is unable to handle request."),
    /** The signature was made with another secret key. */
    SIGNATURE_DOES_NOT_MATCH(
            403,
            "SignatureDoesNotMatch",
            "The request signature we calculated does not match the signature you provided."),
    /** Too many requests. */
    SLOW_DOWN(503, "SlowDown", "Please reduce your request rate."),
    /** The simulator's memory is full. S3 has no such error. */
    STORAGE_FULL(507, "InsufficientStorage", "The simulator's memory is full. Delete objects, or give it more."),
    /** Too many requests, in the form of other stores with S3's API. */
    TOO_MANY_REQUESTS(429, "TooManyRequests", "Reduce your rate of requests.");

    private final int status;
    private final String code;
    private final String message;

    S3Error(int status, String code, String message) {
        this.status = status;
        this.code = code;
        this.message = message;
    }

    /** The HTTP status. */
    public int status() {
        return status;
    }

    /** The code in the answer's XML. */
    public String code() {
        return code;
    }

    Answer answer() {
        return answer(message);
    }

    Answer answer(String details) {
        return Answer.xml(
                status,
                String.format(
                        Locale.ROOT,
                        "<Error><Code>%s</Code><Message>%s</Message><RequestId>S3SIM</RequestId></Error>",
                        code,
                        Xml.escaped(details)));
    }
}
