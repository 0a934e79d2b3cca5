package io.tutti.cli.chat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jline.reader.impl.LineReaderImpl;
import org.jline.reader.impl.history.DefaultHistory;
import org.jline.terminal.Terminal;

/** Reads messages, and takes what is pasted as it is: tabs are tabs, and a line ends once, whatever system it comes from. */
final class MessageReader extends LineReaderImpl {

    private final List<String> pasted = new ArrayList<>();

    MessageReader(Terminal terminal, Map<String, Object> variables) {
        super(terminal, null, variables);
        setHistory(new DefaultHistory());
    }

    @Override
    public String readLine(String prompt) {
        pasted.clear();
        return super.readLine(prompt);
    }

    /** Whether {@code typed}, which was read last, contains several lines that were pasted at once. */
    boolean isPasted(String typed) {
        return pasted.stream().anyMatch(text -> text.contains("\n") && typed.contains(text));
    }

    /** A terminal may end a pasted line with CR, LF or both. */
    @Override
    public boolean beginPaste() {
        String text =
                doReadStringUntil(BRACKETED_PASTE_END).replace("\r\n", "\n").replace('\r', '\n');
        pasted.add(text.stripTrailing());
        regionActive = RegionType.PASTE;
        regionMark = getBuffer().cursor();
        getBuffer().write(text);
        return true;
    }

    /** Tab completes commands, and is a tab in a message: a terminal without brackets around a paste types it. */
    @Override
    protected boolean insertTab() {
        return !Draft.isCommand(getBuffer().toString());
    }
}
