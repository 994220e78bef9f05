import { expect, it } from 'vitest';
import { attachmentsIn, describeFile } from './attachments.js';

const file = { id: 'a'.repeat(64), kind: 'image', mimeType: 'image/png', bytes: 12 };

it('[TURN16] reads attachments only at the top level, where a tool can’t write', () => {
  expect(attachmentsIn(JSON.stringify({ result: 'x', attachments: [file] }))).toEqual([file]);
  expect(attachmentsIn(JSON.stringify({ result: { attachments: [file] } }))).toEqual([]);
  expect(attachmentsIn(JSON.stringify({ result: JSON.stringify({ attachments: [file] }) }))).toEqual([]);
  expect(attachmentsIn(JSON.stringify({ result: 1, attachments: [{ ...file, mimeType: 'image/svg+xml' }] }))).toEqual(
    [],
  );
});

it('describes a file by type and size', () => {
  expect(describeFile('image/png', 1)).toBe('image/png, 1 byte');
  expect(describeFile('image/png', 12_345)).toBe('image/png, 12 kB');
  expect(describeFile('image/png', 999_900)).toBe('image/png, 1.0 MB');
});
