import { ToolFailure, type NewAttachment, type ToolContext } from '@countersign/core/ports';
import { expect, it } from 'vitest';
import { hideValues } from '../hide-values.js';
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

it('[TURN16] keeps binary content and describes it, without base64 in the text', () => {
  const kept: NewAttachment[] = [];
  const attach: ToolContext['attach'] = (file) => {
    kept.push(file);
    const about = { id: 'f'.repeat(64), bytes: 12_345 };
    if (file.mimeType === 'image/png') return { ...about, kind: 'image', mimeType: 'image/png' };
    return file.mimeType === 'audio/wav' ? { refused: 'too loud' } : { ...about, kind: 'file', mimeType: 'x/y' };
  };
  const data = Buffer.alloc(2_500).toString('base64');
  const image = { type: 'image' as const, mimeType: 'image/png', data };
  const audio = { type: 'audio' as const, mimeType: 'audio/wav', data };
  const blob = { type: 'resource' as const, resource: { uri: 'file:///a.bin', blob: data } };
  expect(toResult({ content: [image] }, shown, attach)).toBe('[image/png, 12 kB]');
  expect(toResult({ content: [text('see'), audio, blob] }, shown, attach)).toEqual([
    'see',
    '[audio/wav, 3 kB, not kept: too loud]',
    { type: 'resource', uri: 'file:///a.bin', content: '[x/y, 12 kB, can be downloaded]' },
  ]);
  expect(kept.map(({ mimeType }) => mimeType)).toEqual(['image/png', 'audio/wav', 'application/octet-stream']);
  expect(toResult({ content: [image] }, shown)).toBe('[image/png, 3 kB, not kept]');
});

it('[SAFE6] [TURN16] keeps no file that contains a value of its server', () => {
  const hide = hideValues({ TOKEN: 'tok9F2kQ7zX41mWb' });
  const data = Buffer.from('id3 tok9F2kQ7zX41mWb').toString('base64');
  const attach: ToolContext['attach'] = () => expect.unreachable();
  const audio = { type: 'audio' as const, mimeType: 'audio/mp3', data };
  expect(toResult({ content: [audio] }, hide, attach)).toBe('[audio/mp3, 20 bytes, not kept: it contains a secret]');
});

it('[SAFE6] [TURN16] the type of a kept file contains no value of its server', () => {
  const hide = hideValues({ TOKEN: 'tok9F2kQ7zX41mWb' });
  const types: string[] = [];
  const attach: ToolContext['attach'] = ({ mimeType }) => {
    types.push(mimeType);
    return { refused: 'too loud' };
  };
  const audio = { type: 'audio' as const, mimeType: 'audio/tok9F2kQ7zX41mWb', data: 'AA==' };
  expect(toResult({ content: [audio] }, hide, attach)).toBe('[audio/‹masked›, 1 byte, not kept: too loud]');
  expect(types).toEqual(['audio/‹masked›']);
});

it('[TURN13] truncates long text', () => {
  const long = toResult({ content: [text('x'.repeat(10_000_000))] }, shown);
  expect(typeof long === 'string' && long.length < 300_000 && long.includes('left out')).toBe(true);
  const many = toResult({ content: Array.from({ length: 5_000 }, () => text('x')) }, shown);
  expect(many).toHaveLength(1_001);
  const structuredContent = { big: 'y'.repeat(3_000_000) };
  expect(JSON.stringify(toResult({ content: [], structuredContent }, shown)).length).toBeLessThan(300_000);
});

it('[TURN11.4] [SAFE6] a failure contains the tool’s message without the secrets of its server', () => {
  const fail = () => toResult({ content: [text('no, hunter2 is wrong')], isError: true }, shown);
  expect(fail).toThrow(ToolFailure);
  expect(fail).toThrow(/no, \[TOKEN\] is wrong/);
});
