const MAX_DEPTH = 1000;

/**
 * Serializes JSON canonically (keys by code point, no whitespace, `-0` as `0`), because call hashes and rules compare the text. Throws a
 * TypeError for values that JSON can't represent; dropping them would leave part of the value out of the hash.
 */
export function canonicalJson(value: unknown): string {
  return write(value, 0);
}

function write(value: unknown, depth: number): string {
  if (depth > MAX_DEPTH) throw new TypeError('the value is nested too deeply or is circular');
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return JSON.stringify(value);
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`${value} is not a JSON number`);
      return JSON.stringify(value);
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? writeArray(value, depth) : writeObject(value, depth);
    case 'undefined':
    case 'function':
    case 'symbol':
    case 'bigint':
      throw new TypeError(`a ${typeof value} is not a JSON value`);
  }
}

function writeArray(items: readonly unknown[], depth: number): string {
  // Array.from turns holes into undefined, which is rejected. `map` would skip them and emit commas without values.
  return `[${Array.from(items, (item) => write(item, depth + 1)).join(',')}]`;
}

function writeObject(value: object, depth: number): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new TypeError('only plain objects are JSON values');
  }
  const members: string[] = [];
  const values = value as Record<string, unknown>;
  for (const key of Object.keys(values).sort(byCodePoint)) {
    const member = values[key];
    // JSON has no undefined: a missing key and an undefined value are equivalent.
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${write(member, depth + 1)}`);
  }
  return `{${members.join(',')}}`;
}

/** UTF-16 order sorts surrogates before U+E000–U+FFFF, code point order after. Other languages use code point order. */
function byCodePoint(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const difference = rank(a.charCodeAt(index)) - rank(b.charCodeAt(index));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function rank(unit: number): number {
  if (unit >= 0xe000) return unit - 0x800;
  return unit >= 0xd800 ? unit + 0x2000 : unit;
}
