package io.tutti.jinja;

/** What a template can call: a macro, a function, a method of a value. */
@FunctionalInterface
interface Callable {
    Object call(Arguments arguments);
}
