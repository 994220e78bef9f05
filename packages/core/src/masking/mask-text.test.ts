import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../../tests/support/any-character.js';
import { scaled } from '../../../../tests/support/scaled.js';
import { announcing } from '../testing/announcing.js';
import { inMaskForm } from '../testing/mask-form.js';
import { maskText } from './mask-text.js';
import { reveal } from './reveal.js';

const shows = (text: string): string => maskText(text).value;

/** Split in two, so that secret scanners don't flag this file. */
const key = (prefix: string, rest: string): string => prefix + rest;
const base64Line = 'MIIEpAIBAAKCAQEAx7Gk0dU1aX9fQbYtE3hVn2sLr8oWmCzJpTiRyBvNqDfHgK5u';
const header = (word: string, kind = 'RSA PRIVATE KEY'): string => `-----${word} ${kind}-----`;
const pem = `${header('BEGIN')}\n${base64Line}\n${base64Line}\nabcd==\n${header('END')}`;

describe('secrets detected by their format', () => {
  it.each([
    ['personal token', key('cs_', '0123456789abcdef_Ab3-dEf6hIj9_kLmN0pQrStUvWx2z4Ab3dEf6hIj9kL')],
    ['OpenAI', key('sk-', 'proj-Abc123Abc123Abc123')],
    ['Anthropic', key('sk-ant-', 'api03-Abc123_Abc123-Abc123')],
    ['AWS id', key('AKIA', 'IOSFODNN7EXAMPLE')],
    ['AWS session id', key('ASIA', 'IOSFODNN7EXAMPLE')],
    ['Google', key('AIza', 'Sy0123456789abcdefghijklmnopqrstuvw')],
    ['GitHub', key('ghp_', '0123456789abcdefghijABCDEFGHIJ012345')],
    ['GitHub OAuth', key('gho_', '0123456789abcdefghijABCDEFGHIJ012345')],
    ['GitHub fine-grained', key('github_pat_', '11ABCDEFG0123456789_abcdefghij')],
    ['GitLab', key('glpat-', 'abcDEF123456_7890xyz')],
    ['Slack', key('xoxb-', '123456789012-abcdefghijkl')],
    ['Stripe', key('sk_live_', '0123456789abcdefghij')],
    ['Stripe restricted', key('rk_live_', '0123456789abcdefghij')],
    ['npm', key('npm_', '0123456789abcdefghijABCDEFGHIJ012345')],
    ['Hugging Face', key('hf_', 'abcdefghijABCDEFGHIJ0123456789abcd')],
    ['SendGrid', key('SG.', 'abcdefghijABCDEFGHIJ01.0123456789abcdefghijABCDEFGHIJ0123456789abc')],
    ['Twilio', key('SK', '0123456789abcdef0123456789abcdef')],
    ['JWT', key('eyJ', 'hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w')],
    ['Telegram', key('123456789:AA', 'abcdefghijABCDEFGHIJ0123456789abc')],
  ])('[SAFE6] masks a %s key in any position', (_vendor, secret) => {
    for (const [before, after] of [
      ['use ', ' now'],
      ['f("', '")'],
      ['x=', ';y'],
    ] as const) {
      const text = before + secret + after;
      expect(shows(text)).toBe(inMaskForm(`${before}‹masked 1›${after}`, text));
    }
  });

  it('[SAFE6] does not mask words that only resemble keys', () => {
    const text = 'sk-learn-documentation-link task-1234567890123456 AKIAshort npm_run hf_hub eyJust.a.test';
    expect(shows(text)).toBe(text);
  });

  it('[SAFE6] masks the path of a webhook and shows its host', () => {
    expect(shows('curl https://hooks.slack.com/services/T00000000/B00000000/abcdefghij')).toBe(
      'curl https://hooks.slack.com/services/T000‹masked 1: 22 characters›ghij',
    );
  });

  it('[SAFE6] masks a private key as one secret and shows its BEGIN and END lines', () => {
    const masked = maskText(`before\n${pem}\nafter`);
    const body = `${base64Line}\n${base64Line}\nabcd==`;
    const shown = `MIIE‹masked 1: ${body.length - 8} characters›cd==`;
    expect(masked.value).toBe(`before\n${header('BEGIN')}\n${shown}\n${header('END')}\nafter`);
    expect(masked.secrets).toEqual([body.slice(4, -4)]);
  });

  it('[SAFE6] masks a private key inside JSON text, with escaped line breaks', () => {
    const text = JSON.stringify({ private_key: pem, id: 'x' });
    expect(shows(text)).toBe(
      inMaskForm(`{"private_key":"${header('BEGIN')}\\n‹masked 1›\\n${header('END')}","id":"x"}`, text),
    );
  });

  it('[SAFE6] shows text between the lines of a private key that is not part of the key', () => {
    const masked = shows(`${header('BEGIN')}\n${base64Line}\nrm -rf /home; reboot\n${header('END')}`);
    expect(masked).toContain('-rf /home; reboot');
    expect(shows(header('BEGIN', 'PUBLIC KEY') + `\n${base64Line}`)).toContain(base64Line);
  });
});

