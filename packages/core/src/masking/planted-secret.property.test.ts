import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scaled } from '../../../../tests/support/scaled.js';
import { createChunkMasker } from './create-chunk-masker.js';
import { maskSecrets } from './mask-secrets.js';
import { maskText } from './mask-text.js';
import { maskValue } from './mask-value.js';
import { splitSecret } from './display-form.js';
import { reveal } from './reveal.js';

const letters = Array.from('abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789');
const capitals = Array.from('ABCDEFGHIJ0123456789');
const word = (min: number, max = min) =>
  fc.string({ unit: fc.constantFrom(...letters), minLength: min, maxLength: max });

const middleOf = (secret: string): string => splitSecret(secret).middle;

/** Detected by its format alone. */
const shaped = fc.oneof(
  word(36).map((rest) => `ghp_${rest}`),
  word(24).map((rest) => `sk-ant-api03-${rest}1A`),
  fc.string({ unit: fc.constantFrom(...capitals), minLength: 16, maxLength: 16 }).map((id) => `AKIA${id}`),
  word(35).map((rest) => `AIza${rest}`),
  word(24).map((rest) => `xoxb-${rest}`),
  fc.tuple(word(12), word(20), word(20)).map(([a, b, c]) => `eyJ${a}.eyJ${b}.${c}`),
);
/** Detected only by the text before it. Not a plain word, so it can't occur by chance. */
const plain = word(12, 24).map((rest) => `${rest}9Z`);

const user = '(user)';
const carriers: Record<string, (secret: string) => string> = {
  json: (s) => JSON.stringify({ user, password: s, n: 1 }),
  'pretty JSON': (s) => JSON.stringify({ user, deep: [{ api_key: s }] }, null, 2),
  'a list in JSON': (s) => JSON.stringify({ passwords: ['other', s], n: 1 }),
  'arguments in JSON': (s) => JSON.stringify(['login', '--password', s, '-v']),
  'headers in JSON': (s) => JSON.stringify({ headers: { authorization: `Bearer ${s}` } }),
  'a variable': (s) => `PASSWORD=${s}`,
  'an exported variable': (s) => `export AWS_SECRET_ACCESS_KEY=${s}`,
  'an option': (s) => `login --password ${s} -v`,
  'an option with =': (s) => `login --password=${s} -v`,
  'a header': (s) => `Authorization: Bearer ${s}`,
  'a basic header': (s) => `Authorization: Basic ${s}`,
  'a cookie': (s) => `Cookie: session=${s}`,
  'curl with a header': (s) => `curl -H "X-Api-Key: ${s}" https://host/`,
  'curl with a user': (s) => `curl -u bob:${s} host`,
  'curl with --user=': (s) => `curl --user=bob:${s} host`,
  'a URL': (s) => `https://bob:${s}@host/x`,
  'a query': (s) => `https://host/x?access_token=${s}&b=1`,
  YAML: (s) => `user: bob\npassword: ${s}\n`,
  INI: (s) => `[db]\npassword = ${s}\n`,
  Python: (s) => `{'password': '${s}'}`,
  TOML: (s) => `password = "${s}"`,
  'a connection string': (s) => `Server=x;User Id=sa;Password=${s};`,
};
const commands: Record<string, (secret: string) => string> = {
  'mysql -p': (s) => `mysql -uroot -p${s} db`,
  'mysql -p in quotes': (s) => `/usr/bin/mysqldump -h x -p'${s}' db`,
  'sudo mysql': (s) => `sudo docker exec db mysql -p${s}`,
  'sshpass -p': (s) => `sshpass -p ${s} ssh host`,
  'redis-cli -a': (s) => `redis-cli -h x -a ${s} ping`,
  'docker login -p': (s) => `docker login -u bob -p ${s} registry`,
  'zip -P': (s) => `zip -P ${s} a.zip b`,
  '7z -p': (s) => `7z x -p${s} a.7z`,
  'ldapsearch -w': (s) => `ldapsearch -D cn=x -w ${s}`,
  'openssl -pass': (s) => `openssl enc -pass pass:${s}`,
  'curl -uname': (s) => `curl -ubob:${s} host`,
  'git config': (s) => `git config --global github.token ${s}`,
  'aws configure': (s) => `aws configure set aws_secret_access_key ${s}`,
  setx: (s) => `setx API_KEY ${s}`,
  SQL: (s) => `ALTER USER bob WITH PASSWORD '${s}'`,
  'more SQL': (s) => `CREATE USER bob IDENTIFIED BY '${s}'`,
  '.netrc': (s) => `machine host login bob password ${s}`,
  XML: (s) => `<config><password>${s}</password></config>`,
  'an attribute in XML': (s) => `<user name="a" password="${s}"/>`,
  'a list in YAML': (s) => `passwords:\n  - other\n  - ${s}\n  - "${s}"\n`,
};

const inJson = (text: string): string => JSON.stringify({ body: text });
const inString = (text: string): string => JSON.stringify(text);
const inUrl = (text: string): string => `https://host/log?text=${encodeURIComponent(text)}&n=1`;
const encoded = (text: string): string => encodeURIComponent(text);
const quoted = (text: string): string => `printf %s '${text.replaceAll("'", `'\\''`)}' | tee log`;
const twiceQuoted = (text: string): string => `bash -c "echo ${text.replaceAll(/["\\$`]/g, '\\$&')}"`;

