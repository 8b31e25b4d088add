package dev.blobshuffle.testkit.internal.simulation;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.function.LongFunction;

/**
 * Loads the engine a second time, with yield points in it ({@link Weaver}), and the simulation
 * beside it. Everything that is not of this project comes from the parent, so results pass as types
 * of the JDK. Thread-safe.
 */
final class WovenLoader extends ClassLoader {
    private static final String OURS = "dev.blobshuffle.";
    private static final String ENGINE = "dev.blobshuffle.core.";

    static {
        registerAsParallelCapable();
    }

    WovenLoader() {
        super(WovenLoader.class.getClassLoader());
    }

    /** The simulation over the woven engine: from a seed to the violations of its schedule. */
    static LongFunction<String[]> simulation() {
        try {
            Object made = new WovenLoader()
                    .loadClass(InterleavedSchedule.class.getName())
                    .getDeclaredConstructor()
                    .newInstance();
            @SuppressWarnings("unchecked") // It is of the JDK, and both loaders share it.
            LongFunction<String[]> schedule = (LongFunction<String[]>) made;
            return schedule;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("Cannot load the woven simulation.", e);
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(OURS)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded != null ? loaded : define(name);
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        try (InputStream input = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (input == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] original = input.readAllBytes();
            byte[] bytes = name.startsWith(ENGINE) ? Weaver.weave(original) : original;
            return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
