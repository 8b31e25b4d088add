package dev.blobshuffle.flink.internal.task;

import dev.blobshuffle.flink.internal.retain.CheckpointNeed;
import java.util.function.Consumer;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * The parts of a task that the side of a shuffle in it uses.
 *
 * @param mailbox runs mails on the task's thread
 * @param output to the next operator, or to the network
 * @param needs receives what each checkpoint needs; may be called by any thread
 */
public record TaskContext<T>(MailboxExecutor mailbox, Output<StreamRecord<T>> output, Consumer<CheckpointNeed> needs) {}
