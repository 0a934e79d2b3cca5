/** The graph, the models, the host backend, the runner and the generation loop. */
package io.tutti.engine;
