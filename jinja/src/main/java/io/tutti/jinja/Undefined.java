package io.tutti.jinja;

/**
 * The value of a variable, attribute or element that does not exist. It prints as nothing, is false and has no elements;
 * any other use is an error.
 *
 * @param problem that error's message
 */
record Undefined(String problem) {
    static Undefined variable(String name) {
        return new Undefined(PythonText.quoted(name) + " is undefined");
    }

    /** {@code object} lacks the attribute or element {@code name}. */
    static Undefined in(Object object, Object name) {
        String type = object == null ? "None" : Types.name(object) + " object";
        return new Undefined(
                name instanceof String attribute
                        ? PythonText.quoted(type) + " has no attribute " + PythonText.quoted(attribute)
                        : type + " has no element " + PythonText.shortRepr(name));
    }

    /** {@code object} has the attribute {@code name}, but the sandbox withholds it. */
    static Undefined unsafe(Object object, String name) {
        return new Undefined("access to attribute " + PythonText.quoted(name) + " of "
                + PythonText.quoted(Types.name(object)) + " object is unsafe.");
    }

    JinjaException raised() {
        return new JinjaException(problem);
    }

    /** All undefined values are equal. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Undefined;
    }

    @Override
    public int hashCode() {
        return 1;
    }
}
