import { ToolFailure } from '@countersign/core/ports';
import { expect, it } from 'vitest';
import { hideValues } from './hide-values.js';
import { toResult } from './to-result.js';

const shown = hideValues({ TOKEN: 'hunter2' });
const text = (words: string) => ({ type: 'text' as const, text: words });

it('returns a single text unchanged, and several as a list', () => {
  expect(toResult({ content: [text('one')] }, shown)).toBe('one');
  expect(toResult({ content: [text('one'), text('two')] }, shown)).toEqual(['one', 'two']);
  expect(toResult({ content: [] }, shown)).toEqual([]);
});

it('returns structured content once, even if the server repeats it as text', () => {
  const structuredContent = { n: 1 };
  expect(toResult({ content: [text('{ "n": 1 }')], structuredContent }, shown)).toEqual({ n: 1 });
  expect(toResult({ content: [text('one')], structuredContent }, shown)).toEqual({
    structured: { n: 1 },
    content: 'one',
  });
});

it('[T13] describes binary content without sending it, and truncates long text', () => {
  const data = Buffer.alloc(100_000).toString('base64');
  const image = { type: 'image' as const, mimeType: 'image/png', data };
  expect(toResult({ content: [image] }, shown)).toMatchObject([{ type: 'image', bytes: 100_000 }]);
  const long = toResult({ content: [text('x'.repeat(10_000_000))] }, shown);
  expect(typeof long === 'string' && long.length < 300_000 && long.includes('left out')).toBe(true);
  const many = toResult({ content: Array.from({ length: 5_000 }, () => text('x')) }, shown);
  expect(many).toHaveLength(1_001);
  const structuredContent = { big: 'y'.repeat(3_000_000) };
  expect(JSON.stringify(toResult({ content: [], structuredContent }, shown)).length).toBeLessThan(300_000);
});

it('[T11.4] [A15] a failure contains the tool’s message without the secrets of its server', () => {
  const fail = () => toResult({ content: [text('no, hunter2 is wrong')], isError: true }, shown);
  expect(fail).toThrow(ToolFailure);
  expect(fail).toThrow(/no, \[TOKEN\] is wrong/);
});
