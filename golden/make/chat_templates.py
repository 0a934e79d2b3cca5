"""Chat templates of our own, and what transformers' sandbox of Jinja2 renders them to: golden/vectors/chat-templates.json.

A case is a template, its variables and the outcome: a text, or an error's type and message. The clock stands still.
"""
import datetime

import io_json

NOW = datetime.datetime(2024, 2, 3, 4, 5, 6)

VARIABLES = {
    'n': 7,
    'big': 2**70,
    'x': 2.5,
    'yes': True,
    'no': False,
    'nothing': None,
    'word': 'Hello, World',
    'spaced': '  \t two  words\n ',
    'unicode': 'Zürich ß 東京 🎉🎈 ǆ',
    'quotes': 'it\'s "so" \\ <b>&amp;</b>\n',
    'lines': 'one\ntwo\r\n\nfour\n',
    'csv': 'a,b,,c,',
    'empty': '',
    'list': [3, 1, 2],
    'names': ['bob', 'Alice', 'carol', 'alice'],
    'nested': [1, [2, [3, None]], {'k': 'v'}],
    'record': {'b': 1, 'a': 'x', 'C': None, 'items': 'shadowed'},
    'people': [
        {'name': 'Ann', 'age': 30, 'tags': ['x', 'y']},
        {'name': 'Ben', 'age': 25, 'tags': []},
        {'name': 'Cid', 'age': 30, 'city': {'name': 'Rome'}},
    ],
    'messages': [
        {'role': 'system', 'content': 'Be kind.'},
        {'role': 'user', 'content': 'Hi!'},
        {'role': 'assistant', 'content': 'Hello.', 'tool_calls': [{'function': {'name': 'f', 'arguments': {'a': 1}}}]},
        {'role': 'user', 'content': [{'type': 'text', 'text': 'Go on'}]},
    ],
}

