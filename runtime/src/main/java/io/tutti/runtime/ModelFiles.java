package io.tutti.runtime;

import io.tutti.chat.ChatTemplate;
import io.tutti.engine.backend.Devices;
import io.tutti.engine.host.VectorApi;
import io.tutti.engine.host.warmup.WarmUp;
import io.tutti.engine.model.ModelConfig;
import io.tutti.engine.model.StoredModel;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.engine.runner.EngineException;
import io.tutti.modelio.ModelException;
import io.tutti.modelio.config.GenerationConfig;
import io.tutti.modelio.config.TokenizerKind;
import io.tutti.modelio.tokenizer.Ends;
import io.tutti.modelio.tokenizer.LlamaPipeline;
import io.tutti.modelio.tokenizer.Tokenizer;
import io.tutti.modelio.tokenizer.Tokenizers;
import io.tutti.modelio.weights.Weights;
import io.tutti.tornado.config.JvmOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A model's files, without its weights: config.json, generation_config.json, and, once they are asked for, tokenizer and chat
 * template. They are enough to prepare a request before the model has loaded. Threads may share them.
 */
public final class ModelFiles implements AutoCloseable {

    private final StoredModel stored;
    private final GenerationConfig generationConfig;
    private final LlamaPipeline pipeline;
    private final List<String> tokenizerNotes = new ArrayList<>();
    private Optional<Tokenizer> tokenizer = Optional.empty();
    private Optional<ChatTemplate> template = Optional.empty();

    private ModelFiles(StoredModel stored, GenerationConfig generationConfig, LlamaPipeline pipeline) {
        this.stored = stored;
        this.generationConfig = generationConfig;
        this.pipeline = pipeline;
    }

    /**
     * Reads config.json and generation_config.json in {@code directory}.
     *
     * @throws ModelException if a file is refused
     */
    public static ModelFiles open(Path directory) {
        return open(directory, true);
    }

    /**
     * Reads config.json in {@code directory}.
     *
     * @param defaults whether generation_config.json counts, with its end tokens
     * @throws ModelException if a file is refused
     */
    public static ModelFiles open(Path directory, boolean defaults) {
        ModelConfig alone = ModelConfig.loadAlone(directory);
        GenerationConfig file = defaults ? GenerationConfig.load(directory) : GenerationConfig.absent(directory);
        return new ModelFiles(new StoredModel(directory, alone.with(file)), file, LlamaPipeline.LEGACY);
    }

    /**
     * The same files with a context of so many positions. The tokenizer is opened anew.
     *
     * @throws EngineException if the model's positions do not reach so far
     */
    public ModelFiles withContext(int positions) {
        int longest = config().longestContext();
        if (positions < 1 || positions > longest) {
            throw new EngineException("context is " + positions + "; accepted: 1 to " + longest
                    + ", for which the positions of " + directory() + " are made");
        }
        return new ModelFiles(stored.withContext(positions), generationConfig, pipeline);
    }

    /** The same files with this pipeline for the text of a LlamaTokenizer. The tokenizer is opened anew. */
    public ModelFiles withPipeline(LlamaPipeline value) {
        return new ModelFiles(stored, generationConfig, value);
    }

    public Path directory() {
        return stored.directory();
    }

    public ModelConfig config() {
        return stored.config();
    }

    /** What generation_config.json says, or nothing where it does not count. */
    public GenerationConfig generationConfig() {
        return generationConfig;
    }

    /** The headers of the weights, of which none has been asked for yet. */
    public Weights weights() {
        return stored.weights();
    }

    /** The files as the engine loads them. */
    StoredModel stored() {
        return stored;
    }

    /** Whether text can be encoded and decoded, as far as config.json and the names of the files tell. */
    public boolean hasTokenizer() {
        return config().tokenizer() != TokenizerKind.NONE;
    }

