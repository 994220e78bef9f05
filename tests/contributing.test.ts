import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { root } from './support/source-modules.js';

const text = readFileSync(`${root}CONTRIBUTING.md`, 'utf8');

it('CONTRIBUTING names the seven files that tell the life of a call, and they exist', () => {
  const sentence = /Seven files in `(?<folder>[^`]+)` tell the life of a call, in this order: (?<files>[^]*?)\. /.exec(
    text,
  );
  const { folder = '', files = '' } = sentence?.groups ?? {};
  const named = [...files.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
  expect(named).toHaveLength(7);
  expect(named.filter((name) => !existsSync(`${root}${folder}/${name}`))).toEqual([]);
});

it('CONTRIBUTING lists every folder of core', () => {
  const folders = readdirSync(`${root}packages/core/src`, { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  const listed = folders.map(({ name }) => name).filter((name) => !text.includes(`\`${name}\``));
  expect(listed.filter((name) => !['ports', 'testing'].includes(name))).toEqual([]);
});
