package dev.blobshuffle.kstreams.differential.drawn;

import dev.blobshuffle.kstreams.differential.Row;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.DefaultProductionExceptionHandler;
import org.apache.kafka.streams.errors.DeserializationExceptionHandler;
import org.apache.kafka.streams.errors.ErrorHandlerContext;
import org.apache.kafka.streams.errors.LogAndContinueExceptionHandler;
import org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler;
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
        boolean hasDeadLetters;

        private Handler(String name) {
            this.name = name;
        }

        public void configure(Map<String, ?> settings) {
            hasDeadLetters = settings.get(StreamsConfig.ERRORS_DEAD_LETTER_QUEUE_TOPIC_NAME_CONFIG) != null;
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
        private final DeserializationExceptionHandler kafkas = new LogAndContinueExceptionHandler();

        /** Called by Kafka Streams. */
        public OfDeserialization() {
            super("deserialization");
        }

        @Override
        public void configure(Map<String, ?> settings) {
            super.configure(settings);
            kafkas.configure(settings);
        }

        @Override
        public Response handleError(
                ErrorHandlerContext context, ConsumerRecord<byte[], byte[]> record, Exception exception) {
            String heard =
                    text(record.key()) + "=" + text(record.value()) + " " + text(record.headers()) + record.timestamp()
                            + " raw " + text(context.sourceRawKey()) + "=" + text(context.sourceRawValue());
            if (!hear(context, exception, heard)) {
                return Response.fail();
            }
            return hasDeadLetters ? kafkas.handleError(context, record, exception) : Response.resume();
        }
    }

    /** Handles serialization and send failures. */
    public static final class OfProduction extends Handler implements ProductionExceptionHandler {
        private final ProductionExceptionHandler kafkas = new DefaultProductionExceptionHandler();

        /** Called by Kafka Streams. */
        public OfProduction() {
            super("production");
        }

        @Override
        public void configure(Map<String, ?> settings) {
            super.configure(settings);
            kafkas.configure(settings);
        }

        @Override
        public Response handleError(
                ErrorHandlerContext context, ProducerRecord<byte[], byte[]> record, Exception exception) {
            String heard = "to " + suffix(record.topic()) + " " + text(record.key()) + "=" + text(record.value()) + " "
                    + text(record.headers()) + record.timestamp();
            return hear(context, exception, heard)
                    ? Response.resume(
                            kafkas.handleError(context, record, exception).deadLetterQueueRecords())
                    : Response.fail();
        }

        @Override
        public Response handleSerializationError(
                ErrorHandlerContext context,
                @SuppressWarnings("rawtypes") ProducerRecord record,
                Exception exception,
                SerializationExceptionOrigin origin) {
            return hear(context, exception, origin + " to " + suffix(record.topic()) + " " + record.key())
                    ? Response.resume(kafkas.handleSerializationError(context, record, exception, origin)
                            .deadLetterQueueRecords())
                    : Response.fail();
        }
    }

    /** Handles exceptions of processors. */
    public static final class OfProcessing extends Handler implements ProcessingExceptionHandler {
        private final ProcessingExceptionHandler kafkas = new LogAndContinueProcessingExceptionHandler();

        /** Called by Kafka Streams. */
        public OfProcessing() {
            super("processing");
        }

        @Override
        public void configure(Map<String, ?> settings) {
            super.configure(settings);
            kafkas.configure(settings);
        }

        @Override
        public Response handleError(ErrorHandlerContext context, Record<?, ?> record, Exception exception) {
            if (!hear(context, exception, record.key() + "=" + record.value() + " " + record.timestamp())) {
                return Response.fail();
            }
            return hasDeadLetters ? kafkas.handleError(context, record, exception) : Response.resume();
        }
    }

    /** A record of the topic for dead letters, without what is not the same in each run. */
    static Row deadLetter(ConsumerRecord<byte[], byte[]> record) {
        StringBuilder headers = new StringBuilder();
        for (Header header : record.headers()) {
            String name = header.key().substring(header.key().lastIndexOf('.') + 1);
            String value = text(header.value());
            switch (name) {
                case "stacktrace", "message", "offset" -> headers.append(name).append(' ');
                case "topic" -> headers.append(suffix(value)).append(' ');
                default -> headers.append(name).append('=').append(value).append(' ');
            }
        }
        return new Row(text(record.key()), text(record.value()), 0, headers.toString());
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
