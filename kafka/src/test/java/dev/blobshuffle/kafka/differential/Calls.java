package dev.blobshuffle.kafka.differential;

import java.util.ArrayList;
import java.util.List;

/** The outcomes of several calls of one step. */
final class Calls {
    private final List<String> outcomes = new ArrayList<>();

    interface Call {
        Object run() throws Exception;
    }

    interface Effect {
        void run() throws Exception;
    }

    Calls value(Call call) {
        outcomes.add(Outcome.of(() -> String.valueOf(call.run())));
        return this;
    }

    Calls effect(Effect call) {
        outcomes.add(Outcome.of(() -> {
            call.run();
            return "ok";
        }));
        return this;
    }

    @Override
    public String toString() {
        return String.join(", ", outcomes);
    }
}
