/**
 * Jinja as chat templates use it: Jinja2's language on Python's values, in the immutable sandbox that transformers runs
 * them in (trim_blocks, lstrip_blocks, break and continue, the generation tag). The sources of the language are Jinja2
 * 3.1's template designer documentation and the behaviour of Jinja2 3.1 itself, which golden/vectors/chat-templates.json holds.
 *
 * <p>From text to text: {@link io.tutti.chat.jinja.Lexer} and {@link io.tutti.chat.jinja.Parser} make {@link
 * io.tutti.chat.jinja.Statement}s of {@link io.tutti.chat.jinja.Expression}s, {@link io.tutti.chat.jinja.Renderer} and
 * {@link io.tutti.chat.jinja.Evaluator} carry them out. Python's values are Java's: None is null, a str {@code String},
 * an int {@code Long} or {@code BigInteger}, a float {@code Double}, a list {@code List}, a dict {@code Map}; the rest
 * are types of this package. Nothing is looked up by reflection, so a template reaches what is written here and no more.
 */
package io.tutti.chat.jinja;
