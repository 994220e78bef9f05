// Collects the declarations that the library exports. They refer to packages that are bundled and therefore not installed.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const SPECIFIER = /(?<before>\b(?:from|import)\s*\(?\s*)(?<quote>["'])(?<name>[^"']+)\k<quote>/g;
const OURS = '@countersign/';

/**
 * Copies the entries and every declaration they reach into `target`, in one folder per package.
 *
 * @param {{ packages: string, entries: string[], target: string }} folders
 */
export async function bundleTypes({ packages, entries, target }) {
  // Loaded lazily: on a fresh clone, the parser is installed and the packages are compiled after this script has been loaded.
  const { describeSchemas } = await import('./describe-schemas.mjs');
  const protocol = /** @type {typeof import('@countersign/protocol')} */ (
    await import(join(packages, 'protocol', 'dist', 'index.js'))
  );
  // A set also iterates over elements that are added during the loop.
  const files = new Set(entries);
  for (const file of files) {
    const text = readFileSync(file, 'utf8')
      .replace(/^\/\/# sourceMappingURL=.*$/m, '')
      .replace(SPECIFIER, (whole, before, quote, /** @type {string} */ name) => {
        const found = declarationOf(name, file, packages);
        if (found === undefined) return whole;
        files.add(found);
        const path = relative(dirname(placeOf(file)), placeOf(found)).replace(/\.d\.ts$/, '.js');
        return `${before}${quote}${path.startsWith('.') ? path : `./${path}`}${quote}`;
      });
    mkdirSync(dirname(placeOf(file)), { recursive: true });
    writeFileSync(placeOf(file), text.includes('ZodObject') ? describeSchemas(text, protocol, protocol.api) : text);
  }

  /** @param {string} file */
  function placeOf(file) {
    return join(target, relative(packages, file).replace(/^([^/\\]+)[/\\]dist[/\\]/, '$1/'));
  }
}

/** @param {string} name @param {string} from @param {string} packages */
function declarationOf(name, from, packages) {
  if (name.startsWith('.')) return resolve(dirname(from), name).replace(/\.js$/, '.d.ts');
  if (!name.startsWith(OURS)) return undefined;
  const [folder = '', ...path] = name.slice(OURS.length).split('/');
  const { exports } = /** @type {{ exports: Record<string, { types: string }> }} */ (
    JSON.parse(readFileSync(join(packages, folder, 'package.json'), 'utf8'))
  );
  const entry = exports[['.', ...path].join('/')];
  if (entry === undefined) throw new Error(`${from} imports ${name}, which is not exported.`);
  return join(packages, folder, entry.types);
}
