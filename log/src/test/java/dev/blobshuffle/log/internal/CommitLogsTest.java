package dev.blobshuffle.log.internal;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobshuffle.core.failure.InvalidSettingsException;
import dev.blobshuffle.core.time.SystemTime;
import org.junit.jupiter.api.Test;

class CommitLogsTest {
    /** One jar made of several artifacts keeps one of their lists, unless its build merges them. */
    @Test
    void aLogThatNoJarListsIsNamedWithTheRemedies() {
        assertThatThrownBy(() -> CommitLogs.open("postgresql://localhost/app", "shop", new SystemTime()))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("dev.blobshuffle:blobshuffle-postgresql is not on the class path. Add it")
                .hasMessageContaining("merge all files META-INF/services/" + CommitLogProvider.class.getName());
    }
}
