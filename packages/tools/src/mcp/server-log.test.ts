import { expect, it } from 'vitest';
import { createServerLog } from './server-log.js';

it('keeps the last lines complete, however they are split', () => {
  const log = createServerLog();
  log.push('one\ntw');
  log.push('o\r\n\nthree');
  expect(log.lines()).toEqual(['one', 'two', 'three']);
});

it('limits the number of lines and their length', () => {
  const log = createServerLog();
  for (let i = 0; i < 1_000; i += 1) log.push(`${i} ${'x'.repeat(5_000)}\n`);
  log.push('y'.repeat(1_000_000));
  expect(log.lines()).toHaveLength(201);
  expect(log.lines()[0]).toMatch(/^800 /);
  expect(Math.max(...log.lines().map((line) => line.length))).toBe(1_000);
});
