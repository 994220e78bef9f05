import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseSync, Visitor } from 'oxc-parser';

export const root = fileURLToPath(new URL('../../', import.meta.url));

export interface SourceModule {
  /** Path relative to the workspace root, with forward slashes. */
  readonly path: string;
  readonly isTest: boolean;
  /** All import specifiers: static, dynamic, type-only and re-exports. */
  readonly imports: readonly string[];
  readonly hasExportStar: boolean;
}

/** Reads every TypeScript module below a folder of the workspace. */
export function readSourceModules(folder: string): SourceModule[] {
  return sourceFiles(folder).map((path) => {
    // The facade's `testing` folder is test code; core's is published and counts as source.
    const isTest = /\.test\.tsx?$/.test(path) || path.startsWith('packages/countersign/src/testing/');
    return { path, isTest, ...readImports(path, readFileSync(`${root}${path}`, 'utf8')) };
  });
}

/** An import with a computed name is listed as `(computed)`, which no table can allow. */
export function readImports(path: string, text: string): Pick<SourceModule, 'imports' | 'hasExportStar'> {
  const parsed = parseSync(path, text);
  if (parsed.errors[0]) throw new Error(`${path} does not parse: ${parsed.errors[0].message}`);
  const { staticImports, staticExports } = parsed.module;
  const exported = staticExports.flatMap(({ entries }) => entries);
  const imports = new Set([...staticImports, ...exported].flatMap(({ moduleRequest }) => moduleRequest?.value ?? []));
  const hasExportStar = exported.some(({ importName }) => importName.kind.startsWith('All'));
  // Most modules have no other imports, and creating their syntax trees took seconds.
  if (!/\b(?:import|require)\s*\(|\{\s*\}\s*from/.test(text)) return { imports: [...imports], hasExportStar };
  new Visitor({
    ExportNamedDeclaration: ({ source }) => source && imports.add(source.value),
    ImportExpression: ({ source }) => imports.add(literal(source)),
    TSImportType: ({ source }) => imports.add(source.value),
    TSExternalModuleReference: ({ expression }) => imports.add(expression.value),
    CallExpression({ callee, arguments: [name] }) {
      if (callee.type === 'Identifier' && callee.name === 'require' && name) imports.add(literal(name));
    },
  }).visit(parsed.program);
  return { imports: [...imports], hasExportStar };
}

function literal(node: { readonly type: string; readonly value?: unknown }): string {
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : '(computed)';
}

function sourceFiles(folder: string): string[] {
  return readdirSync(`${root}${folder}`, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(root.length));
}
