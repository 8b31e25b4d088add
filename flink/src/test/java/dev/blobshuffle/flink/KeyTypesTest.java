package dev.blobshuffle.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.flink.api.common.typeinfo.BasicArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A shuffle takes the keys that {@code keyBy} takes, and refuses the others with its message. */
class KeyTypesTest {
    private static final TypeInformation<Tuple2<String, Long>> PAIR = Types.TUPLE(Types.STRING, Types.LONG);

    private record Key<K>(KeySelector<Event, K> selector, TypeInformation<K> type) {
        KeyedStream<Event, K> natively(DataStream<Event> events) {
            return events.keyBy(selector, type);
        }

        KeyedStream<Event, K> throughBlobs(DataStream<Event> events) {
            return BlobShuffle.keyBy(events, selector, type, BlobShuffleOptions.named("refused"));
        }

        @Override
        public String toString() {
            return type.toString();
        }
    }

    static Stream<Key<?>> refused() {
        return Stream.of(
                new Key<>(event -> new byte[1], PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO),
                new Key<>(event -> new String[1], BasicArrayTypeInfo.STRING_ARRAY_TYPE_INFO),
                new Key<>(event -> TimeUnit.DAYS, Types.ENUM(TimeUnit.class)),
                new Key<>(event -> new NoHash(), Types.POJO(NoHash.class)));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void aKeyThatFlinkRefusesIsRefusedWithItsMessage(Key<?> key) {
        Throwable natively = catchThrowable(() -> key.natively(events()));

        assertThat(natively).isNotNull();
        assertThatThrownBy(() -> key.throughBlobs(events()))
                .isInstanceOf(natively.getClass())
                .hasMessage(natively.getMessage());
    }

    /** Otherwise the job would have an exchange that leads to no operator. */
    @ParameterizedTest
    @MethodSource("refused")
    void aRefusedKeyLeavesTheJobAsItIs(Key<?> key) {
        DataStream<Event> events = events();
        int before = events.getExecutionEnvironment().getTransformations().size();

        assertThatThrownBy(() -> key.throughBlobs(events)).isNotNull();

        assertThat(events.getExecutionEnvironment().getTransformations()).hasSize(before);
    }

    @Test
    void aTypeThatFlinkCannotSeeIsRefusedWithItsMessage() {
        DataStream<Event> events = events();
        KeySelector<Event, Tuple2<String, Long>> selector = event -> Tuple2.of(event.text, event.number);
        Throwable natively = catchThrowable(() -> events.keyBy(selector));

        assertThat(natively).isNotNull();
        assertThatThrownBy(() -> BlobShuffle.keyBy(events, selector))
                .isInstanceOf(natively.getClass())
                .hasMessage(natively.getMessage());
    }

    @Test
    void theTypeOfAKeyMayBeGiven() {
        DataStream<Event> events = events();

        assertThat(BlobShuffle.keyBy(
                                events,
                                event -> Tuple2.of(event.text, event.number),
                                PAIR,
                                BlobShuffleOptions.named("pairs"))
                        .getKeyType())
                .isEqualTo(PAIR);
    }

    private static DataStream<Event> events() {
        Configuration configuration = new Configuration();
        configuration.setString("blobshuffle.store", "memory://keys");
        return StreamExecutionEnvironment.createLocalEnvironment(2, configuration)
                .fromData(new Event(1), new Event(2));
    }

    /** A key that is another one in each process. */
    public static final class NoHash {
        /** A field. */
        public long number;

        /** For Flink's serializer. */
        public NoHash() {}
    }
}
