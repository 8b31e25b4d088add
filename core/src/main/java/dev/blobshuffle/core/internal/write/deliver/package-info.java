/**
 * The deliver step: sends segments to the lane's channel, in append order per partition. Start at
 * {@link dev.blobshuffle.core.internal.write.deliver.DeliveryQueue}.
 */
@NullMarked
package dev.blobshuffle.core.internal.write.deliver;

import org.jspecify.annotations.NullMarked;