describe('secrets detected by their name', () => {
  it.each([
    ['Authorization: Bearer abc.def', 'Authorization: Bearer ‹masked 1›'],
    ['authorization: basic dXNlcjpwYXNz', 'authorization: basic ‹masked 1›'],
    ['Authorization: abc', 'Authorization: ‹masked 1›'],
    ['curl -H "x-api-key: abc" host', 'curl -H "x-api-key: ‹masked 1›" host'],
    ['curl -H "Cookie: a=b; c=d" host', 'curl -H "Cookie: a=‹masked 1›; c=‹masked 2›" host'],
    ['--password=hunter2 -v', '--password=‹masked 1› -v'],
    ['URL=$1\ncurl -H "Authorization: Bearer abc"', 'URL=$1\ncurl -H "Authorization: Bearer ‹masked 1›"'],
    ['X=1 curl -H "Authorization: Bearer abc"', 'X=1 curl -H "Authorization: Bearer ‹masked 1›"'],
    ['--password hunter2 -v', '--password ‹masked 1› -v'],
    ["--password 'hunter two' -v", "--password '‹masked 1› ‹masked 2›' -v"],
    ['--token\thunter2', '--token\t‹masked 1›'],
    ['--password \\\n  hunter2', '--password \\\n  ‹masked 1›'],
    ['--password --verbose', '--password --verbose'],
    ['PGPASSWORD=hunter2 psql', 'PGPASSWORD=‹masked 1› psql'],
    ['export API_KEY=hunter2', 'export API_KEY=‹masked 1›'],
    ['MYSQL_PWD=hunter2', 'MYSQL_PWD=‹masked 1›'],
    ['PWD=/home/me OLDPWD=/tmp', 'PWD=/home/me OLDPWD=/tmp'],
    ['{"token": "hunter2", "n": 1}', '{"token": "‹masked 1›", "n": 1}'],
    ['{"token":"hunter2","name":"bob"}', '{"token":"‹masked 1›","name":"bob"}'],
    ['{\\"token\\": \\"hunter2\\", \\"n\\": 1}', '{\\"token\\": \\"‹masked 1›\\", \\"n\\": 1}'],
    ['{"token":12345,"name":"bob"}', '{"token":‹masked 1›,"name":"bob"}'],
    ['password: hunter2\nuser: bob', 'password: ‹masked 1›\nuser: bob'],
    ['aws_secret_access_key = abc/def+1', 'aws_secret_access_key = ‹masked 1›'],
    ['Name=x;AccountKey=abc==;Suffix=y', 'Name=x;AccountKey=‹masked 1›;Suffix=y'],
    ['//registry.npmjs.org/:_authToken=hunter2', '//registry.npmjs.org/:_authToken=‹masked 1›'],
    ['https://host/?token=hunter2&page=2', 'https://host/?token=‹masked 1›&page=2'],
    ['curl -u bob:hunter2 host', 'curl -u bob:‹masked 1› host'],
    ['docker run -u 0:0 image', 'docker run -u 0:0 image'],
    ["--password='it'\\''s' -v", "--password='‹masked 1›'\\''‹masked 2›' -v"],
    ['["--password", "hunter2", "-v"]', '["--password", "‹masked 1›", "-v"]'],
  ])('[SAFE6] %s', (text, masked) => {
    expect(shows(text)).toBe(inMaskForm(masked, text));
  });

  it.each([
    ['an option after an empty value', 'password=\n--password hunter2', 'password=\n--password ‹masked 1›'],
    [
      'an option that continues an empty value',
      `password=\\\n--password ${'Q'.repeat(24)}@host "\n`,
      'password=\\\n‹masked 1› ‹masked 2› "\n',
    ],
    [
      'a header that continues an empty value',
      `API_KEY=\\\nAuthorization: Basic ${'Q7'.repeat(12)}`,
      'API_KEY=\\\n‹masked 1› Basic ‹masked 2›',
    ],
    ['a line that continues a value', 'export TOKEN=abcd\\\nefgh x', 'export TOKEN=‹masked 1›\\\n‹masked 2› x'],
    ['a name that continues a value', 'A_TOKEN=ab\\\nB_TOKEN=cd\nx', 'A_TOKEN=‹masked 1›\\\n‹masked 2›\nx'],
    ['a continued option', '--password\\\nhunter2', '--password\\\n‹masked 1›'],
    ['the same field', 'token: \n--token hunter2', 'token: \n--token ‹masked 1›'],
    ['the same name', 'password= password=hunter2', 'password= password=‹masked 1›'],
    [
      'the same header',
      'Authorization:\nAuthorization: Bearer abc',
      'Authorization:\nAuthorization: Bearer ‹masked 1›',
    ],
    ['a scheme after empty quotes', 'Authorization: ""Bearer abc', 'Authorization: ""Bearer ‹masked 1›'],
    ['a field after empty quotes', 'password: "" token: hunter2', 'password: "" token: ‹masked 1›'],
    ['an option after empty quotes', "--password '' --token hunter2", "--password '' --token ‹masked 1›"],
    ['a field after a comma', 'token: , password: hunter2', 'token: , password: ‹masked 1›'],
    ['a field after a semicolon', 'token=;password=hunter2', 'token=;password=‹masked 1›'],
    ['a key after an empty one', '{"token": "", "password": "hunter2"}', '{"token": "", "password": "‹masked 1›"}'],
    ['a key after null', '{"token":null,"password":"hunter2"}', '{"token":null,"password":"‹masked 1›"}'],
    [
      'a key inside a key',
      '{\\"credentials\\": {\\"token\\": \\"hunter2\\"}}',
      '{\\"credentials\\": {\\"‹masked 1›\\": \\"‹masked 2›\\"}}',
    ],
    ['spaces around equals signs', 'password = \npassword = hunter2', 'password = \npassword = ‹masked 1›'],
    [
      'words inside a value',
      'eval TOKEN="x --password=y https://bob:z@host"',
      'eval TOKEN="‹masked 1› --password=‹masked 2› https://bob:‹masked 3›@host"',
    ],
    ['a variable in quotes', 'sh -c "ls; A=1 x --password y"', 'sh -c "ls; A=1 x --password ‹masked 1›"'],
    ['a quoted expansion', 'URL="$1" curl --password hunter2', 'URL="$1" curl --password ‹masked 1›'],
    ['code in prose', 'set `A=1` and `token: hunter2`', 'set `A=1` and `token: ‹masked 1›`'],
    [
      'a variable in JSON text',
      '{"script": "A=1\\nmysql --password hunter2\\n"}',
      '{"script": "A=1\\nmysql --password ‹masked 1›\\n"}',
    ],
  ])('[SAFE6] an announced value does not hide the next announcement: %s', (_what, text, masked) => {
    expect(shows(text)).toBe(inMaskForm(masked, text));
  });

  it('[SAFE6] does not mask prose and code that only mention secrets', () => {
    const text =
      'The password is wrong, so is the token. Bearer tokens expire. const token = getToken(); token: string; max_tokens=5';
    expect(shows(text)).toBe(text);
  });

  it.each([
    ['https://bob:hunter2@host/x', 'https://bob:‹masked 1›@host/x'],
    ['https://bob:p@ss:w@host:80/x', 'https://bob:‹masked 1›@host:80/x'],
    ['postgres://bob:a/b@host/db', 'postgres://bob:‹masked 1›@host/db'],
    ['redis://:hunter2@host', 'redis://:‹masked 1›@host'],
    ['https://hunter2@host/x', 'https://‹masked 1›@host/x'],
    ['https://token:hunter2@evil.example/x', 'https://token:‹masked 1›@evil.example/x'],
    ['ssh://git@host/x', 'ssh://git@host/x'],
    ['http://localhost:8080/x http://[::1]:80/', 'http://localhost:8080/x http://[::1]:80/'],
  ])('[SAFE6] %s', (text, masked) => {
    expect(shows(text)).toBe(inMaskForm(masked, text));
  });

  it('[SAFE6] does not mask an error about a file that is named like a secret', () => {
    for (const text of [
      'cat: password: No such file or directory',
      "ls: cannot access 'token': No such file or directory",
      'bash: secret: No such file or directory',
    ])
      expect(shows(text)).toBe(text);
  });

  it('[SAFE6.10] masks no program of a package.json, whatever its script is called', () => {
    const scripts = {
      'test:cookies': 'borp -p "test/cookie/*.js"',
      token: 'node scripts/token.js',
      'reset-password': 'ts-node reset.ts --all && echo done',
      'auth:secret': 'openssl rand -base64 32',
      secrets: 'detect-secrets-hook --baseline .secrets.baseline',
      'db:password': '@scope/very-long-program-name-1234567890abcdef',
      last: "node -e 'if (1) { run() }'",
      'api-key': 'next',
    };
    for (const space of [0, 2]) {
      const text = JSON.stringify({ name: 'x', scripts, token: 'hunter2' }, null, space);
      expect(maskText(text).secrets).toEqual(['hunter2']);
    }
    expect(maskText('{"scripts": {"start": "TOKEN=abc123 next --password x1y2"}}').secrets).toEqual(['abc123', 'x1y2']);
    expect(maskText('{"my scripts": {"token": "abc123"}}').secrets).toEqual(['abc123']);
  });

  it('[SAFE6] gives the same secret the same number', () => {
    const masked = maskText('A_TOKEN=one B_TOKEN=two C_TOKEN=one', { alreadyKnown: ['zero'] });
    expect(masked).toEqual({
      value: 'A_TOKEN=‹masked 2: 3 characters› B_TOKEN=‹masked 3: 3 characters› C_TOKEN=‹masked 2: 3 characters›',
      secrets: ['zero', 'one', 'two'],
    });
  });

  it('[SAFE6] masks a known secret without an announcement', () => {
    expect(maskText('the answer was xhunter22y', { alreadyKnown: ['hunter22'] }).value).toBe(
      'the answer was x‹masked 1: 8 characters›y',
    );
    expect(maskText('a;b c$d', { alreadyKnown: ['a;b c$d'] }).value).toBe('a;b c$d');
  });
});

