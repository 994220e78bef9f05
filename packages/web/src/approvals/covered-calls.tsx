import { coveredTitle } from '@countersign/client';
import type { ReactElement } from 'react';
import { Visible } from '../ui/visible.js';

/** The waiting calls that a rule or grant would run immediately (A5). */
export function CoveredCalls({ lines }: { lines: readonly string[] }): ReactElement | null {
  if (lines.length === 0) return null;
  return (
    <div className="mb-1 text-[0.8125rem] font-medium text-amber">
      <p>{coveredTitle(lines.length)}</p>
      <ul className="scroll-quiet mt-1 max-h-28 overflow-y-auto">
        {lines.map((line, index) => (
          <li key={`${index}`} className="[overflow-wrap:anywhere]">
            <code>
              <Visible text={line} strict />
            </code>
          </li>
        ))}
      </ul>
    </div>
  );
}
