import { common, createLowlight } from 'lowlight';

/** Where a line has a colour: `look` is a class. */
export interface Colour {
  readonly from: number;
  readonly to: number;
  readonly look: string;
}

interface Node {
  readonly type: string;
  readonly value?: string;
  readonly children?: readonly Node[];
  readonly properties?: { readonly className?: unknown };
}

const lowlight = createLowlight(common);

/** The colours of consecutive lines. Undefined if there is no grammar for that language. Loaded on demand: the grammars are larger than the page. */
export function colourLines(language: string, lines: readonly string[]): readonly (readonly Colour[])[] | undefined {
  if (!lowlight.registered(language)) return undefined;
  const found = lines.map((): Colour[] => []);
  let [line, at] = [0, 0];
  const walk = (nodes: readonly Node[], look: string): void => {
    for (const { value, children = [], properties } of nodes) {
      const own = Array.isArray(properties?.className) ? properties.className.join(' ') : look;
      walk(children, own);
      for (const [index, part] of value?.split('\n').entries() ?? []) {
        if (index > 0) [line, at] = [line + 1, 0];
        if (look !== '' && part !== '') found[line]?.push({ from: at, to: at + part.length, look });
        at += part.length;
      }
    }
  };
  walk(lowlight.highlight(language, lines.join('\n')).children, '');
  return found;
}
