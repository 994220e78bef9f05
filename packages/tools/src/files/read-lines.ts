import type { FileHandle } from 'node:fs/promises';
import { looksBinary } from '@countersign/changes';

const CHUNK_BYTES = 64 * 1024;
/** How many bytes to scan for the first requested line. Scanning further would take too long. */
const MAX_SCANNED = 64 * 1024 * 1024;
/** The maximum number of bytes to return: as much as a model may get, minus a margin for quoting. */
const MAX_GIVEN = 48 * 1024;
const LONGEST_LINE = 4_000;

export type ReadLines =
  | { kind: 'binary' }
  | { kind: 'too-far'; scanned: number }
  | { kind: 'lines'; lines: string[]; notes: string[] };

/** Returns lines `offset` to `offset + limit - 1`, each with its line feed if it has one. Reads from the start and no further than needed. */
export async function readLines(
  handle: FileHandle,
  { offset, limit, signal }: { offset: number; limit: number; signal: AbortSignal },
): Promise<ReadLines> {
  const lines: string[] = [];
  const notes = new Set<string>();
  const buffer = Buffer.alloc(CHUNK_BYTES);
  let line: Buffer[] = [];
  let lineBytes = 0;
  let number = 1;
  let given = 0;
  let position = 0;

  /** Returns false once enough has been read. */
  const endLine = (feed: '\n' | ''): boolean => {
    if (number >= offset) {
      const text = textOf(Buffer.concat(line), lineBytes, number, notes);
      if (given + text.length > MAX_GIVEN && lines.length > 0) {
        notes.add(`there is more; continue at line ${number}`);
        return false;
      }
      lines.push(`${text}${feed}`);
      given += text.length + feed.length;
    }
    line = [];
    lineBytes = 0;
    number += 1;
    return true;
  };

  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, position);
    const chunk = buffer.subarray(0, bytesRead);
    if (position === 0 && looksBinary(chunk)) return { kind: 'binary' };
    if (bytesRead === 0) break;
    position += bytesRead;
    let start = 0;
    while (start < chunk.length) {
      if (lines.length >= limit) {
        notes.add(`there is more; continue at line ${number}`);
        return { kind: 'lines', lines, notes: [...notes] };
      }
      const feed = chunk.indexOf(10, start);
      const part = chunk.subarray(start, feed < 0 ? chunk.length : feed);
      // Keep only the start of a very long line.
      if (number >= offset && lineBytes < LONGEST_LINE * 4) line.push(Buffer.from(part.subarray(0, LONGEST_LINE * 4)));
      lineBytes += part.length;
      if (feed < 0) break;
      if (!endLine('\n')) return { kind: 'lines', lines, notes: [...notes] };
      start = feed + 1;
    }
    if (position >= MAX_SCANNED) {
      if (number < offset) return { kind: 'too-far', scanned: position };
      endLine('');
      notes.add(`only the first ${position} bytes of the file were searched`);
      return { kind: 'lines', lines, notes: [...notes] };
    }
  }
  if (lineBytes > 0) endLine('');
  if (lines.length === 0) notes.add(position === 0 ? 'the file is empty' : `the file has only ${number - 1} lines`);
  return { kind: 'lines', lines, notes: [...notes] };
}

function textOf(bytes: Buffer, lineBytes: number, number: number, notes: Set<string>): string {
  const text = bytes.toString('utf8');
  if (lineBytes > bytes.length || text.length > LONGEST_LINE) {
    notes.add(`line ${number} has ${lineBytes} bytes and was truncated`);
    return text.slice(0, LONGEST_LINE);
  }
  if (text.includes('\uFFFD')) notes.add('some characters are not UTF-8 and were replaced');
  return text;
}
