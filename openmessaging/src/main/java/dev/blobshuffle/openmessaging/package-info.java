/** The driver of the OpenMessaging Benchmark: it publishes and subscribes through blobs. */
package dev.blobshuffle.openmessaging;
