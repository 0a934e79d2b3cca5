/** What config.json and generation_config.json say of a model. */
package io.tutti.modelio.config;
