/** Language models in a Java program: {@link io.tutti.runtime.Model} opens one. */
package io.tutti.runtime;