# A line each is one template, but for those that need more lines.
LINES = {
    'literals': r'''
        {{ 1 }} {{ 1_000 }} {{ 0x1F }} {{ 0o17 }} {{ 0b101 }} {{ 1.5 }} {{ 1e3 }} {{ 2.5E-7 }} {{ 1_0.5 }}
        {{ true }} {{ True }} {{ false }} {{ none }} {{ None }}
        {{ 'a' "b" 'c' }}
        {{ 'tab\there\nline \\ \' \" \x41 \u00e9 \U0001F389 \101 \d \N{BULLET}' }}
        {{ [1, 'a', none, true, 1.0, [], {}, (), (1,), (1, 2)] }}
        {{ {'a': 1, 'b': {'c': [2]}} }}
        {{ {'a': {'b': {'c': 1}}}}}
        {{ [1, 2,] }} {{ {'a': 1,} }} {{ (1, 2,) }}
        {{ 1, 2 }}
        {{ "it's" }} {{ ["it's", 'say "hi"', 'both \' and "', 'back\\slash', 'new\nline', '\u00a0\u2028\u200b\x7f'] }}
        {{ ['🎉', 'é', '\ud7ff'] }}
    ''',
    'numbers': r'''
        {{ 7 / 2 }} {{ 7 // 2 }} {{ -7 // 2 }} {{ 7 % 3 }} {{ -7 % 3 }} {{ 7 % -3 }} {{ 2 ** 10 }} {{ 2 ** -1 }}
        {{ 7.5 // 2 }} {{ -7.5 // 2 }} {{ 7.5 % 2 }} {{ -7.5 % 2 }} {{ 7.5 % -2 }} {{ 6 / 3 }} {{ 0.1 + 0.2 }}
        {{ 9223372036854775807 + 1 }} {{ -9223372036854775808 - 1 }} {{ 9223372036854775807 * 2 }} {{ big }} {{ big * big }} {{ -big // 3 }} {{ big % 1000 }}
        {{ 1e15 }} {{ 1e16 }} {{ 123456789012345678.0 }} {{ 0.0001 }} {{ 0.00001 }} {{ 1.0 }} {{ -0.0 }} {{ 1e100 }} {{ 3.14159 }} {{ 1e400 }} {{ -1e400 }}
        {{ -n }} {{ +n }} {{ -x }} {{ - - n }} {{ -true }} {{ 2 - -2 }} {{ -2 ** 2 }} {{ 2 ** 3 ** 2 }}
        {{ 1 + 2 * 3 - 4 / 2 }} {{ (1 + 2) * 3 }} {{ 10 - 3 - 2 }} {{ 2 * 3 % 4 }} {{ true + true }}
        {{ 1 / 0 }}
        {{ 1 // 0 }}
        {{ 1 % 0 }}
        {{ 1.5 / 0 }}
        {{ n|abs }} {{ (-n)|abs }} {{ -x|abs }} {{ (-x)|abs }}
        {{ 2.5|round }} {{ 3.5|round }} {{ 2.567|round(2) }} {{ 2.561|round(2, 'ceil') }} {{ 2.569|round(2, 'floor') }} {{ 7|round }} {{ 1234|round(-2) }} {{ 2.5|round|int }} {{ 2.675|round(2) }}
        {{ '42'|int }} {{ ' 4_2 '|int }} {{ '4.7'|int }} {{ 'x'|int }} {{ 'x'|int(9) }} {{ '0x1F'|int(base=16) }} {{ '11'|int(0, 2) }} {{ 4.9|int }} {{ -4.9|int }} {{ none|int }} {{ true|int }} {{ '-5'|int }} {{ '1e3'|int }}
        {{ '4.5'|float }} {{ 4|float }} {{ 'x'|float }} {{ 'x'|float(1.5) }} {{ 'inf'|float }} {{ '1e3'|float }} {{ ' 2 '|float }}
        {{ 5 is odd }} {{ 4 is even }} {{ 9 is divisibleby 3 }} {{ 9 is divisibleby(2) }} {{ 5 is not odd }}
    ''',
    'comparisons': r'''
        {{ 1 == 1.0 }} {{ 1 == true }} {{ 1 == '1' }} {{ '1' != 1 }} {{ none == none }} {{ none == false }} {{ missing == missing2 }} {{ missing == none }} {{ missing == '' }}
        {{ [1, 2] == [1, 2] }} {{ [1] == (1,) }} {{ {'a': 1} == {'a': 1.0} }} {{ (1, 2) == (1, 2) }} {{ [1, [2]] != [1, [3]] }} {{ range(3) == [0, 1, 2] }}
        {{ 1 < 2 < 3 }} {{ 1 < 3 < 2 }} {{ 3 > 2 >= 2 }} {{ 'a' < 'b' }} {{ 'Z' < 'a' }} {{ [1, 2] < [1, 3] }} {{ (1,) < (1, 0) }} {{ '🎉' > '\uffff' }} {{ 1 < 1.5 }}
        {{ 1 < 'a' }}
        {{ none < 1 }}
        {{ missing < 1 }}
        {{ 'ell' in 'Hello' }} {{ '' in 'a' }} {{ 1 in [1, 2] }} {{ 1.0 in [1] }} {{ 'a' in {'a': 1} }} {{ 3 not in (1, 2) }} {{ 2 in range(3) }} {{ 'x' in missing }} {{ 'b' in record.keys() }}
        {{ 1 in 'a' }}
        {{ 1 in none }}
        {{ 1 in 5 }}
        {{ not 1 == 2 }} {{ not true and false }} {{ not not n }} {{ true or false and false }} {{ 1 and 0 or 5 }} {{ '' or 'b' }} {{ none and 1 }} {{ [] or {} }}
        {{ not n is string }} {{ not n in list }} {{ not (n is number) }} {{ n is not none and n is not string }}
        {{ 1 if yes else 2 }} {{ 1 if no else 2 }} {{ 1 if no }}| {{ 'a' if no else 'b' if no else 'c' }} {{ (1 if no) is defined }}
        {{ n == 7 if n is defined else 'x' }} {{ 1 if n > 5 and n < 9 else 2 }}
    ''',
    'tests': r'''
        {{ n is defined }} {{ m is defined }} {{ m is undefined }} {{ nothing is defined }} {{ nothing is none }} {{ m is none }} {{ record.zzz is defined }} {{ record.b is defined }} {{ record['q'] is undefined }}
        {{ yes is boolean }} {{ 1 is boolean }} {{ yes is true }} {{ 1 is true }} {{ no is false }} {{ 0 is false }} {{ none is false }}
        {{ 1 is integer }} {{ true is integer }} {{ 1.0 is integer }} {{ 1.0 is float }} {{ 1 is float }} {{ 1 is number }} {{ 1.5 is number }} {{ true is number }} {{ '1' is number }}
        {{ 'a' is string }} {{ 1 is string }} {{ none is string }} {{ m is string }} {{ record is mapping }} {{ list is mapping }} {{ namespace() is mapping }}
        {{ list is sequence }} {{ 'a' is sequence }} {{ record is sequence }} {{ 1 is sequence }} {{ none is sequence }} {{ m is sequence }} {{ (1,) is sequence }} {{ range(2) is sequence }} {{ list|map('string') is sequence }}
        {{ list is iterable }} {{ 'a' is iterable }} {{ record is iterable }} {{ 1 is iterable }} {{ none is iterable }} {{ m is iterable }} {{ list|map('string') is iterable }}
        {{ range is callable }} {{ 'a'.upper is callable }} {{ 1 is callable }} {{ m is callable }}
        {{ 1 is sameas 1 }} {{ true is sameas true }} {{ 1 is sameas true }} {{ none is sameas none }} {{ [] is sameas [] }}
        {{ 1 is eq 1 }} {{ 1 is equalto 2 }} {{ 1 is ne 2 }} {{ 1 is lt 2 }} {{ 1 is gt(2) }} {{ 1 is le 1 }} {{ 1 is ge 1 }} {{ 2 is greaterthan 1 }} {{ 1 is lessthan 2 }} {{ 1 is in [1] }} {{ 'a' is in 'abc' }}
        {{ 'abc' is lower }} {{ 'aBc' is lower }} {{ 'ABC' is upper }} {{ '1' is upper }} {{ 'A1' is upper }}
        {{ 'upper' is filter }} {{ 'nope' is filter }} {{ 'odd' is test }} {{ 'nope' is test }} {{ 'a'|safe is escaped }} {{ 'a' is escaped }}
        {{ 1 is nosuchtest }}
        {{ 'a' is odd }}
        {{ n is number and n is not string or false }}
    ''',
    'attributes': r'''
        {{ record.b }} {{ record['a'] }} {{ record.C }} {{ record['items'] }} {{ record.items is callable }} {{ people[0].name }} {{ people[2]['city'].name }} {{ people.0.age }} {{ nested.1.1.0 }}
        {{ m }} {{ record.zzz }} {{ list[9] }} {{ list[-1] }} {{ list[-9] }} {{ list['a'] }} {{ word[0] }} {{ word[-1] }} {{ word[99] }} {{ unicode[13] }} {{ none.a }} {{ none['a'] }} {{ n.a }} {{ list[1.0] }} {{ list[true] }}
        {{ m.a }}
        {{ m['a'] }}
        {{ record.zzz.b }}
        {{ people[9].name }}
        {{ none.a.b }}
        {{ m() }}
        {{ n() }}
        {{ record.b() }}
        {{ list[1:] }} {{ list[:-1] }} {{ list[::-1] }} {{ list[::2] }} {{ list[5:] }} {{ list[-2:] }} {{ list[:] }} {{ list[2:0:-1] }} {{ list[n:] }} {{ list[:n - 5] }} {{ list[-100:100] }}
        {{ word[1:4] }} {{ word[::-1] }} {{ word[-5:] }} {{ word[:100] }} {{ word[::3] }} {{ unicode[12:14] }} {{ unicode[::-1] }} {{ unicode[-3:] }} {{ (1, 2, 3)[1:] }} {{ range(10)[2:5]|list }} {{ messages[1:][0].content }}
        {{ list[none:none] }} {{ list[0:2][0] }} {{ word[0:(n - 2)] }} {{ list[list|length - 1] }}
        {{ list[::0] }}
        {{ nothing[1:] }}
        {{ m[1:] }}
        {{ n[1:] }}
        {{ list['a':] }}
        {{ record.get('a') }} {{ record.get('q') }} {{ record.get('q', 'z') }} {{ record.get('C', 1) }} {{ record.keys()|list }} {{ record.values()|list }} {{ record.items()|list }} {{ record.copy() }} {{ record.items()|length }} {{ record.keys() }}
        {{ list.count(1) }} {{ list.index(2) }} {{ list.copy() }} {{ (1, 1).count(1) }} {{ x.is_integer() }} {{ 2.0.is_integer() }}
        {{ list.append(4) }}
        {{ list.append }}|{{ record.update }}|{{ record.pop is defined }}|{{ record.clear is undefined }}
        {{ record.update({'a': 1}) }}
        {{ word.__class__ }}|{{ list.__init__ is defined }}
        {{ word.__class__.__mro__ }}
        {{ record['__class__'] }}
        {{ word.nosuch() }}
        {{ record.items()[0] }}
    ''',
    'strings': r'''
        {{ 'a' + 'b' }} {{ 'a' * 3 }} {{ 3 * 'ab' }} {{ 'a' * -1 }}| {{ 'a' ~ 1 ~ none ~ true ~ 1.0 ~ [1] ~ m }}
        {{ 'a' + 1 }}
        {{ 1 + 'a' }}
        {{ 'a' + none }}
        {{ 'a' + m }}
        {{ m + 'a' }}
        {{ 'a' + list }}
        {{ 'a' - 'b' }}
        {{ '|' ~ spaced.strip() ~ '|' ~ spaced.lstrip() ~ '|' ~ spaced.rstrip() ~ '|' }}
        {{ 'xxhixx'.strip('x') }} {{ 'abcba'.lstrip('ab') }} {{ 'abcba'.rstrip('ab') }} {{ 'abc'.strip('') }} {{ '\n a \n'.strip('\n') }} {{ 'a'.strip(none) }}
        {{ csv.split(',') }} {{ csv.split(',', 1) }} {{ csv.split(',', maxsplit=2) }} {{ csv.rsplit(',', 1) }} {{ csv.rsplit(',') }} {{ spaced.split() }} {{ spaced.split(none, 1) }} {{ spaced.rsplit(maxsplit=1) }} {{ ''.split() }} {{ ''.split(',') }} {{ 'a--b'.split('--') }} {{ 'aXbX'.split('X')[-1] }}
        {{ 'a'.split('') }}
        {{ lines.splitlines() }} {{ lines.splitlines(true) }} {{ ''.splitlines() }} {{ 'a\x0bb\u2028c'.splitlines() }}
        {{ word.startswith('Hell') }} {{ word.endswith('ld') }} {{ word.startswith(('x', 'H')) }} {{ word.endswith(('x', 'y')) }} {{ word.startswith('W', 7) }} {{ word.startswith('') }}
        {{ word.startswith(1) }}
        {{ word.find('o') }} {{ word.find('o', 5) }} {{ word.find('zz') }} {{ word.rfind('o') }} {{ word.index('W') }} {{ word.count('l') }} {{ word.count('') }} {{ unicode.find('京') }} {{ unicode.find('🎈') }} {{ 'aaa'.count('aa') }} {{ word.find('o', -4, -1) }}
        {{ word.index('zz') }}
        {{ word.upper() }} {{ word.lower() }} {{ word.swapcase() }} {{ 'hELLO wORLD'.title() }} {{ 'hELLO'.capitalize() }} {{ "they're bill's".title() }} {{ unicode.upper() }} {{ unicode.title() }} {{ 'ΑΣ'.lower() }} {{ 'ß'.casefold() }} {{ ''.capitalize() }}
        {{ word.replace('l', 'L') }} {{ word.replace('l', 'L', 1) }} {{ word.replace('', '-') }} {{ word.replace('o', '') }} {{ 'aaaa'.replace('aa', 'b') }} {{ word.replace('l', 'L', count=2) if false else '' }}
        {{ ', '.join(['a', 'b']) }} {{ ''.join([]) }} {{ '-'.join('abc') }} {{ ','.join(record) }}
        {{ ','.join([1]) }}
        {{ 'ab'.center(7, '*') }} {{ 'ab'.center(5) }}| {{ 'abc'.center(6, '.') }} {{ 'ab'.ljust(4) }}| {{ 'ab'.rjust(4, '0') }} {{ '-5'.zfill(4) }} {{ 'a\tb'.expandtabs(4) }}
        {{ 'a=b=c'.partition('=') }} {{ 'a=b=c'.rpartition('=') }} {{ 'abc'.partition('=') }} {{ 'abc'.rpartition('=') }} {{ 'prefix-x'.removeprefix('prefix-') }} {{ 'x.txt'.removesuffix('.txt') }} {{ 'x'.removesuffix('') }}
        {{ 'ab1'.isalnum() }} {{ 'ab'.isalpha() }} {{ '12'.isdigit() }} {{ ''.isdigit() }} {{ ' \n'.isspace() }} {{ 'ab'.islower() }} {{ 'AB'.isupper() }} {{ 'é'.isascii() }} {{ 'a\n'.isprintable() }} {{ '1.5'.isdigit() }}
        {{ '{} and {}'.format(1, 'b') }} {{ '{1}{0}'.format('a', 'b') }} {{ '{x:>5}|{x:<5}|{x:^5}'.format(x='ab') }} {{ '{:05d} {:,} {:+d} {:x} {:#b}'.format(42, 1234567, 5, 255, 5) }} {{ '{:.2f} {:8.3f}| {:e} {:g} {:%}'.format(3.14159, 2.5, 12345.678, 0.0001, 0.25) }} {{ '{!r} {!s}'.format('a', 'b') }} {{ '{{}}'.format() }} {{ '{0[a]} {1[0]}'.format({'a': 1}, [2]) }} {{ '{:*^9}'.format('mid') }} {{ '{:{}}|'.format('a', 4) }}
        {{ '{}'.format() }}
        {{ '%s is %d and %.2f' % ('a', 5, 1.5) }} {{ '%s' % 'x' }} {{ '%5s|%-5s|%05d|%x|%%' % ('a', 'b', 42, 255) }} {{ '%(k)s' % {'k': 'v'} }} {{ '%s' % [1] }} {{ '%r' % 'q' }} {{ '%c' % 'x' }} {{ '%+d % d' % (5, 5) }} {{ '%e %g' % (1234.5, 1e-5) }} {{ '%.3s' % 'abcdef' }}
        {{ '%d' % 'a' }}
        {{ '%s %s' % 'a' }}
        {{ '%s' % (1, 2) }}
        {{ '%s=%d'|format('a', 3) }} {{ '%(x)s'|format(x=1) }}
        {{ unicode|length }} {{ unicode.split()[2] }} {{ unicode|upper }} {{ quotes }} {{ [quotes] }}
    ''',
    'filters': r'''
        {{ spaced|trim }}| {{ 'xax'|trim('x') }} {{ none|trim }} {{ 5|trim }} {{ m|trim }}| {{ word|upper|lower }} {{ 'hello world-wide (big) [a]'|title }} {{ 'hELLO'|capitalize }} {{ n|string + '!' }} {{ none|string }} {{ none|upper }}
        {{ word|length }} {{ list|count }} {{ record|length }} {{ m|length }} {{ range(5)|length }}
        {{ none|length }}
        {{ 5|length }}
        {{ list|map('string')|length }}
        {{ m|default('d') }} {{ none|default('d') }} {{ none|default('d', true) }} {{ ''|default('d', boolean=true) }} {{ m|d }}| {{ 0|default(5) }} {{ record.zzz|default('q') }}
        {{ list|join(', ') }} {{ list|join }} {{ people|join('-', attribute='name') }} {{ [1, none, m, true]|join('/') }} {{ 'abc'|join('.') }} {{ record|join }}
        {{ none|join }}
        {{ list|first }} {{ list|last }} {{ []|first }}| {{ word|first }} {{ word|last }} {{ record|first }} {{ people|map(attribute='age')|first }} {{ record|last }}
        {{ none|first }}
        {{ list|map('string')|last }}
        {{ list|sort }} {{ list|sort(reverse=true) }} {{ names|sort }} {{ names|sort(case_sensitive=true) }} {{ people|sort(attribute='age')|map(attribute='name')|list }} {{ people|sort(attribute='age,name', reverse=true)|map(attribute='name')|list }} {{ record|sort }}
        {{ [1, 'a']|sort }}
        {{ names|unique|list }} {{ names|unique(true)|list }} {{ [1, 1.0, true, 2]|unique|list }} {{ people|unique(attribute='age')|map(attribute='name')|join }}
        {{ list|min }} {{ list|max }} {{ names|min }} {{ people|max(attribute='age') }} {{ []|max }}| {{ list|sum }} {{ people|sum(attribute='age') }} {{ [[1], [2]]|sum(start=[]) }} {{ [0.1, 0.2]|sum(start=1) }}
        {{ list|reverse|list }} {{ word|reverse }} {{ unicode|reverse }} {{ list|list }} {{ word|list }} {{ record|list }} {{ m|list }} {{ list|reverse is sequence }}
        {{ record|items|list }} {{ m|items|list }} {{ record|dictsort }} {{ record|dictsort(true) }} {{ {'a': 2, 'b': 1}|dictsort(by='value') }} {{ record|dictsort(reverse=true) }}
        {{ nothing|items|list }}
        {{ people|map(attribute='name')|list }} {{ people|map(attribute='city.name', default='-')|list }} {{ names|map('upper')|join(' ') }} {{ ['a-b', 'c']|map('replace', '-', '+')|list }} {{ people|map(attribute='tags.0', default='none')|list }} {{ [1, 2]|map('string')|list }} {{ none|map('upper')|list }}
        {{ list|select('odd')|list }} {{ list|reject('odd')|list }} {{ [0, 1, '', 'a']|select|list }} {{ list|select('gt', 1)|list }} {{ [0, 1]|reject|list }} {{ [1, none, m]|select('defined')|list }}
        {{ people|selectattr('age', 'equalto', 30)|map(attribute='name')|list }} {{ people|rejectattr('city')|map(attribute='name')|list }} {{ people|selectattr('tags')|map(attribute='name')|list }} {{ people|selectattr('city', 'defined')|list|length }} {{ messages|selectattr('role', '==', 'user')|list|length }} {{ people|selectattr('name', 'in', ['Ann'])|list|length }}
        {{ people|groupby('age')|map('first')|list }} {% for age, group in people|groupby('age') %}{{ age }}:{{ group|map(attribute='name')|join('+') }} {% endfor %}{% for g in people|groupby('age') %}{{ g.grouper }}{{ g.list|length }} {% endfor %}
        {{ list|batch(2)|list }} {{ list|batch(2, 0)|list }} {{ range(7)|slice(3)|list }} {{ range(7)|slice(3, 'x')|list }}
        {{ word|replace('l', 'L') }} {{ word|replace('l', 'L', 1) }} {{ n|replace(7, 8) }}
        {{ lines|indent }} {{ lines|indent(2, true) }} {{ lines|indent(2, blank=true) }} {{ lines|indent('> ', first=true) }} {{ 'one'|indent(2) }} {{ ''|indent(2, true) }}|
        {{ none|indent }}
        {{ word|truncate(5, true, '…') }} {{ 'a long text that goes on'|truncate(12) }} {{ 'a long text that goes on'|truncate(12, leeway=0) }} {{ 'abcdefghijklmnop'|truncate(6, leeway=0) }} {{ 'short'|truncate(4) }}
        {{ 'abc'|truncate(10**30) }} {{ 'abc'|truncate(5, leeway=10**30) }} {{ 'abcdefgh'|truncate(3, leeway=0) }} {{ 'abcdefgh'|truncate(3, leeway=5) }}
        {{ 1 ** (2**70) }} {{ (-1) ** (2**70) }} {{ (-1) ** (2**70 + 1) }} {{ 0 ** (2**70) }} {{ 0 ** 0 }} {{ (-2) ** 3 }} {{ (-2) ** 0 }}
        {{ '%c%c' % (65, 128516) }} {{ '{:c}'.format(65) }}
        {{ '%c' % -1 }}
        {{ '%c' % (2**40) }}
        {{ '%d' % (1e308 * 10) }}
        {{ record|dictsort(by=none) }}
        {{ 'abc'|truncate(10, leeway=-1) }}
        {{ 'abc'|truncate(2) }}
        {{ 'ab'|center(6) }}| {{ 'two words_x, three'|wordcount }} {{ 'a b/c?d=ä&e~*'|urlencode }} {{ {'a b': 1, 'c': 'd/e'}|urlencode }}
        {{ '<a href="x">&\'</a>'|e }} {{ '<b>'|escape ~ '<i>' }} {{ ('<b>'|safe) + '<i>' }} {{ ('<b>'|e) + 'x' }} {{ '<b>'|safe|upper }} {{ ('<b>'|safe).lower() + '<' }} {{ '<b>'|forceescape }} {{ '<b>'|safe|forceescape }} {{ '<b>'|safe|e }} {{ ['<b>'|safe] }}
        {{ record|attr('b') }}| {{ word|attr('upper') is callable }}
        {{ n|nosuchfilter }}
        {{ n|abs(1) }}
        {{ [1, 2]|tojson }} {{ record|tojson }} {{ nested|tojson }} {{ unicode|tojson }} {{ quotes|tojson }} {{ '\x01\x1f\x7f\u2028</script>'|tojson }} {{ none|tojson }} {{ true|tojson }} {{ 1.0|tojson }} {{ 1e20|tojson }} {{ (1, 2)|tojson }} {{ big|tojson }} {{ {}|tojson }} {{ []|tojson }} {{ 1e400|tojson }}
        {{ nested|tojson(indent=2) }} {{ record|tojson(indent=4) }} {{ [[], {}]|tojson(indent=1) }} {{ [1]|tojson(indent='\t') }} {{ [1, [2]]|tojson(indent=0) }}
        {{ {'b': 1, 'a': [1, 2]}|tojson(sort_keys=true) }} {{ [1, {'a': 2}]|tojson(separators=(',', ':')) }} {{ unicode|tojson(ensure_ascii=true) }} {{ unicode|tojson(true) }} {{ {1: 'a', none: 'b', true: 'c', 1.5: 'd'}|tojson }} {{ {1: 'a', 2: none} }}
        {{ m|tojson }}
        {{ list|map('string')|tojson }}
        {{ record.items()|tojson }}
        {{ range(3)|tojson }}
        {{ {(1, 2): 3}|tojson }}
    ''',
    'functions': r'''
        {{ range(3)|list }} {{ range(1, 4)|list }} {{ range(5, 0, -2)|list }} {{ range(0)|list }} {{ range(2, 1)|list }} {{ range(3) }} {{ range(1, 9, 3) }} {{ range(3)[1] }}
        {{ range(100001)|length }}
        {{ range(1, 2, 0) }}
        {{ range('a') }}
        {{ range(1.5) }}
        {{ dict(a=1, b='c') }} {{ dict({'a': 1}, b=2) }} {{ dict([('a', 1)]) }} {{ dict() }}
        {{ namespace(a=1) }} {{ namespace(a=1).a }} {{ namespace().b is defined }} {{ namespace({'a': 2}).a }}
        {% set ns = namespace(_a=1) %}
        {% set ns = namespace() %}{% set ns._a = 1 %}
        {{ raise_exception('Roles must alternate: user, assistant, …') }}
        {% if true %}{{ raise_exception('in a branch ' ~ n) }}{% endif %}
        {{ strftime_now('%Y-%m-%d %H:%M:%S') }} {{ strftime_now('%d %b %Y') }} {{ strftime_now('%B %-d, %Y %A %a %I %p %j %y %e %u %w') }} {{ strftime_now('%-m/%-d/%y %F %T %D %R %U %W %V %G %C %h %n%t%%') }} {{ strftime_now('%_d %^a %#p %-I %-M %k %l %Z%z|') }}
        {% set c = cycler('a', 'b') %}{{ c.next() }}{{ c.next() }}{{ c.next() }}{{ c.current }}{% set j = joiner('; ') %}{{ j() }}x{{ j() }}y
        {{ list|map('nosuch')|list }}
        {{ range(*[1, 3])|list }} {{ dict(**{'a': 1}) }} {{ '{a}{0}'.format(*['x'], **{'a': 'y'}) }}
        {{ range(1, 2, 3, 4) }}
        {{ record.get() }}
        {{ word.upper(1) }}
        {{ ''.join(range(3)|map('string')) }} {{ [1, 2, 3]|map('string')|join('+') }}
    ''',
    'statements': r'''
        {% for i in list %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ loop.depth }};{% endfor %}
        {% for i in list %}{{ loop.previtem }}<{{ i }}>{{ loop.nextitem }};{% endfor %}{% for i in list %}{{ loop.previtem is defined }}{{ loop.nextitem is undefined }}{% endfor %}
        {% for i in list %}{{ loop.cycle('a', 'b') }}{{ loop.changed(i > 1) }}{% endfor %}
        {% for k, v in record.items() %}{{ k }}={{ v }};{% endfor %}{% for k in record %}{{ k }}{% endfor %}{% for c in unicode %}{{ c }}|{% endfor %}
        {% for a, (b, c) in [(1, (2, 3)), (4, [5, 6])] %}{{ a }}{{ b }}{{ c }}{% endfor %}
        {% for a, b in [(1, 2, 3)] %}{% endfor %}
        {% for a, b in [(1,)] %}{% endfor %}
        {% for a, b in [1] %}{% endfor %}
        {% for i in [] %}x{% else %}empty{% endfor %}{% for i in m %}x{% else %}undefined{% endfor %}{% for i in [1] %}x{% else %}y{% endfor %}
        {% for i in none %}x{% endfor %}
        {% for i in 5 %}x{% endfor %}
        {% for i in range(10) if i is odd %}{{ loop.index }}:{{ i }}/{{ loop.length }}{{ '' if loop.last else ',' }}{% else %}none{% endfor %}
        {% for i in list if i > 100 %}x{% else %}none of them{% endfor %}{% for p in people if p.city %}{{ p.name }}{% endfor %}
        {% for i in range(10) %}{% if i == 2 %}{% continue %}{% endif %}{% if i == 5 %}{% break %}{% endif %}{{ i }}{% endfor %}
        {% for i in [1, 2] %}{% for j in [1, 2, 3] %}{% if j == 2 %}{% break %}{% endif %}{{ i }}{{ j }} {% endfor %}{{ loop.index }}{% endfor %}
        {% for i in [1, [2, [3]]] recursive %}{% if i is iterable %}({{ loop(i) }}){% else %}{{ i }}@{{ loop.depth }}{% endif %}{% endfor %}
        {% for i in [1] %}{{ loop([2]) }}{% endfor %}
        {% for i in people|map(attribute='age') %}{{ loop.length }}{{ loop.last }}{{ i }} {% endfor %}
        {% for i in 1, 2, 3 %}{{ i }}{% endfor %}{% for i in (1, 2) if i > 1 %}{{ i }}{% endfor %}
        {% set y = 1 %}{% for i in list %}{% set y = i %}{{ y }}{% endfor %}{{ y }} {% if yes %}{% set y = 9 %}{% endif %}{{ y }}
        {% for i in [1, 2] %}{{ z }}{% set z = i %}{{ z }}{% endfor %}{{ z }}
        {% set ns = namespace(total=0, seen=[]) %}{% for i in list %}{% set ns.total = ns.total + i %}{% set ns.seen = ns.seen + [i] %}{% endfor %}{{ ns.total }} {{ ns.seen }} {{ ns }}
        {% set d = {'a': 1} %}{% set d.a = 2 %}
        {% set a, b = 1, 2 %}{{ a }}{{ b }}{% set a, b = b, a %}{{ a }}{{ b }}{% set (c, d) = [3, 4] %}{{ c }}{{ d }}
        {% set t = 1, 2 %}{{ t }}{% set u = (1,) %}{{ u }}
        {% set block %}in {{ n }}{% set inner = 1 %}{% endset %}[{{ block }}]{{ inner is defined }}{% set f | upper | replace('A', '-') %}abc{% endset %}{{ f }}
        {% if m %}a{% elif none %}b{% elif [] %}c{% elif {} %}d{% elif 0 %}e{% elif 0.0 %}f{% elif '' %}g{% elif namespace() %}h{% else %}i{% endif %}
        {% if n > 5 and n < 10 %}in{% endif %}{% if not n %}no{% else %}yes{% endif %}{% if n == 1 %}1{% elif n == 7 %}7{% elif n == 7 %}again{% endif %}
        {% macro m1(a, b=2, c='x') %}{{ a }}-{{ b }}-{{ c }};{% endmacro %}{{ m1(1) }}{{ m1(1, 3) }}{{ m1(1, c='y') }}{{ m1(b=5, a=4) }}{{ m1() }}
        {% macro m2(a) %}{{ a }}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m2(1, 2, 3, k=4) }}{{ m2() }}
        {% macro m3(a) %}{{ a }}{% endmacro %}{{ m3(1, 2) }}
        {% macro m3(a) %}{{ a }}{% endmacro %}{{ m3(b=2) }}
        {% macro fact(i) %}{% if i <= 1 %}1{% else %}{{ i * fact(i - 1)|int }}{% endif %}{% endmacro %}{{ fact(10) }}
        {% macro m4(a=n, b=a) %}{{ a }}{{ b }}{% endmacro %}{{ m4() }} {% macro m5() %}{{ n }}{{ q is defined }}{% endmacro %}{% set q = 1 %}{{ m5() }}{% for i in [1] %}{% set local = 2 %}{{ m5() }}{% endfor %}
        {% macro wrap(t) %}<{{ t }}>{{ caller() }}</{{ t }}>{% endmacro %}{% call wrap('b') %}body {{ n }}{% endcall %}{{ wrap.name }}{{ wrap.arguments }}{{ wrap }}
        {% macro each(l) %}{% for i in l %}{{ caller(i, i * 2) }}{% endfor %}{% endmacro %}{% call(a, b) each(list) %}[{{ a }},{{ b }}]{% endcall %}
        {% macro nocall() %}{{ caller is defined }}{{ caller() }}{% endmacro %}{{ nocall() }}
        {% macro m6() %}{% set x = 1 %}{{ x }}{% endmacro %}{{ m6() }}{{ x }} {{ m6() ~ 'a' }} {{ m6()|int + 1 }}
        {% filter upper %}abc {{ word }}{% endfilter %} {% filter replace('a', 'b')|upper %}banana{% endfilter %}
        {% with a = 1, b = n %}{{ a }}{{ b }}{% set c = 3 %}{{ c }}{% endwith %}{{ a is defined }}{% with %}{% set d = 1 %}{{ d }}{% endwith %}{{ d is defined }}
        {% generation %}{{ n }}{% set g = 1 %}{% endgeneration %}{{ g is defined }}{%- generation -%} x {%- endgeneration -%}|
        {% block title %}block {{ n }}{% endblock %}{% block other %}{% endblock other %}
        {% print n, word %}{% print n %}
        {% autoescape false %}<b>{{ '<' }}{% endautoescape %}
        {% raw %}{{ not }} {% this %} {# nor this #}{% endraw %}{%- raw -%} x {% endraw -%} y
        {# a comment {{ n }} #}a{#- stripped -#} b {#+ kept +#} c
        {{ '{{ n }}' }} {{ '{% if %}' }} {{ '#}' }}
        {{ messages|selectattr('role', 'equalto', 'user')|map(attribute='content')|first }} {{ messages[-1].content[0].text }} {{ messages[2].tool_calls[0].function.arguments|tojson }}
        {% if messages[0]['role'] == 'system' %}{% set system, loop_messages = messages[0].content, messages[1:] %}{% endif %}{{ system }}{{ loop_messages|length }}
    ''',
    'errors': r'''
        {% if %}
        {% if n %}
        {% endif %}
        {% for i in list %}{% endif %}
        {% nosuchtag %}
        {{ 1 + }}
        {{ (1 }}
        {{ [1, 2 }}
        {{ 'open }}
        {{ n
        {% set 1 = 2 %}
        {{ a b }}
        {% macro x(a=1, b) %}{% endmacro %}
        {# open
        {% raw %}open
        {{ f(a=1, 2) }}
        {% break %}
        {{ x is defined is string }}
        {{ 1 ! 2 }}
        {% for i in list %}
    ''',
    # What mutation tests found unseen.
    'corners': r'''
        {{ [1, 2] == [1, 3] }} {{ [1] == [1, 2] }} {{ [] == [] }} {{ (1, 2) == (1, 2) }} {{ (1,) == [1] }} {{ [1, [2]] != [1, [2]] }}
        {{ {'a': 1} == {'a': 2} }} {{ {'a': 1} == {'b': 1} }} {{ {} == {'a': 1} }} {{ {'a': 1, 'b': [2]} == {'b': [2], 'a': 1} }}
        {% set inf = x * 1e308 %}{{ inf > 5 }} {{ -inf < 5 }} {{ inf == inf }} {{ inf > big }} {{ -inf < -big }} {{ inf < -inf }} {{ 2 ** 53 + 1 == 2.0 ** 53 }} {{ 2 ** 53 + 1 > 2.0 ** 53 }}
        {% set nan = x * 1e308 - x * 1e308 %}{{ nan == nan }} {{ nan != nan }} {{ nan < 1 }} {{ nan > 1 }} {{ 1 < nan }} {{ 1 >= nan }} {{ nan is gt(1) }} {{ 1 is le(nan) }} {{ nan in [1] }}
        {{ (1,) + (2, 3) }} {{ [1] + [2] }} {{ [1, 2] * 2 }} {{ 2 * [1] }} {{ [] * 5 }} {{ (1, 2) * 2 }} {{ (1,) * 0 }} {{ 'ab' * 0 }} {{ 'ab' * -1 }} {{ [1] * -1 }}
        {{ ('<b>'|e) + '<' }} {{ '<' + ('<b>'|e) }} {{ ('<'|e) + ('>'|e) }} {{ ('<'|e) * 2 }}
        {{ [1] + (2,) }}
        {{ (1,) + [2] }}
        {{ 'a' + 1 }}
        {{ range(3) + [1] }}
        {{ range(3) * 2 }}
        {{ 1.5 - 0.5 }} {{ 1 - 0.5 }} {{ 6.0 % -3 }} {{ -6.0 % 3 }} {{ 5.5 % -3 }} {{ -5.5 % 3 }} {{ 0.0 // -2 }} {{ -7.0 // 2 }} {{ 9223372036854775807 - -1 }} {{ -9223372036854775807 - 2 }}
        {{ 1.5 / 0 }}
        {{ 1.5 // 0 }}
        {{ 1.5 % 0.0 }}
        {{ 1 // 0 }}
        {{ 1 % 0 }}
        {% for i in list %}{{ loop }}{% endfor %} {% for i in list|select %}{{ loop.index }}/{{ loop.length }}/{{ loop.revindex }} {% endfor %}{% for i in list|select %}{{ i }}{{ loop.last }}{{ loop.length }}{% endfor %}
        {% for i in [1, 1, 2, 1] %}{{ loop.changed(i) }} {{ loop.changed(i, 5) }};{% endfor %}
        {% macro m(kwargs) %}{{ kwargs }}{% endmacro %}{{ m(1) }}{% macro v(varargs) %}{{ varargs }}{% endmacro %}{{ v(2) }}
        {% macro m(kwargs) %}{{ kwargs }}{% endmacro %}{{ m(1, other=2) }}
        {% macro v(varargs) %}{{ varargs }}{% endmacro %}{{ v(1, 2) }}
        {% for i in list %}{% with a = i %}{% if a == 1 %}{% break %}{% endif %}{{ a }}{% endwith %}{% endfor %} {% for i in list %}{% with a = i %}{% if a == 1 %}{% continue %}{% endif %}{{ a }}{% endwith %}{% endfor %}
        {{ 'abc'[-3] }}{{ 'abc'[-4] }}|{{ 'abc'[2] }}{{ 'abc'[3] }}|{{ list[-3] }}{{ list[-4] }}|{{ 'a🎉c'[1] }}{{ 'a🎉c'[-1] }}{{ 'a🎉c'[3] }}|
        {{ 'a' < 'ab' }} {{ 'ab' < 'a' }} {{ 'ab' <= 'ab' }} {{ '￿' < '🎉' }} {{ 'a' in 'bc' }} {{ '' in '' }} {{ 1 in {1: 2} }} {{ 'x' in {1: 2} }} {{ 3 in (1, 2) }}
        {{ 1 in 5 }}
        {{ 1 in 'a' }}
        {{ {(1, [2]): 3} }}
        {{ {(1, (2, 3)): 3}[(1, (2, 3))] }} {{ {1: 'a', 1.0: 'b', true: 'c'} }} {{ {9007199254740993: 1}[9007199254740992.0] }}
    ''',
    # Names that Jinja does not know: an error where they stand, but for if tags and conditional expressions, where they have to run.
    'unknown names': r'''
        {% if no %}{{ n|nosuch }}{% endif %}runs
        {% if yes %}{{ n|nosuch }}{% endif %}
        {% if yes %}a{% elif n|nosuch %}b{% else %}{{ n is nosuch }}{% endif %}
        {% if no or n|nosuch %}{% endif %}
        {{ n|nosuch if no else 2 }} {{ 2 if yes else n is nosuch }} {{ 2 if yes or n|nosuch }}
        {{ (n|nosuch if no) or n|nosuch }}
        {{ n or (n|nosuch) }}
        {{ n or n is not nosuch }}
        {{ n or [n|no.such] }}
        {% if no %}{% for i in list|nosuch %}{{ i|nosuch if no }}{% endfor %}{% endif %}runs
        {% if no %}{% for i in list %}{{ i|nosuch }}{% endfor %}{% endif %}
        {% if no %}{% for i in list %}{% else %}{{ n|nosuch }}{% endfor %}{% endif %}
        {% if no %}{% for i in list if i is nosuch %}{% endfor %}{% endif %}
        {% if no %}{% for i in list %}{% if i %}{{ i|nosuch }}{% endif %}{% endfor %}{% endif %}runs
        {% for i in list if n == 7 or i|nosuch %}{% endfor %}
        {% macro m() %}{{ n|nosuch }}{% endmacro %}never
        {% macro m(a=n|nosuch) %}{% endmacro %}never
        {% if no %}{% macro m(a=n|nosuch) %}{% endmacro %}{% endif %}
        {% if no %}{% set a %}{{ n|nosuch }}{% endset %}{% endif %}
        {% if no %}{% set a|nosuch %}{% endset %}{% endif %}
        {% if no %}{% set a = n|nosuch %}{% endif %}runs
        {% if no %}{% filter nosuch %}{% endfilter %}{% endif %}
        {% if no %}{% with a = n|nosuch %}{% endwith %}{% endif %}runs
        {% if no %}{% with %}{{ n|nosuch }}{% endwith %}{% endif %}
        {% if no %}{% call m(n|nosuch) %}{% endcall %}{% endif %}runs
        {% if no %}{% call m() %}{{ n|nosuch }}{% endcall %}{% endif %}
        {% if no %}{% generation %}{{ n|nosuch }}{% endgeneration %}{% endif %}
        {% if no %}{{ list|map('nosuch')|list }}{% endif %}{{ list|map('nosuch') is iterable }}
        {% if 'nosuch' is filter %}{{ n|nosuch }}{% else %}none{% endif %} {{ 'nosuch' is test }}
        {% if no %}{{ n|pprint }}{{ n|filesizeformat }}{{ n|xmlattr }}{{ n|urlize }}{{ n|random }}{{ n|striptags }}{{ n|wordwrap }}{% endif %}runs
    ''',
}

