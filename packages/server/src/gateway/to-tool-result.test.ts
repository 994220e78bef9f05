import { expect, it } from 'vitest';
import { toToolResult } from './to-tool-result.js';

const ID = 'a'.repeat(64);
const noFile = (): Promise<undefined> => Promise.resolve(undefined);

it.each([
  ['a text', { result: 'hello' }, { content: [{ type: 'text', text: 'hello' }] }],
  ['no result', { result: null }, { content: [{ type: 'text', text: 'null' }] }],
  ['an object', { result: { a: 1 } }, { content: [{ type: 'text', text: '{"a":1}' }] }],
  [
    'a resource between texts',
    { result: ['one', { type: 'resource', uri: 'test://x', mimeType: 'text/plain', text: 'inside' }] },
    {
      content: [
        { type: 'text', text: 'one' },
        { type: 'resource', resource: { uri: 'test://x', mimeType: 'text/plain', text: 'inside' } },
      ],
    },
  ],
  [
    'an object that only looks like a resource',
    { result: [{ type: 'resource', uri: 7 }] },
    { content: [{ type: 'text', text: '{"type":"resource","uri":7}' }] },
  ],
  [
    'a denial, with its reason',
    { error: 'The call to x was denied', reason: 'not on Fridays' },
    { isError: true, content: [{ type: 'text', text: 'The call to x was denied: not on Fridays' }] },
  ],
  [
    'a failure with a result',
    { error: 'exited with 1', result: 'stderr' },
    {
      isError: true,
      content: [
        { type: 'text', text: 'exited with 1' },
        { type: 'text', text: 'stderr' },
      ],
    },
  ],
])('[EXT2.5] returns %s', async (_, stored, result) => {
  expect(await toToolResult(JSON.stringify(stored), noFile)).toEqual(result);
});

it.each([
  ['image', 'image/png', { type: 'image', data: 'AAAA', mimeType: 'image/png' }],
  ['file', 'audio/wav', { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }],
  [
    'file',
    'application/pdf',
    { type: 'resource', resource: { uri: `attachment:${ID}`, mimeType: 'application/pdf', blob: 'AAAA' } },
  ],
])('[EXT2.5] returns an attached %s of type %s as content', async (kind, mimeType, block) => {
  const stored = JSON.stringify({ result: 'see', attachments: [{ id: ID, bytes: 3, kind, mimeType }] });
  const { content } = await toToolResult(stored, (id) => Promise.resolve(id === ID ? 'AAAA' : undefined));
  expect(content).toEqual([{ type: 'text', text: 'see' }, block]);
});

it('[EXT2.5] says that an attachment was deleted', async () => {
  const stored = JSON.stringify({
    result: 'see',
    attachments: [{ id: ID, bytes: 3, kind: 'image', mimeType: 'image/png' }],
  });
  const { content } = await toToolResult(stored, noFile);
  expect(content.at(-1)).toEqual({ type: 'text', text: '[image/png, deleted]' });
});
