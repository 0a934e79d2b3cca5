package io.tutti.hub;

import io.tutti.modelio.files.UserHome;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;

/**
 * The environment variables that huggingface_hub goes by, read as it reads them; an empty one counts as not set. What a
 * variable says is checked when it is asked for, so that finding a model does not fail for a token that it does not
 * need.
 */
public final class HubEnvironment {
    /** The model hub that names are looked up at, unless HF_ENDPOINT names another. */
    static final String DEFAULT_ENDPOINT = "https://huggingface.co";

    private static final String CACHE_VARIABLE = "XDG_CACHE_HOME";
    private static final String IN_HOME = ".cache/huggingface/";
    private static final Set<String> TRUE = Set.of("1", "ON", "YES", "TRUE");
    private static final Pattern VARIABLE = Pattern.compile("\\$(?:(\\w+)|\\{(\\w+)})");
    private static final Pattern TOKEN = Pattern.compile("[\\x21-\\x7e]+");

    private final Map<String, String> variables;
    private final UserHome home;

    public HubEnvironment(Map<String, String> variables, UserHome home) {
        this.variables = Map.copyOf(variables);
        this.home = home;
    }

    /** This process's. */
    public static HubEnvironment ofProcess() {
        return new HubEnvironment(System.getenv(), UserHome.ofProcess());
    }

    /**
     * Where models lie: HF_HUB_CACHE, else {@code hub} in HF_HOME, in XDG_CACHE_HOME/huggingface or in
     * ~/.cache/huggingface.
     *
     * @throws HubException if no variable names it, and neither the home nor the temporary folder can be written
     */
    public Path cache() {
        return first("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE")
                .or(() -> libraryFolder().map(folder -> folder.resolve("hub")))
                .or(() -> home.toRead(IN_HOME + "hub"))
                .orElseThrow(() -> new HubException("no place for models: " + home.nowhere(CACHE_VARIABLE)));
    }

    /** What to tell the user if the cache is not where it belongs. */
    public Optional<String> note() {
        return home.note(cache(), CACHE_VARIABLE);
    }

    /** The hub's address, without a slash at its end. */
    public URI endpoint() {
        String text = value("HF_ENDPOINT").orElse(DEFAULT_ENDPOINT).replaceFirst("/+$", "");
        if (text.indexOf('@') >= 0) {
            // Wherever it stands: what is before it may be a password, and messages show the address.
            throw new HubException("HF_ENDPOINT has an @, as after a user and a password; accepted: " + WebAddress.FORM
                    + ", and a token in HF_TOKEN");
        }
        try {
            URI uri = new URI(text);
            if (WebAddress.isOne(uri) && uri.getRawQuery() == null && uri.getRawFragment() == null) {
                return uri;
            }
        } catch (URISyntaxException _) {
            // Told below.
        }
        throw new HubException("HF_ENDPOINT is " + Text.quote(text) + "; accepted: " + WebAddress.FORM + ", such as "
                + DEFAULT_ENDPOINT);
    }

    /** The user's token: HF_TOKEN, else what the file HF_TOKEN_PATH (HF_HOME/token) holds; empty if there is none. */
    public Optional<String> token() {
        if (isTrue("HF_HUB_DISABLE_IMPLICIT_TOKEN")) {
            return Optional.empty();
        }
        for (String name : new String[] {"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"}) {
            Optional<String> token = value(name).map(String::strip).filter(text -> !text.isEmpty());
            if (token.isPresent()) {
                return Optional.of(requireToken(name, token.get()));
            }
        }
        return first("HF_TOKEN_PATH")
                .or(() -> libraryFolder().map(folder -> folder.resolve("token")))
                .or(() -> home.toRead(IN_HOME + "token"))
                .flatMap(HubEnvironment::readToken);
    }

    private static Optional<String> readToken(Path file) {
        try {
            String token = text(Files.readAllBytes(file)).strip();
            return token.isEmpty() ? Optional.empty() : Optional.of(requireToken(file.toString(), token));
        } catch (NoSuchFileException _) {
            return Optional.empty();
        } catch (IOException e) {
            throw new HubException(file + ": the token cannot be read; accepted: a text file, or HF_TOKEN", e);
        }
    }

    /** What requests go through. */
    Proxies proxies() {
        return new Proxies(variables);
    }

    /** Connections to servers whose certificates the user trusts. */
    SSLContext tls() {
        return TrustedCertificates.context(variables);
    }

    /** Whether nothing may be fetched. */
    public boolean offline() {
        return isTrue("HF_HUB_OFFLINE") || isTrue("TRANSFORMERS_OFFLINE");
    }

    /** Whether symbolic links may be made in the cache. */
    public boolean symbolicLinks() {
        return !isTrue("HF_HUB_DISABLE_SYMLINKS");
    }

    /** What an editor on Windows saves: UTF-8 or UTF-16 after a byte-order mark; else UTF-8. */
    private static String text(byte[] bytes) throws CharacterCodingException {
        Charset charset = startsWith(bytes, 0xFE, 0xFF) || startsWith(bytes, 0xFF, 0xFE)
                ? StandardCharsets.UTF_16
                : StandardCharsets.UTF_8;
        String text = charset.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        return text.startsWith("\uFEFF") ? text.substring(1) : text;
    }

    private static boolean startsWith(byte[] bytes, int first, int second) {
        return bytes.length >= 2 && (bytes[0] & 0xFF) == first && (bytes[1] & 0xFF) == second;
    }

    /** The folder of Hugging Face's libraries, if a variable says it. */
    private Optional<Path> libraryFolder() {
        return first("HF_HOME").or(() -> first(CACHE_VARIABLE).map(folder -> folder.resolve("huggingface")));
    }

    private Optional<String> value(String name) {
        return Optional.ofNullable(variables.get(name)).filter(text -> !text.isEmpty());
    }

    private boolean isTrue(String name) {
        return value(name)
                .filter(text -> TRUE.contains(text.toUpperCase(Locale.ROOT)))
                .isPresent();
    }

    /** The path in the first of these variables that is set. */
    private Optional<Path> first(String... names) {
        return Stream.of(names)
                .filter(name -> value(name).isPresent())
                .findFirst()
                .map(name -> path(name, variables.get(name)));
    }

    private Path path(String name, String text) {
        try {
            boolean inHome = text.equals("~") || text.startsWith("~/") || text.startsWith("~\\");
            if (inHome && home.path().isPresent()) {
                return home.path().get().resolve(expand(text.substring(Math.min(2, text.length()))));
            }
            return Path.of(expand(text));
        } catch (InvalidPathException e) {
            throw new HubException(
                    name + " is " + Text.quote(text) + "; accepted: a path that this system can have", e);
        }
    }

    /** {@code $NAME} and {@code ${NAME}}; one that is not set stays as it is. */
    private String expand(String text) {
        return VARIABLE.matcher(text)
                .replaceAll(match -> Matcher.quoteReplacement(variables.getOrDefault(
                        match.group(1) != null ? match.group(1) : match.group(2), match.group())));
    }

    /** It becomes a header, and is never shown. */
    private static String requireToken(String source, String token) {
        if (!TOKEN.matcher(token).matches()) {
            throw new HubException(source + " holds no token; accepted: one word, as the hub gives it");
        }
        return token;
    }
}
