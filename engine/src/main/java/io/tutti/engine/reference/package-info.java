/** A backend made of the normative arithmetic, which every device is compared with. */
package io.tutti.engine.reference;
