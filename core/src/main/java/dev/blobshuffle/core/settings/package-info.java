/**
 * Sizes as settings and options name them. The settings themselves are named in
 * {@code docs/settings.md}.
 *
 * <p>Public API: {@code docs/compatibility.md}.
 *
 * @since 0.1
 */
@NullMarked
package dev.blobshuffle.core.settings;

import org.jspecify.annotations.NullMarked;
