package io.tutti.cli.option;

import io.tutti.cli.console.OneLine;
import io.tutti.cli.console.UsageException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The value of {@code --quant}. */
public final class QuantOption {

    private static final Pattern INT4 = Pattern.compile("int4:([0-9]+)");

    private QuantOption() {}

    /** The group of {@code int4:G}. */
    public static int group(String text) {
        Matcher matcher = INT4.matcher(text);
        if (!matcher.matches()) {
            throw UsageException.of(
                    "--quant", OneLine.quote(text), "int4:G with G columns to a group, such as int4:32");
        }
        return Numbers.positive("--quant int4:G, G", matcher.group(1));
    }
}
