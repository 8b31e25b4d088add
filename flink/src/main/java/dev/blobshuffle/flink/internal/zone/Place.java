package dev.blobshuffle.flink.internal.zone;

import dev.blobshuffle.core.internal.settings.ZoneSettings;
import dev.blobshuffle.core.zone.Zone;
import java.io.Serializable;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.metrics.scope.ScopeFormat;
import org.apache.flink.util.function.SerializableFunction;
import org.jspecify.annotations.Nullable;

/**
 * Where a subtask runs. Immutable.
 *
 * @param taskManager Flink's id of its TaskManager; null if it has none
 * @param zone the zone's name; null if it is not known
 */
public record Place(@Nullable String taskManager, @Nullable String zone) implements Serializable {
    private static final long serialVersionUID = 1L;

    /**
     * The place of a task. Its zone is what the job's function says, else the setting {@code
     * blobshuffle.zone} of the TaskManager, else its environment variable {@code TOPOLOGY_ZONE}.
     *
     * @param zones takes the TaskManager's id; an empty answer means that it does not know
     */
    public static Place of(Environment task, SerializableFunction<String, String> zones) {
        String taskManager = task.getMetricGroup().getAllVariables().get(ScopeFormat.SCOPE_TASKMANAGER_ID);
        Optional<String> answer = Optional.ofNullable(taskManager).map(zones).filter(name -> !name.isBlank());
        Optional<String> setting = Optional.ofNullable(
                task.getTaskManagerInfo().getConfiguration().getString(ZoneSettings.ZONE.name(), null));
        return new Place(taskManager, named(answer.or(() -> setting), System.getenv()));
    }

    private static @Nullable String named(Optional<String> zone, Map<String, String> environment) {
        Zone own = Zone.own(zone, Optional.empty(), environment);
        return own.equals(Zone.SINGLE) ? null : own.name();
    }

    /** Whether what goes from one to the other stays in a TaskManager, or in a zone. */
    boolean isNear(Place other) {
        return taskManager != null && taskManager.equals(other.taskManager)
                || zone != null && zone.equals(other.zone);
    }
}
