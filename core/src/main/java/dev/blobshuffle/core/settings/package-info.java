/**
 * Sizes in settings and options. {@code docs/settings.md} lists the settings.
 *
 * <p>Public API: {@code docs/compatibility.md}.
 *
 * @since 0.1
 */
@NullMarked
package dev.blobshuffle.core.settings;

import org.jspecify.annotations.NullMarked;