    /**
     * The tokenizer.
     *
     * @throws ModelException if there is none, or it is refused
     */
    public synchronized Tokenizer tokenizer() {
        if (tokenizer.isEmpty()) {
            Tokenizer opened = Tokenizers.open(directory(), config().text(), pipeline);
            tokenizer = Optional.of(opened);
            tokenizerNotes.clear();
            tokenizerNotes.addAll(opened.notes());
        }
        return tokenizer.get();
    }

    /** The tokenizer, if there is one that can be used; if it is refused, a note says why. Token ids need none. */
    public synchronized Optional<Tokenizer> usableTokenizer() {
        if (tokenizer.isPresent() || !hasTokenizer()) {
            return tokenizer;
        }
        try {
            return Optional.of(tokenizer());
        } catch (ModelException e) {
            tokenizerNotes.clear();
            tokenizerNotes.add("token ids in place of text: " + e.getMessage());
            return Optional.empty();
        }
    }

    /** What is odd about the tokenizer, or why there is no text although the model has one. */
    public synchronized List<String> tokenizerNotes() {
        return List.copyOf(tokenizerNotes);
    }

    /**
     * The chat template, if there is one.
     *
     * @throws ModelException if its file cannot be read
     */
    public synchronized Optional<ChatTemplate> chatTemplate() {
        if (template.isEmpty()) {
            template = ChatTemplate.find(directory());
        }
        return template;
    }

    /**
     * The tokens of {@code text}.
     *
     * @param addSpecial whether to add the special tokens that the tokenizer puts around a prompt; what a chat template
     *     has rendered holds its own
     * @throws PromptException if it has no tokens, or more than the context
     * @throws ModelException if the tokenizer is refused, or has no token for something in the text
     */
    public int[] encode(String text, boolean addSpecial) {
        Tokenizer encoder = tokenizer();
        // Encoding what is certainly too long would take long too.
        long least = encoder.leastTokens(text);
        if (least > config().context()) {
            throw tooLong("at least " + least);
        }
        return checked(encoder.encode(text, addSpecial));
    }

    /**
     * These token ids.
     *
     * @throws PromptException if there are none, or more than the context, or one is not in the vocabulary
     */
    public int[] checked(int[] tokens) {
        if (tokens.length == 0) {
            throw PromptException.empty();
        }
        int vocab = config().vocabSize();
        for (int i = 0; i < tokens.length; i++) {
            if (tokens[i] < 0 || tokens[i] >= vocab) {
                throw PromptException.unknownToken(tokens[i], i, vocab, directory());
            }
        }
        if (tokens.length > config().context()) {
            throw tooLong(String.valueOf(tokens.length));
        }
        return tokens;
    }

    private PromptException tooLong(String tokens) {
        return PromptException.tooLong(tokens, config().context(), "the context of " + directory());
    }

    /** What ends a text: the end tokens of config.json, generation_config.json and, once it is open, the tokenizer. */
    public synchronized Ends ends() {
        return Ends.of(directory(), config().text(), tokenizer);
    }

    /**
     * What ends an answer: what ends a text, and what the chat template writes after one.
     *
     * @param variables further variables of the template
     */
    public Ends answerEnds(Map<String, Object> variables) {
        return AnswerEnds.of(directory(), config(), tokenizer(), requireChatTemplate(), variables);
    }

    ChatTemplate requireChatTemplate() {
        return chatTemplate()
                .orElseThrow(() -> ModelException.of(
                        directory(),
                        "has no chat template; accepted: a model with chat_template.jinja or with chat_template in"
                                + " tokenizer_config.json"));
    }

    /**
     * Begins to warm up the kernels if the host will run the model; the caller ends it when the model has loaded.
     *
     * @param device the name of the device that will run, or {@code auto}
     * @param engine how it will run; the size of its cache does not matter
     */
    public WarmUp warmUp(String device, EngineConfig engine) {
        boolean host = device.equals(Devices.HOST) || !JvmOptions.inForce();
        return host && VectorApi.PRESENT ? WarmUp.begin(stored, engine) : WarmUp.none();
    }

    /** Closes the tokenizer. */
    @Override
    public synchronized void close() {
        tokenizer.ifPresent(Tokenizer::close);
        tokenizer = Optional.empty();
    }
}
