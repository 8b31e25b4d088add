package dev.blobshuffle.postgresql.internal.log;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The connection for the caller of a transaction. It allows everything but calls that would end the
 * transaction or outlive it. After its end every call fails. Owned by one thread.
 */
final class LentConnection implements InvocationHandler {
    /** Methods that only the log may call. */
    private static final Set<String> REFUSED =
            Set.of("commit", "close", "abort", "setAutoCommit", "setNetworkTimeout", "setReadOnly", "unwrap");

    /** Methods that are allowed after the end too. */
    private static final Set<String> QUESTIONS = Set.of("isClosed", "toString", "hashCode", "equals", "isWrapperFor");

    private static final String EXECUTE = "execute";

    private final Connection connection;
    private final Execution execution;
    private final Connection proxy;
    private volatile boolean isUsed;
    private volatile boolean isEnded;

    /** Called for each statement of the caller. */
    interface Execution {
        /** Called before a savepoint, too. */
        void begins() throws SQLException;

        void ended() throws SQLException;
    }

    LentConnection(Connection connection, Execution execution) {
        this.connection = connection;
        this.execution = execution;
        this.proxy = (Connection) proxy(Connection.class, this);
    }

    private static Object proxy(Class<?> type, InvocationHandler handler) {
        return Proxy.newProxyInstance(LentConnection.class.getClassLoader(), new Class<?>[] {type}, handler);
    }

    Connection proxy() {
        return proxy;
    }

    void end() {
        isEnded = true;
    }

    /** Whether the caller may have changed the session. */
    boolean isUsed() {
        return isUsed;
    }

    @Override
    public @Nullable Object invoke(Object self, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        String name = method.getName();
        if (QUESTIONS.contains(name)) {
            return answer(name, arguments);
        }
        requireOpen();
        boolean isRollback = name.equals("rollback") && method.getParameterCount() == 0;
        if (REFUSED.contains(name) || isRollback) {
            throw new SQLException(
                    "Cannot call " + name
                            + ": the connection belongs to a transaction of the log. Commit or close that.",
                    "2D000");
        }
        isUsed = true;
        if (name.equals("setSavepoint")) {
            execution.begins(); // A setting after a savepoint is undone with it.
        }
        Object result = call(connection, method, arguments);
        return result instanceof Statement statement ? lent(statement) : result;
    }

    private Object lent(Statement statement) {
        Class<? extends Statement> type = Statement.class;
        if (statement instanceof CallableStatement) {
            type = CallableStatement.class;
        } else if (statement instanceof PreparedStatement) {
            type = PreparedStatement.class;
        }
        return proxy(type, (self, method, arguments) -> invoke(statement, self, method, arguments));
    }

    private @Nullable Object invoke(
            Statement statement, Object self, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
        switch (method.getName()) {
            case "getConnection":
                return proxy;
            case "equals":
                return arguments != null && arguments[0] == self;
            case "unwrap":
                throw new SQLException(
                        "Cannot call unwrap: the statement belongs to a transaction of the log.", "2D000");
            default:
                break;
        }
        boolean isExecution = method.getName().startsWith(EXECUTE);
        if (isExecution) {
            requireOpen();
            execution.begins();
        }
        Object result = call(statement, method, arguments);
        if (isExecution) {
            execution.ended();
        }
        return result;
    }

    private void requireOpen() throws SQLException {
        if (isEnded) {
            throw new SQLException("The transaction has ended. Begin another one.", "08003");
        }
    }

    private static @Nullable Object call(Object target, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private Object answer(String name, @Nullable Object @Nullable [] arguments) {
        return switch (name) {
            case "isClosed" -> isEnded;
            case "isWrapperFor" -> false;
            case "hashCode" -> System.identityHashCode(proxy);
            case "equals" -> arguments != null && arguments[0] == proxy;
            default -> "LentConnection[isEnded=" + isEnded + "]";
        };
    }
}
