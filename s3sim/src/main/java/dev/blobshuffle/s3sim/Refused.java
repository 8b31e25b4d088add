package dev.blobshuffle.s3sim;

/** A request that is answered with an error. Recoverable: the connection goes on. */
final class Refused extends Exception {
    private static final long serialVersionUID = 1;

    @SuppressWarnings("serial") // never serialized
    private final Answer answer;

    Refused(S3Error error) {
        this(error, error.answer());
    }

    Refused(S3Error error, Answer answer) {
        // Expected often: no stack trace.
        super(error.code(), null, false, false);
        this.answer = answer;
    }

    Answer answer() {
        return answer;
    }
}
