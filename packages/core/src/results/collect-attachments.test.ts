import { expect, it } from 'vitest';
import { collectAttachments } from './collect-attachments.js';

const png = (width: number, height: number): Buffer => {
  const bytes = Buffer.alloc(33);
  bytes.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
};
const jpeg = Buffer.from('ffd8ffe000044a46ffc0000b080010002003011100', 'hex');
const gif = Buffer.from('474946383961100020000000', 'hex');
const vp8x = Buffer.from('524946461600000057454250565038580a000000000000000f00001f0000', 'hex');
const vp8l = Buffer.from('5249464616000000574542505650384c0a0000002f0fc007000000000000', 'hex');

function attach(content: Buffer, mimeType = 'image/png', secrets: readonly string[] = []) {
  return collectAttachments(() => secrets).attach({ mimeType, base64: content.toString('base64') });
}

it.each([
  ['image/png', png(16, 32)],
  ['image/jpeg', jpeg],
  ['image/gif', gif],
  ['image/webp', vp8x],
  ['image/webp', vp8l],
])('[TURN16.1] the type %s is read from the content, whatever the tool claims', (mimeType, content) => {
  expect(attach(content, 'text/html')).toMatchObject({ kind: 'image', mimeType, bytes: content.length });
});

it.each([
  ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'), 'image/svg+xml'],
  ['HTML that claims to be an image', Buffer.from('<html>'), 'image/png'],
  ['a picture that would take gigabytes', png(60_000, 60_000), 'image/png'],
  ['an image without a size', png(0, 9), 'image/png'],
  ['a truncated header', png(16, 16).subarray(0, 20), 'image/png'],
  ['a JPEG whose segments never end', Buffer.from('ffd8ffe0ffff', 'hex'), 'image/jpeg'],
])('[TURN16.1] %s is a file to download', (_, content, mimeType) => {
  expect(attach(content, mimeType)).toMatchObject({ kind: 'file', mimeType });
});

it('[TURN16.2] refuses invalid base64, empty and large files, and files with our secrets', () => {
  const one = collectAttachments(() => []);
  expect(one.attach({ mimeType: 'image/png', base64: 'AA=A' })).toEqual({ refused: 'invalid base64' });
  expect(one.attach({ mimeType: 'image/png', base64: '<svg/>' })).toEqual({ refused: 'invalid base64' });
  expect(one.attach({ mimeType: 'image/png', base64: '' })).toEqual({ refused: 'empty' });
  expect(attach(Buffer.alloc(3_600_000))).toEqual({ refused: 'larger than 3.5 MB' });
  expect(attach(Buffer.from('x hunter2 y'), 'text/plain', ['hunter2'])).toEqual({ refused: 'it contains a secret' });
  expect(attach(Buffer.from('x'), 'text/hunter2', ['hunter2'])).toMatchObject({ mimeType: 'application/octet-stream' });
  expect(attach(Buffer.from('x'), 'text/html\r\nSet-Cookie: a')).toMatchObject({
    mimeType: 'application/octet-stream',
  });
});

it('[TURN16.3] refuses files of a chat that is full, and says what to do', () => {
  const base64 = Buffer.alloc(1_000_000, 1).toString('base64');
  const almost = collectAttachments(() => [], 99_000_000);
  expect(almost.attach({ mimeType: 'text/plain', base64 })).toMatchObject({ bytes: 1_000_000 });
  const refused = { refused: 'this chat already has 100 MB of files from tools; start a new chat to get more' };
  expect(almost.attach({ mimeType: 'text/plain', base64 })).toEqual(refused);
  expect(almost.list()).toHaveLength(1);
});

it('[TURN16.2] limits the files of a call, and stores the same content once', () => {
  const many = collectAttachments(() => []);
  const base64 = png(1, 1).toString('base64');
  for (let n = 0; n < 5_000; n += 1) many.attach({ mimeType: 'image/png', base64 });
  expect(many.list()).toHaveLength(16);
  expect(many.files()).toHaveLength(1);
  const large = collectAttachments(() => []);
  const said = [1, 2, 3].map((n) =>
    large.attach({ mimeType: 'x/y', base64: Buffer.alloc(3_400_000, n).toString('base64') }),
  );
  expect(said[2]).toEqual({ refused: 'a call can return at most 10 MB' });
});
