/** The position of a value in JSON. */
interface JsonPlace {
  /** Whether `enter` returned true for a key above the value. */
  marked: boolean;
  /** The nearest key above the value. */
  key: string | undefined;
  /** In an array: the `ended` value that `leaf` returned for the previous element. */
  previous: unknown;
}

export interface JsonVisitor {
  /** Whether to mark everything below this key. */
  enter(key: string, siblings: Readonly<Record<string, unknown>>): boolean;
  key(key: string): string;
  leaf(value: unknown, place: JsonPlace): { value: unknown; ended?: unknown };
}

interface Frame {
  keys: string[] | undefined;
  of: Readonly<Record<string, unknown>>;
  values: unknown[];
  out: unknown[];
  marked: boolean;
  under: string | undefined;
  previous: unknown;
}

/**
 * Maps the leaves and keys of JSON in document order. Iterative, because deeply nested JSON is easy to send and must not overflow the call
 * stack.
 */
export function mapJson(root: unknown, visitor: JsonVisitor): unknown {
  const stack: Frame[] = [];
  let result: unknown;

  function give(value: unknown, ended?: unknown): void {
    const frame = stack.at(-1);
    if (frame === undefined) result = value;
    else {
      frame.out.push(value);
      frame.previous = ended;
    }
  }

  function take(value: unknown, { marked, key: under, previous }: JsonPlace): void {
    if (Array.isArray(value)) {
      stack.push({ keys: undefined, of: {}, values: value as unknown[], out: [], marked, under, previous: undefined });
    } else if (typeof value === 'object' && value !== null) {
      stack.push({
        keys: Object.keys(value),
        of: value as Readonly<Record<string, unknown>>,
        values: Object.values(value),
        out: [],
        marked,
        under,
        previous: undefined,
      });
    } else {
      const mapped = visitor.leaf(value, { marked, key: under, previous });
      give(mapped.value, mapped.ended);
    }
  }

  take(root, { marked: false, key: undefined, previous: undefined });
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    const index = frame.out.length;
    if (index < frame.values.length) {
      const key = frame.keys?.[index];
      const marked = frame.marked || (key !== undefined && visitor.enter(key, frame.of));
      const previous = frame.keys === undefined ? frame.previous : undefined;
      take(frame.values[index], { marked, key: key ?? frame.under, previous });
      continue;
    }
    stack.pop();
    const { keys, out } = frame;
    // fromEntries defines properties. Assigning a key named __proto__ would change the prototype instead.
    give(keys === undefined ? out : Object.fromEntries(out.map((value, at) => [visitor.key(keys[at] ?? ''), value])));
  }
  return result;
}
