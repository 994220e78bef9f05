import type { Buffer } from 'node:buffer';
import type { ChangedFile } from '@countersign/protocol';

type MediaType = NonNullable<ChangedFile['mediaType']>;

/** First bytes of well-known formats, as Latin-1 text. */
const STARTS: readonly (readonly [string, MediaType])[] = [
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\xff\xd8\xff', 'image/jpeg'],
  ['GIF8', 'image/gif'],
  ['%PDF-', 'application/pdf'],
  ['PK\x03\x04', 'application/zip'],
  ['\x1f\x8b', 'application/gzip'],
  ['\xfd7zXZ\0', 'application/x-xz'],
  ['\x28\xb5\x2f\xfd', 'application/zstd'],
  ['\x7fELF', 'application/x-elf'],
  ['SQLite format 3\0', 'application/vnd.sqlite3'],
  ['\0asm', 'application/wasm'],
];

/** The type of a binary file by its first bytes. A command can fake it, so it says what the file claims to be. */
export function mediaTypeOf(content: Buffer): MediaType | undefined {
  const head = content.subarray(0, 512).toString('latin1');
  if (head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP') return 'image/webp';
  if (head.slice(257, 262) === 'ustar') return 'application/x-tar';
  return STARTS.find(([start]) => head.startsWith(start))?.[1];
}
