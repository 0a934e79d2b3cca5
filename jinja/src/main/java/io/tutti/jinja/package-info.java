/**
 * An interpreter for Jinja templates from strangers: it renders them inside limits, and a template reaches nothing but
 * its variables.
 *
 * <p>The language is that of Jinja2 3.1, on Python's values, with the settings of transformers' chat templates: an
 * immutable sandbox, trim_blocks, lstrip_blocks, break and continue, the generation tag, and the functions {@code
 * raise_exception} and {@code strftime_now}. Its sources are Jinja2's template designer documentation and the behaviour
 * of Jinja2 itself, which golden/vectors/chat-templates.json records.
 *
 * <p>A complete program:
 *
 * {@snippet :
 * import io.tutti.jinja.JinjaException;
 * import io.tutti.jinja.Limits;
 * import io.tutti.jinja.Template;
 *
 * void main() {
 *     try {
 *         Template template = Template.parse("{% for name in guests %}Hello, {{ name|title }}! {% endfor %}");
 *         Map<String, Object> variables = Map.of("guests", List.of("ada", "grace"));
 *         IO.println(template.render(variables, Clock.systemDefaultZone(), Limits.DEFAULT));
 *         IO.println(Template.parse("{{ host.name }}").render(variables, Clock.systemDefaultZone(), Limits.DEFAULT));
 *     } catch (JinjaException e) {
 *         IO.println("line " + e.line() + ": " + e.getMessage());
 *     }
 * }
 * }
 *
 * <p>It prints {@code Hello, Ada! Hello, Grace!} and then {@code line 1: 'host' is undefined}.
 *
 * <p>Inside, {@link io.tutti.jinja.Lexer} and {@link io.tutti.jinja.Parser} turn text into {@link
 * io.tutti.jinja.Statement}s of {@link io.tutti.jinja.Expression}s, which {@link io.tutti.jinja.Renderer} and {@link
 * io.tutti.jinja.Evaluator} execute. Python's values are Java's: None is null, a str is a {@code String}, an int a {@code
 * Long} or {@code BigInteger}, a float a {@code Double}, a list a {@code List}, a dict a {@code Map}; the others are
 * types of this package. Nothing is looked up by reflection.
 */
package io.tutti.jinja;
