package io.tutti.jinja;

import java.time.DayOfWeek;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.TextStyle;
import java.time.temporal.ChronoField;
import java.time.temporal.IsoFields;
import java.util.Locale;

/** C's strftime for a date and time without a zone, in the C locale, with glibc's flags {@code - _ 0 ^ #}. */
final class Strftime {
    private Strftime() {}

    static String format(LocalDateTime time, String format) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < format.length(); i++) {
            char c = format.charAt(i);
            int at = i + 1;
            while (c == '%' && at < format.length() && "-_0^#".indexOf(format.charAt(at)) >= 0) {
                at++;
            }
            if (c != '%' || at >= format.length()) {
                out.append(c);
                continue;
            }
            String flags = format.substring(i + 1, at);
            String field = field(time, format.charAt(at));
            out.append(field == null ? format.substring(i, at + 1) : flagged(field, flags, format.charAt(at)));
            i = at;
        }
        return out.toString();
    }

    private static String flagged(String field, String flags, char directive) {
        boolean numeric = "CdeGgHIjklMmSUuVWwYy".indexOf(directive) >= 0;
        String text = field;
        for (int i = 0; i < flags.length(); i++) {
            text = switch (flags.charAt(i)) {
                case '^' -> text.toUpperCase(Locale.ROOT);
                case '#' -> directive == 'p' ? text.toLowerCase(Locale.ROOT) : text.toUpperCase(Locale.ROOT);
                case '-' -> numeric ? text.replaceFirst("^[0 ]+(?=.)", "") : text;
                case '_' -> numeric ? padded(text, ' ') : text;
                default -> numeric ? padded(text, '0') : text;
            };
        }
        return text;
    }

    private static String padded(String number, char pad) {
        String digits = number.replaceFirst("^[0 ]+(?=.)", "");
        return Character.toString(pad).repeat(number.length() - digits.length()) + digits;
    }

    /** What a directive stands for; null if it is none. */
    private static String field(LocalDateTime time, char directive) {
        int hour12 = time.get(ChronoField.CLOCK_HOUR_OF_AMPM);
        DayOfWeek day = time.getDayOfWeek();
        int sundayFirst = day.getValue() % 7;
        return switch (directive) {
            case 'a' -> day.getDisplayName(TextStyle.SHORT, Locale.ENGLISH);
            case 'A' -> day.getDisplayName(TextStyle.FULL, Locale.ENGLISH);
            case 'b', 'h' -> time.getMonth().getDisplayName(TextStyle.SHORT, Locale.ENGLISH);
            case 'B' -> time.getMonth().getDisplayName(TextStyle.FULL, Locale.ENGLISH);
            case 'c' -> format(time, "%a %b %e %H:%M:%S %Y");
            case 'C' -> number("%02d", time.getYear() / 100);
            case 'd' -> number("%02d", time.getDayOfMonth());
            case 'D', 'x' -> format(time, "%m/%d/%y");
            case 'e' -> number("%2d", time.getDayOfMonth());
            case 'f' -> number("%06d", time.getNano() / 1000);
            case 'F' -> format(time, "%Y-%m-%d");
            case 'g' -> number("%02d", time.get(IsoFields.WEEK_BASED_YEAR) % 100);
            case 'G' -> number("%d", time.get(IsoFields.WEEK_BASED_YEAR));
            case 'H' -> number("%02d", time.getHour());
            case 'I' -> number("%02d", hour12);
            case 'j' -> number("%03d", time.getDayOfYear());
            case 'k' -> number("%2d", time.getHour());
            case 'l' -> number("%2d", hour12);
            case 'm' -> number("%02d", time.getMonthValue());
            case 'M' -> number("%02d", time.getMinute());
            case 'n' -> "\n";
            case 'p' -> time.getHour() < 12 ? "AM" : "PM";
            case 'P' -> time.getHour() < 12 ? "am" : "pm";
            case 'r' -> format(time, "%I:%M:%S %p");
            case 'R' -> format(time, "%H:%M");
            case 's' -> Long.toString(time.toEpochSecond(ZoneOffset.UTC));
            case 'S' -> number("%02d", time.getSecond());
            case 't' -> "\t";
            case 'T', 'X' -> format(time, "%H:%M:%S");
            case 'u' -> number("%d", day.getValue());
            case 'U' -> number("%02d", (time.getDayOfYear() + 6 - sundayFirst) / 7);
            case 'V' -> number("%02d", time.get(IsoFields.WEEK_OF_WEEK_BASED_YEAR));
            case 'w' -> number("%d", sundayFirst);
            case 'W' -> number("%02d", (time.getDayOfYear() + 6 - (day.getValue() - 1)) / 7);
            case 'y' -> number("%02d", time.getYear() % 100);
            case 'Y' -> number("%d", time.getYear());
            case 'z', 'Z' -> "";
            case '%' -> "%";
            default -> null;
        };
    }

    private static String number(String format, int value) {
        return String.format(Locale.ROOT, format, value);
    }
}
