/** Files and directories that appear whole or not at all. */
package io.tutti.modelio.files;
