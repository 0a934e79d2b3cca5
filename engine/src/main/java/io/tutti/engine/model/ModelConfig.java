package io.tutti.engine.model;

import io.tutti.engine.graph.Graph;
import io.tutti.engine.graph.Op.Embed;
import io.tutti.engine.model.Architecture.Plan;
import io.tutti.modelio.config.ConfigFile;
import io.tutti.modelio.config.GenerationConfig;
import io.tutti.modelio.config.JsonFields;
import io.tutti.modelio.config.TextConfig;
import io.tutti.modelio.config.TokenizerKind;
import io.tutti.modelio.weights.TiedHead;
import io.tutti.modelio.weights.Weights;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;

/** What config.json means, checked whole: everything in here is something that the engine runs. */
public final class ModelConfig {

    private final JsonFields fields;
    private final Architecture architecture;
    private final TextConfig text;
    private final boolean tied;
    private final Plan plan;

    private ModelConfig(JsonFields fields, Architecture architecture, TextConfig text, boolean tied, Plan plan) {
        this.fields = fields;
        this.architecture = architecture;
        this.text = text;
        this.tied = tied;
        this.plan = plan;
    }

    /**
     * Reads {@code dir}'s config.json, and its generation_config.json if there is one.
     *
     * @throws io.tutti.modelio.ModelException if a file is missing or malformed, or asks for what the engine cannot run
     */
    public static ModelConfig load(Path dir) {
        return loadAlone(dir).with(GenerationConfig.load(dir));
    }

    /**
     * Reads {@code dir}'s config.json alone, whatever end tokens a generation_config.json names.
     *
     * @throws io.tutti.modelio.ModelException as {@link #load}
     */
    public static ModelConfig loadAlone(Path dir) {
        JsonFields fields = ConfigFile.read(dir);
        Architecture architecture = Architectures.of(fields);
        TextConfig text = TextConfig.of(fields);
        boolean tied = architecture.isTied(fields);
        return new ModelConfig(fields, architecture, text, tied, architecture.plan(fields, tied));
    }

    /** This model with the first and end tokens of {@code generation}, where it names any. */
    public ModelConfig with(GenerationConfig generation) {
        return new ModelConfig(fields, architecture, text.with(generation), tied, plan);
    }

    /**
     * This model with a context of so many positions.
     *
     * @throws IllegalArgumentException if it is less than 1 or more than {@link #longestContext}
     */
    public ModelConfig withContext(int positions) {
        if (positions < 1 || positions > longestContext()) {
            throw new IllegalArgumentException(
                    "a context of " + positions + " positions; accepted: 1 to " + longestContext());
        }
        return with(new Plan(plan.graph(), plan.context().with(positions), plan.notes()));
    }

    /** This model as its weights have it: with an output projection of its own if they hold one that differs from the embedding. */
    public ModelConfig with(Weights weights) {
        if (!tied || weights.head().isTied()) {
            return this;
        }
        Plan untied = architecture.plan(fields, false);
        return new ModelConfig(
                fields, architecture, text, false, new Plan(untied.graph(), plan.context(), untied.notes()));
    }

    /** This model with another graph, for use within the engine. */
    public ModelConfig with(Graph graph) {
        return with(new Plan(graph, plan.context(), plan.notes()));
    }

    private ModelConfig with(Plan other) {
        return new ModelConfig(fields, architecture, text, tied, other);
    }

    /** What the model computes, with f32 activations. */
    public Graph graph() {
        return plan.graph();
    }

    /** What the files say of tokens and texts. */
    public TextConfig text() {
        return text;
    }

    /** config.json's model_type. */
    public String modelType() {
        return text.modelType();
    }

    public TokenizerKind tokenizer() {
        return text.tokenizer();
    }

    /** Rows of the embedding, and logits a position. */
    public int vocabSize() {
        return text.vocabSize();
    }

    /** The tokens that end a text; {@link TextConfig#eosTokenIds}. */
    public List<Integer> eosTokenIds() {
        return text.eosTokenIds();
    }

    /** The name of the file that names them. */
    public String eosFile() {
        return text.eosFile();
    }

    /** The token that starts a text, if one is named. */
    public OptionalInt bosTokenId() {
        return text.bosTokenId();
    }

    /** Whether the embedding is also the output projection. */
    public boolean tieWordEmbeddings() {
        return tied;
    }

    /** config.json's max_position_embeddings; how long a text may be is {@link #context}. */
    public int maxPositionEmbeddings() {
        return plan.context().given();
    }

    /** Positions that a text may have. */
    public int context() {
        return plan.context().positions();
    }

    /** The longest context that the positions are made for. */
    public int longestContext() {
        return plan.context().longest();
    }

    /** Where the context comes from, for messages. */
    public String contextSource() {
        return plan.context().source();
    }

    /** On what config.json says that is ignored, to be shown once the model has loaded. */
    public List<String> notes() {
        return plan.notes();
    }

    /** How the output projection and the embedding are called, and whether they are one. */
    public TiedHead.Names head() {
        String embedding = plan.graph().prologue().stream()
                .filter(Embed.class::isInstance)
                .map(op -> ((Embed) op).table().name())
                .findFirst()
                .orElseThrow();
        return new TiedHead.Names(embedding, Architecture.OUTPUT_PROJECTION, tied);
    }
}
