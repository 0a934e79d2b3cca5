/** Files as such: output that appears whole or not at all, and what lies in place of a file by mistake. */
package io.tutti.modelio.files;
