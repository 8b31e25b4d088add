import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** Runs the tests of one class; exits with 1 if one failed, with 2 if none ran. */
public final class RunTest {
    public static void main(String[] arguments) {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClass(arguments[0]))
                .build();
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        Launcher launcher = LauncherFactory.create();
        launcher.execute(request, listener);
        var summary = listener.getSummary();
        summary.getFailures()
                .forEach(one -> System.out.println(
                        "failed: " + one.getTestIdentifier().getDisplayName() + ": " + one.getException()));
        System.exit(summary.getTestsFoundCount() == 0 ? 2 : summary.getTotalFailureCount() > 0 ? 1 : 0);
    }
}