describe('in shell text a mask covers literals only', () => {
  it.each([
    ['curl -H "Authorization: Bearer $(cat ~/.ssh/id)"', 'curl -H "Authorization: Bearer $(cat ~/.ssh/id)"'],
    ['Bearer abc;rm -rf /', 'Bearer ‹masked 1›;rm -rf /'],
    ['--password=a$(id)b', '--password=‹masked 1›$(id)b'],
    ['--password="a`id`b"', '--password="‹masked 1›`id`b"'],
    ['--password=$PASS', '--password=$PASS'],
    ['TOKEN=abc&&reboot', 'TOKEN=‹masked 1›&&reboot'],
    ['TOKEN=abc>/etc/passwd', 'TOKEN=‹masked 1›>/etc/passwd'],
    ['TOKEN=abc\nreboot', 'TOKEN=‹masked 1›\nreboot'],
    ['https://bob:a$(id)@host', 'https://bob:‹masked 1›$(id)@host'],
    ['--token {a,-T/etc/passwd}', '--token {‹masked 1›,‹masked 2›}'],
    ['--token a*b', '--token ‹masked 1›*‹masked 2›'],
  ])('[SAFE6] %s', (text, masked) => {
    expect(shows(text)).toBe(inMaskForm(masked, text));
  });

  it.each([
    ['a command after an empty variable', 'PASSWORD= rm -rf /'],
    ['words after a closing quote', 'rm "--password=" -rf / "x"'],
    ['words after a closing quote in a comment', '# "\nrm "--password=" -rf / "x"'],
    ['words after a closing quote after a line continuation', 'x \\\n# "\nrm "--password=" -rf / "x"'],
    ['words after a closing quote in an expansion', 'echo "$(rm "--password=" -rf / "x")"'],
    ['words after a closing quote in a here-document', 'cat <<E\n"\nE\nrm "--password=" -rf / "x"'],
    ['a command after a variable with a scheme', 'X=Bearer rm -rf /'],
    ['a command after a quoted name', '"TOKEN"= rm -rf /'],
    ['a command after a variable with a name in it', 'X=password: rm -rf /'],
    ['a command after a variable with a quoted name in it', "X=''password: rm -rf /"],
    ['a command after a variable with an option in it', 'X=""--password rm -rf /'],
    ['a command after a variable with an escape in it', 'X=\\ Bearer rm -rf /'],
    ['a command after a variable of another shell', 'bash -c "ls; X=\'a b\'password: rm -rf /"'],
    ['a command after a variable after an expansion', 'eval "$(true)" X="a b"password: rm -rf /'],
    ['a command after a variable in a quoted header', 'eval X="Authorization: Bearer rm -rf /"'],
    ['a command after a variable that continues on the next line', 'X=\\\n--password rm -rf /'],
    ['a command after a variable with an expansion in it', 'X=a$Y:Bearer rm -rf /'],
    ['a command after a variable with braces in it', 'X=${Y:-a b}password: rm -rf /'],
    ['a command after a variable with a substitution in it', 'X=$(a (b) c)password: rm -rf /'],
    ['a command after a variable with backticks in it', 'X=`true`--password rm -rf /'],
    ['a command after a comment that seems to continue', '# token: \\\nrm -rf /'],
    ['the target of a redirection', 'token=>/etc/passwd token => /etc/shadow'],
  ])('[SAFE6] shows %s', (_what, text) => {
    expect(shows(text)).toBe(text);
  });

  it.each([
    ['bash -c TOKEN="x rm -rf /"', 'bash -c TOKEN="‹masked 1› rm -rf /"'],
    ['eval "TOKEN"="x rm -rf /"', 'eval "TOKEN"="‹masked 1› rm -rf /"'],
    ['eval a=TOKEN="x rm -rf /"', 'eval a=TOKEN="‹masked 1› rm -rf /"'],
    ['AUTHORIZATION=Bearer rm -rf /', 'AUTHORIZATION=Bearer rm -rf /'],
    ['AUTHORIZATION="Bearer abcdefghij0123456789" x', 'AUTHORIZATION="Bearer ‹masked 1›" x'],
    ['--password "correct horse battery"', '--password "‹masked 1› ‹masked 2› ‹masked 3›"'],
    ['password = "correct horse battery"', 'password = "‹masked 1› ‹masked 2› ‹masked 3›"'],
  ])('[SAFE6] shows what would run after quote removal: %s', (text, masked) => {
    expect(shows(text)).toBe(inMaskForm(masked, text));
  });

  it('[SAFE6] shows the command after a variable assignment, whatever its value contains', () => {
    const part = fc.constantFrom(
      ...['password:', '--password', 'Bearer', 'Authorization:', 'Cookie:', '-u', 'token=', 'a', ',', '\u200B'],
      ...['""', "''", '"a b"', "'a b'", '"token: "', '\\ ', '\\\n', '\\"', '\\n'],
      ...['$Y', '${Y}', '${Y:-a b}', '$(true)', '$(a (b) c)', '`true`', '$((1 + 2))', '<(true)', '"$(a "b c")"'],
    );
    const before = fc.constantFrom('', 'ls; ', 'eval ', 'echo "$(true)"; ', 'Z="$1" ', '# "\n');
    fc.assert(
      fc.property(before, fc.array(part, { maxLength: 6 }), (start, parts) => {
        expect(shows(`${start}X=${parts.join('')} rm -rf /`)).toMatch(/ rm -rf \/$/);
      }),
      { numRuns: scaled(500) },
    );
  });

  it('[SAFE6.3] shows every operator, expansion and line break, in order', () => {
    const operator = /[$`;|&<>()\n]/g;
    const fragment = fc.oneof(
      fc.constantFrom(
        'password=',
        '--token ',
        'Authorization: Bearer ',
        'https://bob:',
        '@host',
        '"token": "',
        'Cookie: a=',
        "'",
        '"',
        '\\',
      ),
      fc.constantFrom(
        '$',
        '$(',
        '${',
        '`',
        ';',
        '|',
        '&',
        '<',
        '>',
        '(',
        ')',
        '\n',
        ' ',
        '\t',
        'abc123',
        '-----BEGIN',
        '{a,b}',
      ),
      fc.constantFrom(...announcing),
      fc.string({ unit: 'grapheme', maxLength: 8 }),
    );
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 25 }), (fragments) => {
        const text = fragments.join('');
        const counted = shows(text).replaceAll(/‹(\d+) newlines›/g, (_, count: string) => '\n'.repeat(Number(count)));
        expect(counted.match(operator)?.join('')).toBe(text.match(operator)?.join(''));
      }),
      { numRuns: scaled(500) },
    );
  });

  it('[SAFE6] a secret never contains whitespace, an operator or an invisible character, except the line breaks of a private key', () => {
    const fragment = fc.oneof(
      fc.constantFrom(
        'password=',
        '--token ',
        'Bearer ',
        'token: "',
        "secret='",
        '"',
        "'",
        ' ',
        '$x',
        ';',
        '\u202E',
        '\u200B',
        '\\',
        'abc',
      ),
      fc.constantFrom(...announcing),
      fc.string({ unit: anyCharacter, maxLength: 6 }),
    );
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 20 }), (fragments) => {
        for (const secret of maskText(fragments.join('')).secrets)
          expect(secret).not.toMatch(/[\s$`;|&<>()\p{Cf}\p{Cc}]/u);
      }),
      { numRuns: scaled(500) },
    );
  });
});

describe('invisible text', () => {
  it.each([
    ['a\u202Eb', 'a‹U+202E›b'],
    ['a\u200Bb\u200D\u2060', 'a‹U+200B›b‹U+200D›‹U+2060›'],
    ['a\u00ADb\uFEFF', 'a‹U+00AD›b‹U+FEFF›'],
    ['\u{E0041}\u3164\uFFA0\u115F', '‹U+E0041›‹U+3164›‹U+FFA0›‹U+115F›'],
    ['a\u2028b\u2029', 'a‹U+2028›b‹U+2029›'],
    ['\u001B[31m\u0000\r\u0085', '‹U+001B›[31m‹U+0000›‹U+000D›‹U+0085›'],
    ['\uD800x\uDFFF', '‹U+D800›x‹U+DFFF›'],
    ['\u{1F600} é 漢字\n\tok', '\u{1F600} é 漢字\n\tok'],
    ['‹masked 1›', '‹U+2039›masked 1›'],
    [' '.repeat(8), ' '.repeat(8)],
    [`a${' '.repeat(40)}b`, 'a‹40 spaces›b'],
    [`a${'\n'.repeat(12)}b`, 'a‹12 newlines›b'],
    [`a${'\t'.repeat(9)}b`, 'a‹9 tabs›b'],
    ['\u00A0'.repeat(9), '‹9 U+00A0›'],
    ['password=a\u200Bb', 'password=‹masked 1: 1 character›‹U+200B›‹masked 2: 1 character›'],
  ])('[SAFE6] shows %j as %s', (text, display) => {
    expect(shows(text)).toBe(display);
    expect(reveal(display, maskText(text).secrets)).toEqual({ ok: true, value: text });
  });
});

describe('long texts', () => {
  it.each([
    ['blanks', ' '],
    ['one word', 'aB3/'],
    ['prose', 'the quick brown token fox: '],
    ['prefixes of JWTs', '-eyJ'],
    ['prefixes of keys', 'sk-'],
    ['prefixes of URLs', 'http://a:'],
    ['slashes', '://'],
    ['names', 'token='],
    ['equals signs', '='],
    ['quotes', '"\''],
    ['backslashes', '\\'],
    ['SendGrid prefixes', 'SG.'],
    ['private key headers', '-----BEGIN PRIVATE KEY-----\n'],
    ['JSON with passwords', '{"password":"x y z"},'],
  ])('[SAFE6] 68 KiB of %s is masked and revealed', (_what, unit) => {
    const text = unit.repeat(Math.floor((68 * 1024) / unit.length));
    const masked = maskText(text);
    expect(reveal(masked.value, masked.secrets)).toEqual({ ok: true, value: text });
  });

  it('[SAFE6] finds keys anywhere in a word that is longer than the hold limit', () => {
    const secret = key('ghp_', '0123456789abcdefghijABCDEFGHIJ012345');
    for (const offset of [0, 15_000, 15_340, 15_360, 15_370, 16_350, 16_384, 40_000]) {
      const masked = shows(`${'x'.repeat(offset)}/${secret}/${'y'.repeat(20_000)}`);
      expect(masked).not.toContain(secret.slice(4, 20));
      expect(masked).toContain('y'.repeat(20_000));
    }
  });

  it('[SAFE6] masks the whole value if it is longer than the hold limit', () => {
    const ended = /^(?:token=)?(?:[a-zA-Z0-9-]{0,4}‹masked \d: \d+ characters›[a1]{0,4})+ next$/;
    expect(shows(`token=${'a1'.repeat(20_000)} next`)).toMatch(ended);
    expect(shows(`${key('sk-', 'A1')}${'a1'.repeat(20_000)} next`)).toMatch(ended);
  });
});
