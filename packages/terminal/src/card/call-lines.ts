import { changeLines, describeCall, diffLines, type ApprovalView, type DiffLine } from '@countersign/client';
import { BAR } from '../text/behind-bar.js';
import { span, widthOf, wrapExact, type Line, type Look, type Span } from '../text/spans.js';
import { cardWords } from '../words/cards.js';

const bar = span(BAR, { dim: true });
/** Only labels start directly behind the bar, so that no line of a command or value can look like one (CALL15). */
const INDENT = '  ';

/** Lines behind the bar. `text` will run or be written, so it is wrapped anywhere and nothing of it is dropped. */
export function exactLines(text: string, width: number, look: Look = {}, indent = INDENT): Line[] {
  return wrapExact(text, width - BAR.length - indent.length).map((line): Line => [
    bar,
    { text: indent },
    span(line, look),
  ]);
}

/** A label with its value; one that doesn't fit starts on the next line. */
function labelled(label: string, text: string, width: number): Line[] {
  const [whole = '', ...more] = wrapExact(`${label} ${text}`, width - BAR.length);
  if (more.length === 0 && widthOf(whole) <= width - BAR.length)
    return [[bar, span(whole.slice(0, label.length), { dim: true }), span(whole.slice(label.length), { bold: true })]];
  return [...exactLines(label, width, { dim: true }, ''), ...exactLines(text, width, { bold: true })];
}

/** The call: a command, the change of a file, or every argument by its name. */
export function callLines(approval: ApprovalView, width: number): Line[] {
  const { toolName, arguments: args, preview, effect, prediction, noEffect } = approval;
  const shape = describeCall(toolName, args, noEffect);
  // A truncated preview doesn't show everything that would be written; the arguments do.
  const changes = preview?.truncated !== false ? [] : diffLines(preview.text).flatMap((line) => diffLine(line, width));
  const fields = (shown: readonly { name: string; text: string }[]): Line[] =>
    shown.flatMap(({ name, text }) => labelled(labelOf(name), text, width));
  switch (shape.kind) {
    case 'shell':
      return [
        ...exactLines(shape.command, width, { bold: true }),
        ...shape.parameters.flatMap((word) => labelled(cardWords.word, JSON.stringify(word), width)),
        ...fields(shape.others),
        ...changes,
      ];
    case 'write':
    case 'edit':
      return [
        ...labelled(cardWords.path, shape.path, width),
        ...fields(shape.others),
        ...changeLines(shape, preview, effect ?? prediction).flatMap((line) => diffLine(line, width)),
      ];
    case 'fields':
      if (shape.fields.length === 0) return [[bar, span(cardWords.noArguments, { dim: true })], ...changes];
      return [...fields(shape.fields), ...changes];
    case 'text':
      return [...exactLines(shape.text, width, { bold: true }), ...changes];
  }
}

function labelOf(name: string): string {
  return /^[\w.-]{1,60}$/.test(name) ? `${name}:` : `${JSON.stringify(name)}:`;
}

const LOOKS: Readonly<Record<DiffLine['kind'], readonly [sign: string, look: Look]>> = {
  added: ['+ ', { colour: 'good' }],
  removed: ['- ', { colour: 'bad' }],
  same: ['  ', { dim: true }],
  note: ['  ', { dim: true }],
  place: ['', { dim: true }],
};

export function diffLine(line: DiffLine, width: number, indent = INDENT): Line[] {
  return signed(line, width - BAR.length - indent.length).map((text): Line => [bar, { text: indent }, text]);
}

/** Repeats the sign on every wrapped line. */
export function signed({ kind, text }: DiffLine, width: number): Span[] {
  const [sign, look] = LOOKS[kind];
  return wrapExact(text, width - sign.length).map((line) => span(sign + line, look));
}