type Encode = (text: string) => string;
const jsonLevels = fc.array(fc.constantFrom<Encode>(inJson, inString), { maxLength: 3 });
const urlLevels = fc.array(fc.constantFrom<Encode>(inUrl, encoded), { minLength: 1, maxLength: 2 });
const encodings = fc.oneof(
  fc.constant<Encode[]>([]),
  jsonLevels,
  urlLevels,
  fc.tuple(jsonLevels, urlLevels).map(([json, url]) => [...json, ...url]),
  fc.constantFrom<Encode[]>(
    [quoted],
    [twiceQuoted],
    [inString, quoted],
    [inJson, quoted],
    [encoded, quoted],
    [inUrl, inJson],
  ),
);

/** All the forms in which text or values are shown, concatenated. */
function everythingShown(text: string, cuts: readonly number[]): string {
  const stream = createChunkMasker();
  let streamed = '';
  let from = 0;
  for (const cut of [...cuts].map((at) => at % (text.length + 1)).toSorted((a, b) => a - b)) {
    streamed += stream.push(text.slice(from, cut));
    from = cut;
  }
  streamed += stream.push(text.slice(from)) + stream.end();
  const value = maskValue({ a: [{ text }, [text]], ['x-y']: text }).value;
  return [maskText(text).value, maskSecrets(text), streamed, JSON.stringify(value)].join('\n');
}

const cuts = fc.array(fc.nat(2000), { maxLength: 4 });

describe('a planted secret', () => {
  it('[SAFE6.10] that is detected by its name is never shown, however it is nested and encoded', () => {
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(carriers)), plain, encodings, cuts, (carrier, secret, encode, at) => {
        const text = encode.reduce((inner, wrap) => wrap(inner), carriers[carrier]?.(secret) ?? '');
        expect(everythingShown(text, at)).not.toContain(middleOf(secret));
      }),
      { numRuns: scaled(400) },
    );
  });

  it('[SAFE6.10] that is detected by its format is never shown, however it is nested and encoded', () => {
    const around = fc.constantFrom<Encode>(
      (s) => `see ${s} there`,
      (s) => `x=${s}`,
      (s) => JSON.stringify({ a: s }),
      (s) => `https://host/${s}`,
      (s) => `(${s})`,
      (s) => `a,${s},b`,
    );
    fc.assert(
      fc.property(shaped, around, encodings, cuts, (secret, wrap, encode, at) => {
        const text = encode.reduce((inner, next) => next(inner), wrap(secret));
        expect(everythingShown(text, at)).not.toContain(middleOf(secret));
      }),
      { numRuns: scaled(250) },
    );
  });

  it('[SAFE6] in a known option, statement or file format is never shown, plain, quoted or in a URL', () => {
    const once = fc.constantFrom<Encode>(String, inString, encoded, inUrl, quoted);
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(commands)), plain, once, cuts, (command, secret, encode, at) => {
        expect(everythingShown(encode(commands[command]?.(secret) ?? ''), at)).not.toContain(middleOf(secret));
      }),
      { numRuns: scaled(250) },
    );
  });

  it('[SAFE6] under a secret key is never shown, at any depth and next to any other keys', () => {
    const key = fc.constantFrom(
      'password',
      'apiKey',
      'X-Api-Key',
      'client_secret',
      'Authorization',
      'refresh_token',
      'cookie',
    );
    const tree = (secret: string, name: string) =>
      fc.letrec<{ node: unknown }>((tie) => ({
        node: fc.oneof(
          { depthSize: 'small', withCrossShrink: true },
          fc.constantFrom(
            { [name]: secret },
            { [name]: [secret] },
            { [name]: { deep: [secret] } },
            { name, value: secret },
          ),
          fc.tuple(tie('node'), fc.jsonValue()).map(([inner, other]) => ({ inner, other })),
          fc.tuple(fc.jsonValue(), tie('node')).map(([other, inner]) => [other, inner]),
          tie('node').map((inner) => ({ text: JSON.stringify({ [name]: secret }), inner })),
        ),
      })).node;
    const planted = fc
      .tuple(plain, key)
      .chain(([secret, name]) => tree(secret, name).map((value) => ({ secret, value })));
    fc.assert(
      fc.property(planted, ({ secret, value }) => {
        const masked = maskValue(value);
        expect(JSON.stringify(masked.value)).not.toContain(middleOf(secret));
        expect(reveal(masked.value, masked.secrets)).toEqual({ ok: true, value });
      }),
      { numRuns: scaled(200) },
    );
  });

  it('[SAFE6] in a command that is split into words is never shown', () => {
    const words = (...all: string[]): string => JSON.stringify(maskValue(all).value);
    fc.assert(
      fc.property(plain, (secret) => {
        expect(words('mysql', '-uroot', `-p${secret}`, 'db')).not.toContain(middleOf(secret));
        expect(words('sshpass', '-p', secret, 'ssh')).not.toContain(middleOf(secret));
        expect(JSON.stringify(maskValue({ command: 'mysql', parameters: [`-p${secret}`] }).value)).not.toContain(
          middleOf(secret),
        );
      }),
      { numRuns: scaled(50) },
    );
  });

  it('[SAFE6] text that only resembles a secret is shown', () => {
    for (const text of [
      'docker run -p 8080:80 image',
      'mkdir -p a/b && ssh -p 2222 host',
      'mysql -p db',
      'cat <token>/etc/cron.d/x</token>y',
      'cat <token >out',
      'if a <password> b',
      'password: \n- rm',
      'set -x; run API_KEY',
      'we create user accounts by hand',
      '100%25 of 3+4=7',
      'git config user.name bob',
    ]) {
      expect(maskText(text).value.replace('- ‹masked 1: 2 characters›', '- rm')).toBe(text);
    }
  });
});