# What whitespace goes: each is a whole template.
WHITESPACE = [
    'a\n',
    'a\n\n',
    '\n\na\n\n',
    'a\r\nb\rc\r\n',
    'a\n  {% if yes %}\n    b\n  {% endif %}\nc\n',
    'a\n  {%+ if yes %}\n    b\n  {%+ endif %}\nc',
    'a\n  {% if yes +%}\n    b\n  {% endif +%}\nc',
    'a\n  {%- if yes -%}\n    b\n  {%- endif -%}\n  c',
    'a {% if yes %} b {% endif %} c',
    'a {%- if yes %} b {% endif -%} c',
    '{% if yes %}\n\nb\n{% endif %}\n\nc',
    '  {{ n }}  \n  {{- n }}\n {{ n -}}  \n  x',
    '  {# comment #}\na\n  {#- comment -#}\n  b\n{# c #} d',
    'a\n\t {% set z = 1 %}\t\n{{ z }}',
    '{% for i in list %}\n  {{ i }}\n{% endfor %}\n',
    '{%- for i in list %}\n  {{- i }}\n{%- endfor %}\n',
    '{% for i in list -%}\n  {{ i }},\n{%- endfor %}',
    'x  {%- raw %}\n  y {{ z }}\n  {% endraw -%}  \n w',
    '  {% raw %}\n  y\n  {% endraw %}\n w',
    'a\u00a0\n\u00a0{%- if yes %}b{% endif %}\u2003{%- if yes %}c{% endif %}',
    '{{ "a" }}\n{{ "b" }}\n\n{% if yes %}\n{% endif %}\n{{ "c" }}',
    '{{- "a" -}}   {{+ "b" }}   {{ "c" }}',
    '\n  {% if yes %}a{% endif %}\n  {% if no %}b{% endif %}\n',
    '{% if yes %}\r\n  a\r\n{% endif %}\r\nb',
    '{#\n multi\n line\n#}\na {# x #}\n b',
    '{% set x %}\n  a\n{% endset %}[{{ x }}]',
    '{% macro f() %}\n  a\n{% endmacro %}\n[{{ f() }}]',
    '{%- macro f() -%}\n  a\n{%- endmacro -%}\n[{{ f() }}]',
    "{{ 'a' }}{{ '\n' }}{{ 'b\r\nc' }}",
]

