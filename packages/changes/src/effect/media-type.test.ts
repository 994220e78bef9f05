import { Buffer } from 'node:buffer';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { mediaTypeOf } from './media-type.js';

it('[CHANGE8.1] recognizes common binary files by their first bytes', () => {
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  expect(mediaTypeOf(Buffer.from(png, 'base64'))).toBe('image/png');
  expect(mediaTypeOf(Buffer.from('RIFF\x10\0\0\0WEBPVP8 ', 'latin1'))).toBe('image/webp');
  expect(mediaTypeOf(execFileSync('tar', ['cf', '-', '-C', '/', 'etc/hostname']))).toBe('application/x-tar');
  expect(mediaTypeOf(execFileSync('gzip', ['-c', '/etc/passwd']))).toBe('application/gzip');
  expect(mediaTypeOf(readFileSync('/proc/self/exe'))).toBe(
    process.platform === 'linux' ? 'application/x-elf' : undefined,
  );
  expect(mediaTypeOf(Buffer.from([1, 0, 2]))).toBeUndefined();
  expect(mediaTypeOf(Buffer.alloc(0))).toBeUndefined();
});
