import { PLACEHOLDER } from '@countersign/protocol';

/** Every form that stands for something else in what a model reads: own keys in results, and arguments that a person edited. */
const forms = new RegExp(`${PLACEHOLDER}|‹masked›`, 'u');

/** Every character that JSON, or code inside an argument, may spell by its number. A run of backslashes is read once, from its start. */
const escapes = /(?<!\\)\\+u(?:\{0*([0-9a-f]{1,6})\}|([0-9a-f]{4}))/gi;

/**
 * Why a model's call can't run with these arguments (T11): they contain a placeholder of ours, which would be written in place of what
 * it stands for. Undefined: they contain none.
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
    `The arguments contain ${found}, which stands for text you were not shown. Nothing ran, because ${found} would have been used ` +
    `instead of that text. Leave it out: change only other parts of the file, or refer to a secret by the name of its variable. ` +
    `If a file really contains the characters ${found}, ask a person to make this change.`
  );
}
