package io.tutti.jinja;

/** Text marked as HTML by the filters safe and escape; any other text joined to it is escaped. */
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
