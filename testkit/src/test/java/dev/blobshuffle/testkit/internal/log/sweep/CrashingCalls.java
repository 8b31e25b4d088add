package dev.blobshuffle.testkit.internal.log.sweep;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Ends a pass at a chosen call, before or after the call had its effect, as a crash does. It wraps
 * interfaces, and what their methods return. Owned by one thread.
 */
final class CrashingCalls {
    /** The process ended. */
    static final class Crash extends Error {
        private static final long serialVersionUID = 1L;
    }

    /** Whether the call at which the process ends still has its effect. */
    enum Moment {
        BEFORE,
        AFTER
    }

    private final int at;
    private final Moment moment;
    private int calls;

    /** @param at number of the call, from 0 */
    CrashingCalls(int at, Moment moment) {
        this.at = at;
        this.moment = moment;
    }

    /** Whether the process has ended. */
    boolean isCrashed() {
        return calls > at;
    }

    <T> T wrap(Class<T> type, T wrapped) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
            boolean isCall = CompletionStage.class.isAssignableFrom(method.getReturnType());
            boolean isHere = isCall && calls++ == at;
            if (isCall && calls > at + 1 || isHere && moment == Moment.BEFORE) {
                throw new Crash();
            }
            Object answer;
            try {
                answer = method.invoke(wrapped, args);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
            if (isHere) {
                Object ignored =
                        ((CompletionStage<?>) answer).toCompletableFuture().join();
                throw new Crash();
            }
            return again(method.getReturnType(), answer);
        }));
    }

    private Object again(Class<?> type, Object answer) {
        if (answer instanceof Optional<?> optional && optional.isPresent()) {
            Object value = optional.get();
            Class<?>[] interfaces = value.getClass().getInterfaces();
            return interfaces.length == 1 ? Optional.of(wrapUnchecked(interfaces[0], value)) : answer;
        }
        boolean isPart = type.isInterface() && type.getName().startsWith("dev.blobshuffle.");
        return isPart ? wrapUnchecked(type, answer) : answer;
    }

    @SuppressWarnings("unchecked")
    private <T> Object wrapUnchecked(Class<T> type, Object value) {
        return wrap(type, (T) value);
    }
}
