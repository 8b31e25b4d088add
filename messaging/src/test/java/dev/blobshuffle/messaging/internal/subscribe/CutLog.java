package dev.blobshuffle.messaging.internal.subscribe;

import dev.blobshuffle.log.failure.LogUnavailableException;
import dev.blobshuffle.log.internal.CommitLog;
import dev.blobshuffle.log.internal.group.Groups;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A log whose renewals fail while it is cut: its member becomes a zombie. */
final class CutLog {
    private final CommitLog log;
    private boolean isCut;

    CutLog(CommitLog log) {
        this.log = log;
    }

    void cut(boolean cut) {
        isCut = cut;
    }

    /** The member's view of the log. */
    CommitLog log() {
        return proxy(
                CommitLog.class,
                (method, arguments) -> method.getName().equals("groups") ? groups() : call(log, method, arguments));
    }

    private Groups groups() {
        return proxy(
                Groups.class,
                (method, arguments) -> isCut && method.getName().equals("renew")
                        ? CompletableFuture.failedFuture(
                                new LogUnavailableException("Cannot renew: the way to the log is cut."))
                        : call(log.groups(), method, arguments));
    }

    private static <T> T proxy(Class<T> type, Calls calls) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (self, method, arguments) -> calls.on(method, arguments)));
    }

    private static Object call(Object target, Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private interface Calls {
        Object on(Method method, Object @Nullable [] arguments) throws Throwable;
    }
}
