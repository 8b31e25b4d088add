package dev.blobshuffle.http.internal;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.apache.hc.client5.http.classic.ExecChain;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.io.entity.HttpEntityWrapper;

/**
 * Sends bodies in TLS records of full size. The stores' clients write pieces of 4 or 8 KiB, and
 * Java's TLS turns each piece into a record and a system call. Stateless.
 */
final class FullTlsRecords {
    /** The largest content of a TLS record. */
    private static final int RECORD_BYTES = 16 << 10;

    private FullTlsRecords() {}

    static ClassicHttpResponse send(ClassicHttpRequest request, ExecChain.Scope scope, ExecChain chain)
            throws IOException, HttpException {
        HttpEntity body = request.getEntity();
        if (body != null) {
            request.setEntity(new RecordEntity(body));
        }
        return chain.proceed(request, scope);
    }

    /**
     * Gathers a body into records. Writes of whole records pass without a copy. Owned by the
     * sending thread.
     */
    private static final class RecordEntity extends HttpEntityWrapper {
        RecordEntity(HttpEntity body) {
            super(body);
        }

        @Override
        public void writeTo(OutputStream out) throws IOException {
            long length = getContentLength();
            int size = length < 0 ? RECORD_BYTES : (int) Math.max(1, Math.min(length, RECORD_BYTES));
            BufferedOutputStream records = new BufferedOutputStream(out, size);
            super.writeTo(records);
            records.flush();
        }
    }
}
