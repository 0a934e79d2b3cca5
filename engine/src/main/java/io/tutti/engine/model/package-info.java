/** The architectures, one file each: reading the file is reading the model. */
package io.tutti.engine.model;
