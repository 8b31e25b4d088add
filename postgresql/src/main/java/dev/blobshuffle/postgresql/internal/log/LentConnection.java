package dev.blobshuffle.postgresql.internal.log;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A connection as the caller of a transaction sees it: everything but what would end the
 * transaction, or outlive it. After its end every call fails. Owned by one thread.
 */
final class LentConnection implements InvocationHandler {
    /** What the log does itself. */
    private static final Set<String> REFUSED =
            Set.of("commit", "close", "abort", "setAutoCommit", "setNetworkTimeout", "setReadOnly", "unwrap");

    /** What is harmless after the end too. */
    private static final Set<String> QUESTIONS = Set.of("isClosed", "toString", "hashCode", "equals", "isWrapperFor");

    private final Connection connection;
    private final Connection proxy;
    private volatile boolean isEnded;

    LentConnection(Connection connection) {
        this.connection = connection;
        this.proxy = (Connection)
                Proxy.newProxyInstance(LentConnection.class.getClassLoader(), new Class<?>[] {Connection.class}, this);
    }

    Connection proxy() {
        return proxy;
    }

    void end() {
        isEnded = true;
    }

    @Override
    public @Nullable Object invoke(Object self, Method method, Object @Nullable [] arguments) throws Throwable {
        String name = method.getName();
        if (QUESTIONS.contains(name)) {
            return answer(name, arguments);
        }
        if (isEnded) {
            throw new SQLException("The transaction has ended. Begin another one.", "08003");
        }
        boolean isRollback = name.equals("rollback") && method.getParameterCount() == 0;
        if (REFUSED.contains(name) || isRollback) {
            throw new SQLException(
                    "Cannot call " + name
                            + ": the connection belongs to a transaction of the log. Commit or close that.",
                    "2D000");
        }
        try {
            return method.invoke(connection, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private Object answer(String name, Object @Nullable [] arguments) {
        return switch (name) {
            case "isClosed" -> isEnded;
            case "isWrapperFor" -> false;
            case "hashCode" -> System.identityHashCode(proxy);
            case "equals" -> arguments != null && arguments[0] == proxy;
            default -> "LentConnection[isEnded=" + isEnded + "]";
        };
    }
}
