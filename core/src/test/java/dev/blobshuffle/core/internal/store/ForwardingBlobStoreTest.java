package dev.blobshuffle.core.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobshuffle.core.store.BlobContent;
import dev.blobshuffle.core.store.BlobId;
import dev.blobshuffle.core.store.BlobStore;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A decorator forwards every method, so that a default method does not hide the store's answer. */
class ForwardingBlobStoreTest {
    private static final Class<?>[] PUT = {BlobId.class, BlobContent.class};

    private final List<String> called = new ArrayList<>();

    private final BlobStore below = (BlobStore) Proxy.newProxyInstance(
            BlobStore.class.getClassLoader(), new Class<?>[] {BlobStore.class}, (proxy, method, arguments) -> {
                called.add(name(method));
                return nothing(method.getReturnType());
            });

    private static Object nothing(Class<?> type) {
        if (type == int.class) {
            return 0;
        }
        return type == boolean.class ? false : null;
    }

    /** The method of the other store that it calls: a put that may announce early is a put. */
    private static String target(Method method) {
        return method.getName().equals("put") ? "put" + Arrays.toString(PUT) : name(method);
    }

    private static String name(Method method) {
        return method.getName() + Arrays.toString(method.getParameterTypes());
    }

    @Test
    void everyMethodOfAStoreIsForwarded() throws ReflectiveOperationException {
        ForwardingBlobStore store = new ForwardingBlobStore(below) {};
        List<String> methods = new ArrayList<>();
        for (Method method : BlobStore.class.getMethods()) {
            if (!Modifier.isStatic(method.getModifiers())) {
                methods.add(target(method));
                Object[] arguments = Arrays.stream(method.getParameterTypes())
                        .map(type -> type == long.class ? (Object) 0L : type == int.class ? (Object) 0 : null)
                        .toArray();
                Object ignored = method.invoke(store, arguments);
            }
        }

        assertThat(methods).contains("length[class dev.blobshuffle.core.store.BlobId]", "registers[]");
        assertThat(called).containsExactlyElementsOf(methods);
    }
}