# Conversations as apply_chat_template takes them, before a template sees them.
CHAT = "{{ bos_token }}{% for m in messages %}{{ m|tojson }}\n{% endfor %}{{ tools|tojson }} {{ documents }} {{ add_generation_prompt }} {{ custom }}"
CHATS = [
    {'messages': [{'role': 'user', 'content': 'a'}]},
    {'messages': [{'role': 'user', 'content': 'a'}], 'add_generation_prompt': True, 'variables': {'custom': [1, None]}},
    {'messages': [{'role': 'assistant', 'content': None, 'tool_calls': None, 'name': 'x', 'nested': {'a': None}}]},
    {'messages': [{'role': 'assistant', 'content': 'a', 'reasoning_content': 'r'}]},
    {'messages': [{'role': 'assistant', 'thinking': 't', 'content': 'a'}]},
    {'messages': [{'role': 'assistant', 'reasoning': 'q', 'content': 'a', 'thinking': 't'}]},
    {'messages': [{'content': 'first', 'role': 'tool'}], 'tools': [{'type': 'function', 'function': {'name': 'f'}}]},
    {'messages': [{'role': 'user', 'content': 'a'}], 'variables': {'bos_token': '<other>', 'custom': 1}},
]


class StoppedClock(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return NOW


def outcome(render):
    try:
        return {'text': render()}
    except Exception as e:
        return {'error': type(e).__name__, 'message': str(e)}


def language_cases():
    from transformers.utils import chat_template_utils
    for group, lines in LINES.items():
        for line in lines.strip().split('\n'):
            template = line.strip()
            yield {'group': group, 'template': template,
                   **outcome(lambda: chat_template_utils._compile_jinja_template(template).render(**VARIABLES))}
    for template in WHITESPACE:
        yield {'group': 'whitespace', 'template': template,
               **outcome(lambda: chat_template_utils._compile_jinja_template(template).render(**VARIABLES))}


def chat_cases():
    from tokenizers import Tokenizer
    from tokenizers import models as tokenizer_models
    from transformers import PreTrainedTokenizerFast
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer(tokenizer_models.WordLevel({'<unk>': 0}, '<unk>')), bos_token='<s>')
    for chat in CHATS:
        yield {**chat, **outcome(lambda: tokenizer.apply_chat_template(
            chat['messages'], chat_template=CHAT, tools=chat.get('tools'), tokenize=False,
            add_generation_prompt=chat.get('add_generation_prompt', False), **chat.get('variables', {})))}


def main():
    from transformers.utils import chat_template_utils
    chat_template_utils.datetime = StoppedClock
    io_json.write_vectors('chat-templates.json', {
        'format': 'cases: a template, rendered with variables at the time now, gives text or raises an error; '
                  'chats: the same for apply_chat_template with the template chat_template and the bos_token <s>',
        'now': NOW.isoformat(),
        'variables': VARIABLES,
        'cases': list(language_cases()),
        'chat_template': CHAT,
        'chats': list(chat_cases()),
    }, ('jinja2', 'transformers'), 'chat_templates.py')


if __name__ == '__main__':
    main()
