package io.tutti.modelio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** What every refusal is: a {@link ModelException} with one line that names the matter. */
public final class Refusals {
    private Refusals() {}

    public static ModelException assertRefused(ThrowingCallable call, String... named) {
        Throwable thrown = catchThrowable(call);
        assertThat(thrown).isInstanceOf(ModelException.class);
        assertThat(thrown.getMessage())
                .contains(named)
                .doesNotContain("\n", "\r")
                .hasSizeLessThan(1000);
        return (ModelException) thrown;
    }
}
