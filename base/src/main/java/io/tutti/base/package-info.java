/** What every other module may use. */
package io.tutti.base;
