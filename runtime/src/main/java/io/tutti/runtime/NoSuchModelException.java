package io.tutti.runtime;

import io.tutti.base.TuttiException;
import io.tutti.hub.ModelName;
import io.tutti.modelio.ModelException;

/** There is no directory of that name, and it cannot be the name of a model either. */
public final class NoSuchModelException extends TuttiException {
    private static final long serialVersionUID = 1;

    NoSuchModelException(String model) {
        super(ModelException.excerpt(model) + ": no such directory; accepted: a directory with config.json and"
                + " model.safetensors, or " + ModelName.FORM + " of a model in the Hugging Face cache");
    }
}
