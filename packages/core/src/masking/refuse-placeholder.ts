import { PLACEHOLDER } from '@countersign/protocol';

/** All placeholders that a model can see: for our own keys in results, and in arguments that a person edited. */
const forms = new RegExp(`${PLACEHOLDER}|‹masked›`, 'u');

/** Unicode escapes in JSON or in code inside an argument. A run of backslashes is scanned once, from its start. */
const escapes = /(?<!\\)\\+u(?:\{0*([0-9a-f]{1,6})\}|([0-9a-f]{4}))/gi;

/**
 * Why a model's call can't run with these arguments (TURN11): they contain a placeholder, which the tool would use instead of the hidden text.
 * Undefined if they contain none.
 */
export function refusePlaceholder(argumentsText: string): string | undefined {
  if (!argumentsText.includes('‹') && !argumentsText.includes('\\')) return undefined;
  const readable = argumentsText.replaceAll(escapes, (code, braced?: string, four?: string) => {
    const point = Number.parseInt(braced ?? four ?? '', 16);
    return point > 0x10_ff_ff ? code : String.fromCodePoint(point);
  });
  const found = forms.exec(readable)?.[0];
  if (found === undefined) return undefined;
  return (
    // Quoted without its ‹›, which every screen would escape.
    `The arguments contain the placeholder "${found.slice(1, -1)}", which stands for text you were not shown. Nothing ran, because the ` +
    `placeholder would have been used instead of that text. Leave it out: change only other parts of the file, or refer to a secret by ` +
    `the name of its variable. If a file really contains this placeholder, ask a person to make the change.`
  );
}
