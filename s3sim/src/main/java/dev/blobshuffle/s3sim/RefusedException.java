package dev.blobshuffle.s3sim;

/** A request is answered with an error. Recoverable: the connection continues. */
final class RefusedException extends Exception {
    private static final long serialVersionUID = 1;

    @SuppressWarnings("serial") // never serialized
    private final Answer answer;

    RefusedException(S3Error error) {
        this(error, error.answer());
    }

    RefusedException(S3Error error, Answer answer) {
        // Occurs often, so without a stack trace.
        super(error.code(), null, false, false);
        this.answer = answer;
    }

    Answer answer() {
        return answer;
    }
}
