"""Conversations that between them use what chat templates know: roles, turns, tools, parts, reasoning, awkward text."""


def function(name, description, properties, required):
    parameters = {"type": "object", "properties": properties, "required": required}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


def call(identity, name, arguments):
    return {"id": identity, "type": "function", "function": {"name": name, "arguments": arguments}}


def message(role, content, **fields):
    return {"role": role, "content": content, **fields}


WEATHER = function(
    "get_weather",
    "The weather at a place, e.g. \"Köln\".",
    {
        "place": {"type": "string", "description": "A city's name"},
        "unit": {"type": "string", "enum": ["celsius", "fahrenheit"], "default": "celsius"},
    },
    ["place"],
)
SEARCH = function(
    "search",
    "Looks something up\nin a library.",
    {
        "query": {"type": "string"},
        "limit": {"type": "integer", "minimum": 1, "description": "How many at most"},
        "exact": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "range": {
            "type": "object",
            "properties": {"from": {"type": "number"}, "to": {"type": ["number", "null"]}},
            "required": ["from"],
        },
    },
    ["query", "tags"],
)

SYSTEM = message("system", "You are terse.")
AWKWARD = (
    "  Zürich 東京 🎉 \"double\" 'single' \\back\\slash & <b>tags</b> {{ no }} {% code %} {# here #}\n"
    "\tA tab, a\u00a0space,\r\na line of Windows, \u2028 a separator.\n\n"
)

CONVERSATIONS = {
    "user": {"messages": [message("user", "What is the capital of France?")]},
    "system": {"messages": [SYSTEM, message("user", "What is the capital of France?")]},
    "turns": {
        "messages": [
            message("user", "Hi"),
            message("assistant", "Hello! How can I help?"),
            message("user", "Name a colour."),
            message("assistant", "Blue."),
            message("user", "Another."),
        ]
    },
    "system-turns": {
        "messages": [
            SYSTEM,
            message("user", "Hi"),
            message("assistant", "Hello! How can I help?"),
            message("user", "Name a colour."),
        ]
    },
    "finished": {
        "messages": [message("user", "Say yes."), message("assistant", " Yes.\n")],
        "add_generation_prompt": False,
    },
    "awkward": {
        "messages": [
            message("system", AWKWARD),
            message("user", AWKWARD),
            message("assistant", AWKWARD),
            message("user", ""),
        ]
    },
    "tools-offered": {"messages": [SYSTEM, message("user", "Weather in Paris?")], "tools": [WEATHER, SEARCH]},
    "tools-used": {
        "messages": [
            SYSTEM,
            message("user", "Weather in Paris?"),
            message("assistant", "", tool_calls=[call("abcdef123", "get_weather", {"place": "Paris", "unit": "celsius"})]),
            message("tool", "{\"temperature\": 21.5, \"sky\": \"clear\"}", tool_call_id="abcdef123", name="get_weather"),
            message("assistant", "21.5 degrees and clear."),
            message("user", "Thanks!"),
        ],
        "tools": [WEATHER],
    },
    "tools-parallel": {
        "messages": [
            message("user", "Compare Paris and Köln."),
            message(
                "assistant",
                None,
                tool_calls=[
                    call("abcdef123", "get_weather", {"place": "Paris"}),
                    call("ghijkl456", "search", {"query": "Köln \"Dom\"", "limit": 3, "exact": True, "tags": ["a", "b"],
                                                 "range": {"from": 0.5, "to": None}}),
                ],
            ),
            message("tool", "sun", tool_call_id="abcdef123", name="get_weather"),
            message("tool", "rain\n", tool_call_id="ghijkl456", name="search"),
        ],
        "tools": [WEATHER, SEARCH],
    },
    "reasoning": {
        "messages": [
            message("user", "2 + 2?"),
            message("assistant", "4", reasoning_content="Two and two\nmake four."),
            message("user", "And 3 + 3?"),
            message("assistant", "<think>\nThree and three.\n</think>\n\n6"),
            message("user", "And then?"),
        ],
        "variables": {"enable_thinking": True},
    },
    "reasoning-tools": {
        "messages": [
            SYSTEM,
            message("user", "Weather?"),
            message(
                "assistant",
                "Let me look.",
                reasoning_content="A tool helps.",
                tool_calls=[call("abcdef123", "get_weather", {"place": "Rome"})],
            ),
            message("tool", "hot", tool_call_id="abcdef123", name="get_weather"),
            message("assistant", "It is hot.", reasoning_content="The tool says so."),
        ],
        "tools": [WEATHER],
        "add_generation_prompt": False,
    },
    "no-thinking": {
        "messages": [SYSTEM, message("user", "Quick: 2 + 2?")],
        "variables": {"enable_thinking": False, "thinking": False, "reasoning_effort": "low"},
    },
    "parts": {
        "messages": [
            message("system", [{"type": "text", "text": "You are terse."}]),
            message("user", [{"type": "text", "text": "Hi, "}, {"type": "text", "text": "you."}]),
            message("assistant", [{"type": "text", "text": "Hello."}]),
            message("user", [{"type": "text", "text": "Bye."}]),
        ]
    },
    "developer": {
        "messages": [message("developer", "Be kind."), message("user", "Hi"), message("assistant", "Hello"),
                     message("user", "Go on")],
    },
}
