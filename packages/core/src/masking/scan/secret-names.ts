export type SecretName = 'authorization' | 'cookie' | 'other';

const ending = new RegExp(
  `(?:${[
    'passwords?|passwd|passphrase|passcode',
    'secrets?|token|credentials?|authorization|cookies?|jwt',
    '(?:api|access|secret|private|signing|encryption|master|account|shared|subscription|auth)keys?',
    '(?:access|refresh|auth)tokens',
    '(?:db|smtp|mysql|user|root|admin|ftp|redis|proxy|sudo)pass',
    'pgpass|[a-z]pwd',
  ].join('|')})$`,
);
const exact = new Set(['pass', 'pw', 'sig', 'bearer', 'xamzsignature', 'xgoogsignature']);
// Cursors and counters have similar names but aren't secrets; PWD is a folder.
const harmless = /^oldpwd$|(?:next|page|continuation|cancell?ation|max)token$/;

/** The kind of secret that a key, header, variable or option with this name contains, or `undefined`. */
export function secretName(name: string): SecretName | undefined {
  if (name === '_auth') return 'other';
  // Names are short. Without the limit, a megabyte-long key would be copied several times.
  const plain = name
    .slice(-64)
    .toLowerCase()
    .replaceAll(/[\s_.-]/g, '');
  if (!(ending.test(plain) || exact.has(plain)) || harmless.test(plain)) return undefined;
  if (plain.endsWith('authorization')) return 'authorization';
  return /cookies?$/.test(plain) ? 'cookie' : 'other';
}

// The last two letters of all names above. Fast path: almost every word fails here.
const endings = 'rd ds wd pw se de et ts en al ls on ie es wt ey ys ns ss ig er re th'.split(' ');

// The last three letters; a separator may split them after the first. `pw` is a name by itself.
const longer = 'ord rds swd ase ode ret ets ken ens ial als ion kie ies jwt key eys ass pwd sig rer ure uth'.split(' ');

/** Regex source for the endings of these names, in lowercase and uppercase. */
export const nameEndings = ['pw', ...longer]
  // Two characters lowercase to `k`: K and the Kelvin sign.
  .map((end) => end.split('').map((letter) => `[${letter}${letter.toUpperCase()}${letter === 'k' ? '\u212A' : ''}]`))
  .map(([first = '', ...rest]) => `${first}${rest.length === 2 ? '[\\s_.-]*' : ''}${rest.join('')}`)
  .join('|');

const lastLetters = new Set(endings.map((pair) => pair.charCodeAt(0) * 256 + pair.charCodeAt(1)));

/** The kind of the name that ends right before `end`, if it is a secret name. */
export function secretNameBefore(text: string, end: number): SecretName | undefined {
  if (end < 2 || !lastLetters.has((text.charCodeAt(end - 2) | 32) * 256 + (text.charCodeAt(end - 1) | 32)))
    return undefined;
  return secretName(nameBefore(text, end));
}

/** The name that ends right before `end`, such as `token` in `https://host/?token=`. */
function nameBefore(text: string, end: number): string {
  let start = end;
  while (start > 0 && end - start < 64 && /[\w.-]/.test(text.charAt(start - 1))) start -= 1;
  return text.slice(start, end);
}
