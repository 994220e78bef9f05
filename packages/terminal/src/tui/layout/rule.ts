import { lineWidth, span, type Line } from '../../text/spans.js';

/** A horizontal line with text in it. */
export function rule(width: number, left: Line = [], right: Line = []): Line {
  const taken = lineWidth(left) + lineWidth(right);
  return [
    span('─', { dim: true }),
    ...left,
    span('─'.repeat(Math.max(0, width - taken - 2)), { dim: true }),
    ...right,
    span('─', { dim: true }),
  ];
}

/** Pads or cuts to exactly this many lines. */
export function fill(lines: readonly Line[], height: number): Line[] {
  return Array.from({ length: Math.max(0, height) }, (_, index) => lines[index] ?? []);
}
