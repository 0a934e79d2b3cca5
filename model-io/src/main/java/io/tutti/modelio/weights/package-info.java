/** The weights of a model as an engine loads them: by name and shape, in the form that they are stored in. */
package io.tutti.modelio.weights;
