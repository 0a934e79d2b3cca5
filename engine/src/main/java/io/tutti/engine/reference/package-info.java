/** The normative arithmetic as plain Java, and a backend made of it: what every device is compared with. */
package io.tutti.engine.reference;
