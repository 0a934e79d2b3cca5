/** How weights lie in memory, and what packs them so: backends share it. */
package io.tutti.engine.layout;
