package dev.blobshuffle.core.internal.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.blobshuffle.core.failure.BlobCorruptException;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class CodecTest {
    @ParameterizedTest
    @EnumSource(Codec.class)
    void codecsHaveTheirNumbersForEver(Codec codec) {
        assertThat(Codec.of(codec.code(), () -> "a test")).isEqualTo(codec);
        assertThat(codec.code()).isEqualTo(Arrays.asList("NONE", "LZ4", "ZSTD").indexOf(codec.name()));
    }

    @Test
    void anUnknownNumberIsCorruptAndSaysToUpgrade() {
        assertThatExceptionOfType(BlobCorruptException.class)
                .isThrownBy(() -> Codec.of(3, () -> "a notification"))
                .withMessageContaining("Upgrade the reader");
    }

    @ParameterizedTest
    @EnumSource(Codec.class)
    void librariesOfTheTestClassPathAreFound(Codec codec) {
        assertThatCode(codec::requireLibrary).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource({"LZ4, at.yawk.lz4:lz4-java", "ZSTD, com.github.luben:zstd-jni"})
    void aMissingLibraryIsNamedAtTheStart(String codec, String dependency) throws Exception {
        try (URLClassLoader bare = new WithoutLibraries()) {
            assertThat(failureOf(bare, codec))
                    .satisfies(failure ->
                            assertThat(failure.getClass().getSimpleName()).isEqualTo("InvalidSettingsException"))
                    .hasMessageContaining(dependency)
                    .hasMessageContaining("compression.type");
            assertThat(failureOf(bare, "NONE")).isNull();
        }
    }

    private static Throwable failureOf(ClassLoader loader, String codec) throws ReflectiveOperationException {
        Class<?> type = Class.forName(Codec.class.getName(), true, loader);
        Object constant = type.getMethod("valueOf", String.class).invoke(null, codec);
        Method requireLibrary = type.getMethod("requireLibrary");
        try {
            requireLibrary.invoke(constant);
            return null;
        } catch (InvocationTargetException e) {
            return e.getCause();
        }
    }

    /**
     * Loads BlobShuffle's classes again, and only those of the JDK besides: a class path without
     * the optional libraries.
     */
    private static final class WithoutLibraries extends URLClassLoader {
        WithoutLibraries() throws IOException {
            super(
                    new URL[] {Codec.class.getProtectionDomain().getCodeSource().getLocation()},
                    ClassLoader.getPlatformClassLoader());
        }
    }
}
