/** How an option or statement takes its secret: attached, as the next word, or as `name:password`. */
export type SecretOption = 'attached' | 'next' | 'user';

type Options = Readonly<Record<string, readonly SecretOption[]>>;

const same = (names: string, options: Options): [string, Options][] => names.split(' ').map((name) => [name, options]);

/** Short options of well-known programs. For other programs, `-p` is a port, a path or a parent folder. */
const programs: ReadonlyMap<string, Options> = new Map([
  ...same('mysql mysqldump mysqladmin mysqlimport mysqlshow mysqlcheck mysqlpump mysqlslap', { '-p': ['attached'] }),
  ...same('mariadb mariadb-dump mariadb-admin mariadb-import mariadb-check 7z 7za 7zz', { '-p': ['attached'] }),
  ...same('rar unrar', { '-p': ['attached'], '-hp': ['attached'] }),
  ...same('sshpass', { '-p': ['attached', 'next'] }),
  ...same('mongo mongosh mongodump mongorestore mongoimport mongoexport', { '-p': ['next'] }),
  ...same('redis-cli', { '-a': ['next'] }),
  ...same('zip unzip sqlcmd', { '-P': ['next'] }),
  ...same('ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami ldappasswd', { '-w': ['next'] }),
  ...same('openssl', { '-k': ['next'] }),
  ...same('curl', { '-u': ['user'] }),
  // These are not programs, but states within a command or statement.
  ['a login', { '-p': ['next'], '-u': [] }],
  ['a user in SQL', { PASSWORD: ['next'], BY: ['next'] }],
  ['a line of .netrc', { password: ['next'] }],
]);

const withLogin = new Set('docker podman nerdctl helm skopeo buildah oras crane az'.split(' '));
const steps: ReadonlyMap<string, (word: string) => string | undefined> = new Map([
  ...[...withLogin].map((name): [string, (word: string) => string | undefined] => [
    name,
    (word) => (word === 'login' ? 'a login' : undefined),
  ]),
  ['machine', (word) => (word === 'login' ? 'a line of .netrc' : undefined)],
  ['alter', (word) => (/^(?:user|role|login)$/i.test(word) ? 'a user in SQL' : undefined)],
  ['create', (word) => (/^(?:user|role|login)$/i.test(word) ? 'a user in SQL' : undefined)],
  ['config', (word) => (word === 'set' || word.startsWith('--') ? 'a setting' : undefined)],
  ['configure', (word) => (word === 'set' ? 'a setting' : undefined)],
  ['set', (word) => (/^-[a-zA-Z]*x/.test(word) ? 'a setting' : undefined)],
]);

/** SQL keywords may also be uppercase. */
const names: ReadonlyMap<string, string> = new Map([
  ...[...programs.keys(), ...steps.keys()].map((name): [string, string] => [name, name]),
  ['ALTER', 'alter'],
  ['CREATE', 'create'],
  ['setx', 'a setting'],
]);

/** First letter and length of each name, as a fast filter. */
const begins = new Set([...names.keys()].map((name) => name.charCodeAt(0) * 64 + name.length + 1));

/** The command or statement state after a word. */
export function commandAfter(command: string | undefined, word: string): string | undefined {
  const step = command === undefined ? undefined : steps.get(command)?.(word);
  if (step !== undefined) return step;
  if (word.length > 64) return command;
  // `/usr/bin/mysql`, and `text=mysql` in a form.
  const slash = Math.max(word.lastIndexOf('/'), word.lastIndexOf('='));
  // Fast path: almost every word fails here.
  if (!begins.has(word.charCodeAt(slash + 1) * 64 + word.length - slash)) return command;
  return names.get(slash === -1 ? word : word.slice(slash + 1)) ?? command;
}

/** The option that this word is or starts with, and the part of the word that belongs to the secret. */
export function readOption(
  command: string | undefined,
  word: string,
): { takes: SecretOption; option: string } | undefined {
  if (command === undefined) return undefined;
  // `setx API_KEY abc`, `git config --global github.token abc`: such names don't occur in prose.
  if (command === 'a setting') return /[_.:]|[A-Z]{3}/.test(word) ? { takes: 'next', option: word } : undefined;
  const options = programs.get(command) ?? {};
  // Own properties only: `valueOf` is not an option.
  const exact = Object.hasOwn(options, word) ? options[word] : undefined;
  // `mysql -p db` prompts for the password; `mysql -p'x'` is one word with quotes.
  if (exact !== undefined && exact.length > 0)
    return { takes: exact.includes('next') ? 'next' : (exact[0] ?? 'next'), option: word };
  for (const [option, takes] of Object.entries(options)) {
    const attached = takes.find((how) => how !== 'next');
    if (attached !== undefined && word.startsWith(option)) return { takes: attached, option };
  }
  return undefined;
}
