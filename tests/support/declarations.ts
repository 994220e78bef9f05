import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync, type Statement } from 'oxc-parser';

interface Found {
  file: string;
  text: string;
  statement: Statement;
  /** The declaration itself, without `export`. */
  declaration: Statement;
}

interface Module {
  text: string;
  body: readonly Statement[];
}
const modules = new Map<string, Module>();

function load(file: string): Module {
  const text = readFileSync(file, 'utf8');
  const loaded = modules.get(file) ?? { text, body: parseSync(file, text).program.body };
  modules.set(file, loaded);
  return loaded;
}

/** The names that a declaration file exports. Throws on `export *`, whose names are in another file. */
export function exportedNames(file: string): string[] {
  return load(file).body.flatMap((statement) => {
    if (statement.type === 'ExportAllDeclaration')
      throw new Error(`${file}: list the exports by name instead of "export *"`);
    if (statement.type !== 'ExportNamedDeclaration') return [];
    const { declaration, specifiers } = statement;
    const own = declaration === null ? [] : namesOf(declaration);
    return [...own, ...specifiers.map(({ exported }) => nameOf(exported))];
  });
}

/** Follows exports and imports to the declaration of a name. Undefined if another package declares it. */
export function findDeclaration(file: string, name: string): Found | undefined {
  const { text, body } = load(file);
  for (const statement of body) {
    const declaration = declarationIn(statement);
    if (declaration !== undefined && namesOf(declaration).includes(name)) return { file, text, statement, declaration };
  }
  for (const statement of body) {
    if (statement.type !== 'ExportNamedDeclaration' && statement.type !== 'ImportDeclaration') continue;
    for (const specifier of statement.specifiers) {
      const isExport = specifier.type === 'ExportSpecifier';
      const here = isExport ? nameOf(specifier.exported) : specifier.local.name;
      if (here !== name) continue;
      const there = isExport
        ? nameOf(specifier.local)
        : specifier.type === 'ImportSpecifier'
          ? nameOf(specifier.imported)
          : name;
      const from = statement.source?.value;
      if (from === undefined) continue;
      if (!from.startsWith('.')) return undefined;
      return findDeclaration(join(dirname(file), from).replace(/\.js$/, '.d.ts'), there);
    }
  }
  throw new Error(`${file} declares no ${name}`);
}

/** The names of the declaration, or of its members as `Name.member`, that have no comment. */
export function undocumented(name: string, { text, statement, declaration }: Found): string[] {
  const hasComment = (start: number): boolean => text.slice(0, start).trimEnd().endsWith('*/');
  const own = hasComment(statement.start) ? [] : [name];
  const members = membersOf(declaration).filter(({ start }) => !hasComment(start));
  return [...own, ...members.map((member) => `${name}.${member.name}`)];
}

function membersOf(declaration: Statement): { name: string; start: number }[] {
  const list =
    declaration.type === 'TSInterfaceDeclaration' || declaration.type === 'ClassDeclaration'
      ? declaration.body.body
      : declaration.type === 'TSTypeAliasDeclaration' && declaration.typeAnnotation.type === 'TSTypeLiteral'
        ? declaration.typeAnnotation.members
        : [];
  return list.flatMap((member) => {
    // A constructor is explained by its class.
    if (!('key' in member) || ('kind' in member && member.kind === 'constructor')) return [];
    const { key, start } = member;
    if (key.type !== 'Identifier' && key.type !== 'Literal') return [];
    return [{ name: key.type === 'Identifier' ? key.name : String(key.value), start }];
  });
}

function declarationIn(statement: Statement): Statement | undefined {
  if (statement.type === 'ExportNamedDeclaration') return statement.declaration ?? undefined;
  return statement.type === 'ImportDeclaration' ? undefined : statement;
}

function namesOf(declaration: Statement): string[] {
  if (declaration.type === 'VariableDeclaration') {
    return declaration.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []));
  }
  const id = 'id' in declaration ? declaration.id : null;
  return id?.type === 'Identifier' ? [id.name] : [];
}

function nameOf(exported: { type: string; name?: string; value?: string }): string {
  return exported.name ?? exported.value ?? '';
}
