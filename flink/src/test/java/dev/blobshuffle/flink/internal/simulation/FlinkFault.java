package dev.blobshuffle.flink.internal.simulation;

/** What happens to a simulated job. */
enum FlinkFault {
    /** A request to the store failed, or was answered wrongly. */
    STORE_FAILED,
    /** For a while every request failed. */
    STORE_DOWN,
    /** For minutes every request failed, for longer than any put is retried. */
    STORE_DOWN_LONG,
    /** A task failed. */
    TASK_FAILED,
    /** A TaskManager was killed. */
    TASK_MANAGER_KILLED,
    /** All TaskManagers and the JobManager were killed. */
    ALL_KILLED,
    /** A put failed for good, and with it a task. */
    PUT_FAILED,
    /** A checkpoint was given up. */
    CHECKPOINT_ABORTED,
    /** A checkpoint was given up when a Debatcher had taken its snapshot. */
    CHECKPOINT_ABORTED_LATE,
    /** A task declined a checkpoint. */
    CHECKPOINT_DECLINED,
    /** The notice of a completed checkpoint was lost. */
    NOTICE_LOST,
    /** A task was not notified of a checkpoint that was given up. */
    ABORT_LOST,
    /** An aligned checkpoint became unaligned, because its barriers were late. */
    TIMED_OUT,
    /** The clock of a TaskManager was off by minutes. */
    CLOCK_OFF,
    /** A TaskManager was given up, and went on while others had its work. */
    WENT_ON,
    /** A failure came while a checkpoint was being taken. */
    FAILED_IN_CHECKPOINT,
    /** The job was restored at another parallelism. */
    RESCALED,
    /** The job was restored from a checkpoint that was not the newest one. */
    RESTORED_OLDER,
    /** The job stopped with a savepoint. */
    STOPPED,
    /** A stop with a savepoint was given up, and the job went on. */
    STOP_ABORTED,
    /** All blobs were deleted before a savepoint was restored. */
    BLOBS_GONE,
    /** An input was idle for a while. */
    IDLE,
    /** An unaligned checkpoint held what its barriers had overtaken. */
    OVERTAKEN,
    /** A checkpoint was in the middle of a segment. */
    IN_SEGMENT,
    /** Blobs were deleted that no checkpoint needs. */
    SWEPT,
    /** Blobs of an earlier submission were deleted, because no retained checkpoint needs them. */
    FORGOTTEN,
    /** A Debatcher took no reference for a while, because it was far behind. */
    FAR_BEHIND,
    /** A Batcher had ended before a checkpoint, and took no part in it. */
    SENDER_ENDED
}
