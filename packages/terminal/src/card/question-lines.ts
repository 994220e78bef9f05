import type { ApprovalView } from '@countersign/client';
import { BAR } from '../text/behind-bar.js';
import { span, wrapProse, type Line } from '../text/spans.js';

/** An agent's question with its choices, behind the bar. */
export function questionLines(
  { text, choices }: Pick<NonNullable<ApprovalView['question']>, 'text' | 'choices'>,
  width: number,
): Line[] {
  const bar = span(BAR, { dim: true });
  const room = width - BAR.length;
  return [
    ...wrapProse(text, room).map((line): Line => [bar, { text: line }]),
    ...choices.flatMap((choice, index) => {
      const number = `${index + 1}: `;
      return wrapProse(choice.replaceAll(/\s+/g, ' '), room - number.length).map((line, row): Line => [
        bar,
        span(row === 0 ? number : ' '.repeat(number.length), { colour: 'do', bold: true }),
        { text: line },
      ]);
    }),
  ];
}
