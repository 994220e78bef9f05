/** npm accepts any prefix of these, and some aliases. */
const NPM =
  `access adduser audit cache ci config dedupe deprecate diff dist-tag exec explore fund hook init install install-test link login
  logout org owner pack pkg profile prune publish query rebuild restart root run-script sbom search set set-script shrinkwrap star start
  stop team test token undeprecate uninstall unpublish unstar update version`.split(/\s+/);
const NPM_NAMES: Readonly<Record<string, string>> = {
  i: 'install',
  in: 'install',
  add: 'install',
  x: 'exec',
  t: 'test',
  tst: 'test',
  run: 'run-script',
  rum: 'run-script',
  urn: 'run-script',
  un: 'uninstall',
  rm: 'uninstall',
  r: 'uninstall',
  remove: 'uninstall',
  unlink: 'uninstall',
  up: 'update',
  upgrade: 'update',
  create: 'init',
  innit: 'init',
  c: 'config',
  ln: 'link',
  author: 'owner',
  'add-user': 'adduser',
};
const RM: Readonly<Record<string, string>> = { recursive: 'r', force: 'f', dir: 'd', verbose: 'v' };

/** Other spellings of the same command that a deny rule may use. */
export function otherSpellings(words: readonly string[]): readonly (readonly string[])[] {
  const [program = '', ...rest] = words;
  const at = rest.findIndex((word) => !word.startsWith('-'));
  const name = rest[at] ?? '';
  const renamed = (to: string): string[] => [program, ...rest.slice(0, at), to, ...rest.slice(at + 1)];
  switch (program) {
    case 'npm': {
      if (at < 0) return [];
      const short = name.length > 1 ? NPM.filter((full) => full !== name && full.startsWith(name)) : [];
      const known = Object.hasOwn(NPM_NAMES, name) ? [NPM_NAMES[name] ?? name] : [];
      const back = Object.keys(NPM_NAMES).filter((alias) => NPM_NAMES[alias] === (known[0] ?? name));
      return [...new Set([...short, ...known, ...back])].filter((other) => other !== name).map(renamed);
    }
    case 'git':
      // The plumbing behind push, and aliases of it.
      if (name === 'send-pack' || name === 'http-push') return [renamed('push')];
      return name === 'subtree' && rest.includes('push') ? [renamed('push')] : [];
    case 'cargo':
      return rest[0]?.startsWith('+') === true ? [[program, ...rest.slice(1)]] : [];
    case 'docker':
    case 'podman':
      // `docker container run` is `docker run`.
      return name === 'container' || name === 'image' ? [[program, ...rest.slice(0, at), ...rest.slice(at + 1)]] : [];
    case 'rm': {
      const short = words.map((word) => {
        const long = /^--([a-z]+)$/.exec(word)?.[1] ?? '';
        const option = long === '' ? undefined : Object.keys(RM).find((full) => full.startsWith(long));
        if (option !== undefined) return `-${RM[option]}`;
        return /^-[A-Za-z]+$/.test(word) ? word.replaceAll('R', 'r') : word;
      });
      return short.some((word, index) => word !== words[index]) ? [short] : [];
    }
    default:
      return [];
  }
}
