package io.tutti.jinja;

/** Text that is marked as HTML (the filters safe and escape): what is added to it is escaped. */
record Markup(String text) {
    static Markup escaped(Object value, String text) {
        return value instanceof Markup markup ? markup : new Markup(escape(text));
    }

    static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("'", "&#39;")
                .replace("\"", "&#34;");
    }

    @Override
    public String toString() {
        return text;
    }
}
