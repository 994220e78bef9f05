const DEEPEST = 1000;

/**
 * One text for one JSON value: keys by code point, no white space, `-0` as `0`. Hashes and rules compare these texts,
 * so two texts for one value would ask a person twice, and one text for two values would sign the wrong call.
 * Throws a TypeError on what JSON can't say; dropping it silently would leave part of the value unsigned.
 */
export function canonicalJson(value: unknown): string {
  return write(value, 0);
}

function write(value: unknown, depth: number): string {
  if (depth > DEEPEST) throw new TypeError('the value is nested too deeply, or contains itself');
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
  // Array.from turns holes into undefined, which is refused; map would skip them and leave commas without values.
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
    // An absent option and an undefined one are the same thing to every reader of the JSON.
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${write(member, depth + 1)}`);
  }
  return `{${members.join(',')}}`;
}

/** UTF-16 puts surrogates below U+E000–U+FFFF; by code point they come after. Other languages sort by code point. */
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
