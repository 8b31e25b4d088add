package dev.blobshuffle.flink.internal.zone;

import dev.blobshuffle.core.internal.settings.ZoneSettings;
import dev.blobshuffle.core.zone.Zone;
import java.io.Serializable;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.configuration.Configuration;
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
        return of(
                task.getMetricGroup().getAllVariables().get(ScopeFormat.SCOPE_TASKMANAGER_ID),
                zones,
                task.getTaskManagerInfo().getConfiguration(),
                System.getenv());
    }

    static Place of(
            @Nullable String taskManager,
            SerializableFunction<String, String> zones,
            Configuration settings,
            Map<String, String> environment) {
        Optional<String> answer = Optional.ofNullable(taskManager).map(zones).filter(name -> !name.isBlank());
        Optional<String> setting = Optional.ofNullable(settings.getString(ZoneSettings.ZONE.name(), null));
        Zone zone = Zone.own(answer.or(() -> setting), Optional.empty(), environment);
        return new Place(taskManager, zone.equals(Zone.SINGLE) ? null : zone.name());
    }

    /** Whether what goes from one to the other stays in a TaskManager, or in a zone. */
    boolean isNear(Place other) {
        return taskManager != null && taskManager.equals(other.taskManager) || zone != null && zone.equals(other.zone);
    }
}
