package dev.blobshuffle.kstreams.differential.drawn;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.DeserializationExceptionHandler;
import org.apache.kafka.streams.errors.ErrorHandlerContext;
import org.apache.kafka.streams.errors.ProcessingExceptionHandler;
import org.apache.kafka.streams.errors.ProductionExceptionHandler;
import org.apache.kafka.streams.processor.api.Record;
import org.jspecify.annotations.Nullable;

/** Exception handlers that record their calls, by application. Thread-safe. */
final class Handled {
    /** Names the handlers that continue. */
    static final String CONTINUES = "drawn.continues";

    private static final Map<String, Queue<String>> HEARD = new ConcurrentHashMap<>();

    private Handled() {}

    /** Returns and clears the calls of an application's handlers. */
    static List<String> take(String application) {
        Queue<String> heard = HEARD.remove(application);
        return heard == null ? List.of() : heard.stream().sorted().toList();
    }

    /** One handler of one application. */
    private abstract static class Handler {
        private final String name;
        private String application = "";
        private boolean isContinuing;

        private Handler(String name) {
            this.name = name;
        }

        public void configure(Map<String, ?> settings) {
            application = String.valueOf(settings.get(StreamsConfig.APPLICATION_ID_CONFIG));
            isContinuing = String.valueOf(settings.get(CONTINUES)).contains(name);
        }

        boolean hear(ErrorHandlerContext context, Exception exception, String record) {
            HEARD.computeIfAbsent(application, id -> new ConcurrentLinkedQueue<>())
                    .add(name + " at " + context.processorNodeId() + " in "
                            + suffix(String.valueOf(context.topic())) + " @"
                            + context.timestamp() + ": " + exception.getClass().getSimpleName() + " " + record);
            return isContinuing && !FailOnce.isIn(exception);
        }
    }

    /** Handles deserialization failures. */
    public static final class OfDeserialization extends Handler implements DeserializationExceptionHandler {
        /** Called by Kafka Streams. */
        public OfDeserialization() {
            super("deserialization");
        }

        @Override
        public Response handleError(
                ErrorHandlerContext context, ConsumerRecord<byte[], byte[]> record, Exception exception) {
            String heard =
                    text(record.key()) + "=" + text(record.value()) + " " + text(record.headers()) + record.timestamp()
                            + " raw " + text(context.sourceRawKey()) + "=" + text(context.sourceRawValue());
            return hear(context, exception, heard) ? Response.resume() : Response.fail();
        }
    }

    /** Handles serialization and send failures. */
    public static final class OfProduction extends Handler implements ProductionExceptionHandler {
        /** Called by Kafka Streams. */
        public OfProduction() {
            super("production");
        }

        @Override
        public Response handleError(
                ErrorHandlerContext context, ProducerRecord<byte[], byte[]> record, Exception exception) {
            return hear(
                            context,
                            exception,
                            "to " + suffix(record.topic()) + " " + text(record.key()) + "=" + text(record.value()) + " "
                                    + text(record.headers()) + record.timestamp())
                    ? Response.resume()
                    : Response.fail();
        }

        @Override
        public Response handleSerializationError(
                ErrorHandlerContext context,
                @SuppressWarnings("rawtypes") ProducerRecord record,
                Exception exception,
                SerializationExceptionOrigin origin) {
            return hear(context, exception, origin + " to " + suffix(record.topic()) + " " + record.key())
                    ? Response.resume()
                    : Response.fail();
        }
    }

    /** Handles exceptions of processors. */
    public static final class OfProcessing extends Handler implements ProcessingExceptionHandler {
        /** Called by Kafka Streams. */
        public OfProcessing() {
            super("processing");
        }

        @Override
        public Response handleError(ErrorHandlerContext context, Record<?, ?> record, Exception exception) {
            return hear(context, exception, record.key() + "=" + record.value() + " " + record.timestamp())
                    ? Response.resume()
                    : Response.fail();
        }
    }

    /** The part of a topic's name that is the same on both sides. */
    private static String suffix(String topic) {
        return topic.substring(topic.indexOf('-') + 1);
    }

    private static String text(Headers headers) {
        StringBuilder text = new StringBuilder();
        headers.forEach(header -> text.append(header).append(' '));
        return text.toString();
    }

    private static String text(byte @Nullable [] bytes) {
        return bytes == null
                ? "null"
                : bytes.length > 100 ? bytes.length + " bytes" : new String(bytes, StandardCharsets.UTF_8);
    }
}
