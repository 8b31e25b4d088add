package dev.blobshuffle.kafkaembedded;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Starts an {@link EmbeddedShuffle} before the first test of a class and closes it after the last.
 * Tests, constructors and lifecycle methods take it as a parameter; nested classes share it.
 * Register it with {@code @ExtendWith(EmbeddedShuffleExtension.class)}. Stateless.
 */
public final class EmbeddedShuffleExtension implements BeforeAllCallback, AfterAllCallback, ParameterResolver {
    private static final Namespace NAMESPACE = Namespace.create(EmbeddedShuffleExtension.class);

    /** Created by JUnit. */
    public EmbeddedShuffleExtension() {}

    @Override
    public void beforeAll(ExtensionContext context) {
        if (find(context) == null) {
            context.getStore(NAMESPACE).put(EmbeddedShuffle.class, EmbeddedShuffle.start());
        }
    }

    /** Closes the instance that this class has started. A nested class has started none. */
    @Override
    public void afterAll(ExtensionContext context) {
        EmbeddedShuffle own = context.getStore(NAMESPACE).remove(EmbeddedShuffle.class, EmbeddedShuffle.class);
        if (own != null) {
            own.close();
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == EmbeddedShuffle.class;
    }

    @Override
    public @Nullable Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return find(context);
    }

    private static @Nullable EmbeddedShuffle find(ExtensionContext context) {
        return context.getStore(NAMESPACE).get(EmbeddedShuffle.class, EmbeddedShuffle.class);
    }
}
