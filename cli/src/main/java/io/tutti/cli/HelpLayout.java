package io.tutti.cli;

import io.tutti.cli.option.AloneOption;
import io.tutti.cli.option.AnswerOptions;
import io.tutti.cli.option.ChatOptions;
import io.tutti.cli.option.ChatPromptOptions;
import io.tutti.cli.option.CommonOptions;
import io.tutti.cli.option.ConversationOptions;
import io.tutti.cli.option.DevicesOption;
import io.tutti.cli.option.EndOptions;
import io.tutti.cli.option.EngineOptions;
import io.tutti.cli.option.GenerationOptions;
import io.tutti.cli.option.PromptOptions;
import io.tutti.cli.option.RunOptions;
import io.tutti.cli.option.SamplingOptions;
import java.lang.reflect.Member;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** Lists a command's options by subject, so that a newcomer finds the three that matter among twenty. */
final class HelpLayout {

    private static final String OWN = "Options";

    private static final String RUN = "Where and how it runs";

    private static final String END = "When the text ends";

    private static final String CHAT = "As a chat";

    private static final Map<Class<?>, String> HEADINGS = Map.ofEntries(
            Map.entry(PromptOptions.class, "The prompt, one of"),
            Map.entry(ConversationOptions.class, CHAT),
            Map.entry(ChatPromptOptions.class, CHAT),
            Map.entry(ChatOptions.class, CHAT),
            Map.entry(EndOptions.class, END),
            Map.entry(GenerationOptions.class, END),
            Map.entry(AnswerOptions.class, END),
            Map.entry(SamplingOptions.class, "How tokens are chosen"),
            Map.entry(RunOptions.class, RUN),
            Map.entry(AloneOption.class, RUN),
            Map.entry(DevicesOption.class, RUN),
            Map.entry(EngineOptions.class, RUN),
            Map.entry(CommonOptions.class, "Help"));

    private static final List<String> ORDER = List.of(
            HEADINGS.get(PromptOptions.class),
            CHAT,
            OWN,
            END,
            HEADINGS.get(SamplingOptions.class),
            RUN,
            HEADINGS.get(CommonOptions.class));

    private HelpLayout() {}

    static void apply(CommandLine command) {
        command.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, HelpLayout::options);
        command.getCommandSpec()
                .usageMessage()
                .synopsisHeading("%nUsage: ")
                .descriptionHeading("%n")
                .parameterListHeading("%n");
    }

    private static String options(Help help) {
        Map<String, List<OptionSpec>> bySubject = new LinkedHashMap<>();
        ORDER.forEach(heading -> bySubject.put(heading, new ArrayList<>()));
        for (OptionSpec option : help.commandSpec().options()) {
            if (!option.hidden()) {
                bySubject.get(heading(option)).add(option);
            }
        }
        StringBuilder text = new StringBuilder();
        bySubject.forEach((heading, options) -> {
            if (!options.isEmpty()) {
                text.append("%n%s:%n".formatted(heading)).append(help.optionListExcludingGroups(options));
            }
        });
        return text.toString();
    }

    private static String heading(OptionSpec option) {
        return option.userObject() instanceof Member member
                ? HEADINGS.getOrDefault(member.getDeclaringClass(), OWN)
                : OWN;
    }
}
