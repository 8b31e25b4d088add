package dev.blobshuffle.kstreams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.kstreams.internal.application.ApplicationSettings;
import dev.blobshuffle.kstreams.internal.application.ShuffledApplication;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

class BlobConsumerWrapperTest {
    /** By name, because Kafka 4.0 has no such class; there, ours is never loaded. */
    @Test
    @EnabledIf("dev.blobshuffle.kstreams.differential.Protocols#hasStreams")
    void everyMethodIsOverridden() throws Exception {
        Class<?> wrapper = Class.forName(ApplicationSettings.WRAPPER_CLASS);
        Set<String> inherited = Stream.concat(
                        Arrays.stream(wrapper.getSuperclass().getDeclaredMethods())
                                .filter(method -> Modifier.isPublic(method.getModifiers())),
                        Arrays.stream(Consumer.class.getMethods())
                                .filter(method -> !Modifier.isStatic(method.getModifiers())))
                .filter(method -> !method.isSynthetic())
                .map(BlobConsumerWrapperTest::signature)
                .collect(Collectors.toSet());

        Set<String> own = Arrays.stream(wrapper.getDeclaredMethods())
                .map(BlobConsumerWrapperTest::signature)
                .collect(Collectors.toSet());

        assertThat(inherited).hasSizeGreaterThan(50);
        assertThat(own).containsAll(inherited);
    }

    @Test
    void wrapperWithoutOurSupplierSaysWhatToSet() {
        assertThatThrownBy(() -> ShuffledApplication.beingCreated("app-StreamThread-1-consumer"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("default.client.supplier=" + BlobShuffleClientSupplier.class.getName());
    }

    private static String signature(Method method) {
        return method.getName() + Arrays.toString(method.getParameterTypes());
    }
}
