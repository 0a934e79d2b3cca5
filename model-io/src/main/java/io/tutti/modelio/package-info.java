/** config.json, safetensors, dtypes, int4 files and tokenizers. */
package io.tutti.modelio;
