import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { describeSchemas, schemaFields } from '../../scripts/describe-schemas.mjs';
import { exportedNames, findDeclaration, undocumented } from '../support/declarations.js';

const types = fileURLToPath(new URL('../../packages/countersign/dist/bundle/types', import.meta.url));

it.each(['index', 'server'])('[LIB6] every export of %s and each of its members has a description', (entry) => {
  const file = join(types, 'countersign', `${entry}.d.ts`);
  const names = exportedNames(file);
  expect(names.length).toBeGreaterThan(2);
  const missing = names.flatMap((name) => {
    const found = findDeclaration(file, name);
    return found === undefined ? [] : undocumented(name, found);
  });
  expect(missing).toEqual([]);
});

it('[LIB6] refuses `export *`, whose names it would miss', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-declarations-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'index.d.ts');
  await writeFile(file, "export * from './other.js';\n");
  expect(() => exportedNames(file)).toThrow('index.d.ts: list the exports by name instead of "export *"');
});

it('[LIB6] every field of a schema has a description, which editors show', () => {
  const folder = join(types, 'protocol');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.d.ts'));
  expect(files.length).toBeGreaterThan(30);
  const missing = files.flatMap((name) => {
    const text = readFileSync(join(folder, name), 'utf8');
    return schemaFields(text)
      .filter(({ start }) => !text.slice(0, start).trimEnd().endsWith('*/'))
      .map((field) => `${name}: ${[...field.around, field.name].join('.')}`);
  });
  expect(missing).toEqual([]);
  expect(readFileSync(join(folder, 'worlds', 'worlds.d.ts'), 'utf8')).toMatch(
    /\/\*\* .*number of turns.* \*\/ turnLimit: /,
  );
});

it('[LIB6] a field gets the description of its own schema, and keeps an existing comment', () => {
  const text = `export declare const fooSchema: z.ZodObject<{
    a: z.ZodExactOptional<z.ZodArray<z.ZodObject<{ b: z.ZodString; c: z.ZodLiteral<"d"> }>>>;
    /** Own. */
    b: z.ZodString;
  }>;
  declare const hiddenSchema: z.ZodObject<{ b: z.ZodString; c: z.ZodLiteral<"d"> }>;
  export declare const barSchema: z.ZodObject<{ b: z.ZodString }>;`;
  const texts = z.registry<{ description?: string }>();
  const say = (description: string) => z.string().register(texts, { description });
  const values = {
    barSchema: z.object({ b: say('The b of a bar.') }),
    fooSchema: z.object({
      a: z
        .array(z.object({ b: say('The b of a.'), c: z.literal('d') }))
        .exactOptional()
        .register(texts, { description: 'An a.' }),
      b: say('Some b.'),
    }),
  };
  expect(describeSchemas(text, values, texts).match(/\/\*\* .*? \*\//g)).toEqual([
    '/** An a. */',
    '/** The b of a. */',
    '/** Always "d". */',
    '/** Own. */',
    '/** The b of a. */',
    '/** Always "d". */',
    '/** The b of a bar. */',
  ]);
});
