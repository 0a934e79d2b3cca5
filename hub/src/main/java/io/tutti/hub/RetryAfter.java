package io.tutti.hub;

import java.net.http.HttpHeaders;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How long a server asks to wait: Retry-After in seconds or as a date, else the reset of an exhausted RateLimit. */
final class RetryAfter {
    private static final Pattern SECONDS = Pattern.compile("\\d{1,9}");
    private static final Pattern EXHAUSTED = Pattern.compile(".*;\\s*r=0\\s*;\\s*t=(\\d{1,9}).*");

    private RetryAfter() {}

    static Optional<Duration> of(HttpHeaders headers) {
        Optional<String> value = headers.firstValue("Retry-After").map(String::strip);
        return value.isPresent()
                ? value.flatMap(RetryAfter::parse)
                : headers.firstValue("RateLimit")
                        .map(EXHAUSTED::matcher)
                        .filter(Matcher::matches)
                        .map(matcher -> Duration.ofSeconds(Long.parseLong(matcher.group(1))));
    }

    private static Optional<Duration> parse(String value) {
        if (SECONDS.matcher(value).matches()) {
            return Optional.of(Duration.ofSeconds(Long.parseLong(value)));
        }
        try {
            ZonedDateTime date = ZonedDateTime.parse(value, DateTimeFormatter.RFC_1123_DATE_TIME);
            Duration wait = Duration.between(ZonedDateTime.now(date.getZone()), date);
            return Optional.of(wait.isNegative() ? Duration.ZERO : wait);
        } catch (DateTimeParseException _) {
            return Optional.empty();
        }
    }
}
