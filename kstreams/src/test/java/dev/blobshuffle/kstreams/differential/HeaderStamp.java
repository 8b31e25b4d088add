package dev.blobshuffle.kstreams.differential;

import java.nio.charset.StandardCharsets;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** Gives each record two headers, one of them without a value. */
final class HeaderStamp extends ContextualProcessor<String, String, String, String> {
    @Override
    public void process(Record<String, String> record) {
        record.headers().add("came-at", Long.toString(record.timestamp()).getBytes(StandardCharsets.UTF_8));
        record.headers().add("empty", null);
        context().forward(record);
    }
}
