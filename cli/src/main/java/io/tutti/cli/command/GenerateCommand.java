package io.tutti.cli.command;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tutti.chat.ChatTemplate;
import io.tutti.cli.chat.ChatTemplates;
import io.tutti.cli.chat.Conversation;
import io.tutti.cli.console.Console;
import io.tutti.cli.console.ExitCode;
import io.tutti.cli.console.InterruptedRunException;
import io.tutti.cli.console.InvalidOutput;
import io.tutti.cli.console.UsageException;
import io.tutti.cli.keep.KeptTokens.Search;
import io.tutti.cli.option.AloneOption;
import io.tutti.cli.option.ChatPromptOptions;
import io.tutti.cli.option.GenerationOptions;
import io.tutti.cli.option.ModelOption;
import io.tutti.cli.option.Prompt;
import io.tutti.cli.option.PromptOptions;
import io.tutti.cli.option.RunOptions;
import io.tutti.cli.option.SamplingOptions;
import io.tutti.engine.generate.GenerationListener;
import io.tutti.engine.generate.GenerationRequest;
import io.tutti.engine.generate.GenerationResult;
import io.tutti.engine.generate.GenerationResult.Finish;
import io.tutti.engine.generate.Generator;
import io.tutti.engine.runner.EngineConfig;
import io.tutti.engine.runner.WarmUp;
import io.tutti.modelio.config.ModelConfig;
import io.tutti.modelio.config.TokenizerKind;
import io.tutti.modelio.weights.StoredModel;
import io.tutti.sample.InvalidLogitsException;
import io.tutti.sample.SamplingParams;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Text, or tokens, from a model directory. */
@Command(
        name = "generate",
        customSynopsis = "tutti generate MODEL (--prompt TEXT | --prompt-file FILE | --tokens IDS) [OPTIONS]",
        header = "Continue a prompt.",
        description = {
            "The new text alone goes to standard output as it is made; notes and figures go to standard error.",
            "Without a tokenizer, token ids are printed. Ctrl-C ends the text where it is."
        },
        footer = {
            "",
            "Examples:",
            "  tutti generate my-model --prompt \"The capital of France is\" --max-tokens 20",
            "  tutti generate my-model --prompt-file story.txt --temperature 0.8 --top-p 0.95 --seed 7",
            "  tutti generate my-model --tokens 1,2,3 --json",
            "  tutti generate my-model --chat --prompt \"What is the capital of France?\""
        })
public final class GenerateCommand implements Callable<Integer> {

    private final Console console;

    @Mixin
    private ModelOption model;

    @Mixin
    private PromptOptions prompts;

    @Mixin
    private ChatPromptOptions chat;

    @Mixin
    private GenerationOptions generation;

    @Mixin
    private SamplingOptions sampling;

    @Mixin
    private RunOptions run;

    @Mixin
    private AloneOption alone;

    @Option(names = "--json", description = "Print one JSON object instead: tokens, logprobs, text and figures.")
    private boolean json;

