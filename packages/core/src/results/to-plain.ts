import { decodeUtf8 } from './clean-text.js';

export type Plain = string | number | boolean | null | Plain[] | { [key: string]: Plain };

interface Progress {
  text: (text: string) => string;
  /** The number of values that may still be read: a proxy can produce members endlessly. */
  left: number;
  above: Set<object>;
}

const deepest = 64;
const unreadable = '[unreadable]';

/** Converts any tool result to JSON. Never throws: values that aren't JSON or can't be read are described as text. */
export function toPlain(value: unknown, text: (text: string) => string, most: number): Plain {
  return plainOf(value, { text, left: most, above: new Set() });
}

function plainOf(value: unknown, progress: Progress): Plain {
  progress.left -= 1;
  switch (typeof value) {
    case 'string':
      return progress.text(value);
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'boolean':
      return value;
    case 'bigint':
      return String(value);
    case 'undefined':
      return '[undefined]';
    case 'symbol':
      return progress.text(`[${String(value)}]`);
    case 'function':
      return '[function]';
    case 'object':
      return value === null ? null : guarded(value, progress);
  }
}

// Getters, toJSON methods and proxies in a tool's result run here. If one throws, only its own value is affected, not the turn.
function guarded(value: object, progress: Progress): Plain {
  if (progress.above.has(value)) return '[circular]';
  if (progress.above.size >= deepest) return `[nested deeper than ${deepest} levels]`;
  progress.above.add(value);
  try {
    return objectOf(value, progress);
  } catch {
    return unreadable;
  } finally {
    progress.above.delete(value);
  }
}

function objectOf(value: object, progress: Progress): Plain {
  if (Array.isArray(value)) return listOf(value as unknown[], progress);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '[invalid date]' : value.toISOString();
  if (value instanceof Error) return progress.text(`${value.name}: ${value.message}`);
  if (value instanceof Map) return listOf(value.entries(), progress);
  if (value instanceof Set) return listOf(value.values(), progress);
  if (value instanceof RegExp) return progress.text(String(value));
  if (value instanceof Promise) return '[promise]';
  if (value instanceof ArrayBuffer) return bytesOf(new Uint8Array(value), progress);
  if (ArrayBuffer.isView(value))
    return bytesOf(new Uint8Array(value.buffer, value.byteOffset, value.byteLength), progress);
  const toJson: unknown = Reflect.get(value, 'toJSON');
  if (typeof toJson === 'function') {
    const json: unknown = Reflect.apply(toJson, value, ['']);
    if (json !== value) return plainOf(json, progress);
  }
  return recordOf(value, progress);
}

function listOf(values: Iterable<unknown>, progress: Progress): Plain {
  const list: Plain[] = [];
  for (const value of values) {
    if (progress.left <= 0) {
      list.push('[more was left out]');
      break;
    }
    list.push(plainOf(value, progress));
  }
  return list;
}

function recordOf(value: object, progress: Progress): Plain {
  const record = new Map<string, Plain>();
  const repeated = new Map<string, number>();
  for (const key of Object.keys(value)) {
    if (progress.left <= 0) {
      record.set('…', '[more was left out]');
      break;
    }
    const member = read(value, key);
    if (member.ok && member.value === undefined) continue;
    record.set(
      unusedName(progress.text(key), record, repeated),
      member.ok ? plainOf(member.value, progress) : unreadable,
    );
  }
  return Object.fromEntries(record);
}

function read(value: object, key: string): { ok: true; value: unknown } | { ok: false } {
  try {
    return { ok: true, value: Reflect.get(value, key) as unknown };
  } catch {
    return { ok: false };
  }
}

/** Keys may collide after cleaning, and neither may overwrite the other. */
function unusedName(name: string, record: ReadonlyMap<string, Plain>, repeated: Map<string, number>): string {
  if (!record.has(name)) return name;
  let number = repeated.get(name) ?? 2;
  while (record.has(`${name} (${number})`)) number += 1;
  repeated.set(name, number + 1);
  return `${name} (${number})`;
}

function bytesOf(bytes: Uint8Array, progress: Progress): Plain {
  const text = decodeUtf8(bytes);
  return /[\uFFFD\0]/.test(text) ? `[${bytes.byteLength} bytes of binary data]` : progress.text(text);
}
