package dev.blobshuffle.messaging.differential;

import java.util.List;

/** A generated program. */
record Program(Setup setup, List<Step> steps) {
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(setup.toString());
        steps.forEach(step -> text.append("\n  ").append(step));
        return text.toString();
    }
}