    public GenerateCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        Path directory = model.path();
        chat.check(prompts);
        Sampling choice = Sampling.of(sampling, directory);
        StoredModel stored = choice.model();
        ModelConfig config = stored.config();
        requireTextForStops(config);
        Search kept = ReadyModel.search(stored, run, alone);
        try (WarmUp warmUp = ReadyModel.warmUp(kept, stored, run);
                EncodedPrompt prompt = EncodedPrompt.of(
                        prompt(directory), !generation.stopTexts().isEmpty(), directory, config)) {
            GenerationRequest request = request(prompt, choice.params(), config);
            int positions = positions(request, config.maxPositionEmbeddings());
            EngineConfig engine = run.engine(prompt.tokens().length, positions);
            try (ReadyModel ready = ReadyModel.open(kept, stored, engine, positions, run, console)) {
                warmUp.end();
                prompt.note().ifPresent(console::note);
                choice.notes().forEach(console::note);
                return generate(ready, prompt, request);
            } catch (InvalidLogitsException e) {
                throw InvalidOutput.refusal(directory, run.kv(), e);
            }
        }
    }

    private Prompt prompt(Path directory) {
        if (!chat.chat()) {
            return prompts.read(console);
        }
        ChatTemplate template = ChatTemplates.require(directory);
        Conversation conversation = Conversations.of(chat, console);
        List<String> options = new ArrayList<>(chat.givesMessages() ? List.of("--messages") : List.of());
        if (prompts.given() && prompts.read(console) instanceof Prompt.Text message) {
            conversation.ask(message.text());
            options.add(message.option());
        }
        if (!conversation.awaitsAnswer()) {
            throw new UsageException(
                    "--messages ends with no message to answer; accepted: a last message that is not the"
                            + " assistant's, or --prompt TEXT to go on with");
        }
        return new Prompt.Chat(
                String.join(" with ", options), template.render(conversation.messages(), true), template.place());
    }

    private void requireTextForStops(ModelConfig config) {
        if (!generation.stopTexts().isEmpty() && config.tokenizer() == TokenizerKind.NONE) {
            throw new UsageException(
                    "--stop needs a tokenizer, and the model has none; accepted: a model with tokenizer.json, or no --stop");
        }
    }

    private GenerationRequest request(EncodedPrompt prompt, SamplingParams params, ModelConfig config) {
        return new GenerationRequest(
                prompt.tokens(),
                generation.maxTokens(),
                params,
                sampling.seed(),
                generation.ignoreEos() ? List.of() : config.eosTokenIds(),
                generation.stopTexts(),
                json,
                run.chunk());
    }

    /** Positions of the cache that the run may fill: the last token chosen is never run. */
    static int positions(GenerationRequest request, int context) {
        int prompt = request.prompt().length;
        long asked = (long) prompt + request.maxTokens() - 1;
        return (int) Math.max(prompt, Math.min(asked, context - 1L));
    }

    private int generate(ReadyModel ready, EncodedPrompt prompt, GenerationRequest request) {
        Generator generator = new Generator(ready, prompt.tokenizer());
        Figures figures = new Figures(prompt.tokens().length, ready.loadNanos());
        GenerationResult result;
        if (json) {
            GenerationListener clock = new GenerationListener() {
                @Override
                public void token(int id, String text) {
                    figures.firstToken();
                }
            };
            result = generator.generate(request, clock, console.interrupts()::asked);
            if (result.finish() == Finish.CANCELLED) {
                throw new InterruptedRunException();
            }
            console.println(json(ready, request, result, figures).toString());
        } else {
            try (TextPrinter printer =
                    new TextPrinter(console, prompt.tokenizer().isPresent(), figures)) {
                result = generator.generate(
                        request, printer, () -> console.interrupts().asked() || console.closed());
            }
        }
        console.requireWritten();
        if (console.interrupts().asked()) {
            return ExitCode.INTERRUPTED;
        }
        if (!console.closed()) {
            if (result.finish() == Finish.LENGTH && result.tokens().length < request.maxTokens()) {
                console.note("the text ends since the context is full: " + ready.context()
                        + " tokens (max_position_embeddings)");
            }
            console.note(figures.line(result));
        }
        return ExitCode.DONE;
    }

    private ObjectNode json(ReadyModel ready, GenerationRequest request, GenerationResult result, Figures figures) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        addAll(object.putArray("prompt_tokens"), request.prompt());
        addAll(object.putArray("tokens"), result.tokens());
        ArrayNode logprobs = object.putArray("logprobs");
        for (double logprob : result.logprobs()) {
            logprobs.add(logprob);
        }
        object.put("text", result.text());
        object.put("finish_reason", result.finish().name().toLowerCase(Locale.ROOT));
        object.put("device", ready.device());
        object.put("seed", new BigInteger(Long.toUnsignedString(request.seed())));
        object.put("kv", run.kv().name().toLowerCase(Locale.ROOT));
        object.put("activations", run.activations().name().toLowerCase(Locale.ROOT));
        figures.addTo(object, result);
        return object;
    }

    private static void addAll(ArrayNode array, int[] values) {
        for (int value : values) {
            array.add(value);
        }
    }
}
