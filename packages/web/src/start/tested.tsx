import type { ReactElement } from 'react';
import type { TestProblem } from '../providers/test-problem.js';
import type { Testing } from '../providers/use-test.js';
import { Button } from '../ui/button.js';
import { Visible } from '../text/visible.js';
import { startWords } from '../words/start.js';

/** The test call next to the button that made it: its progress, or why it failed and what to do. */
export function Tested({
  testing,
  model,
  problem,
  onAnyway,
}: {
  testing: Testing;
  model: string;
  problem: TestProblem | undefined;
  onAnyway: (() => void) | undefined;
}): ReactElement {
  return (
    <div role="status" className="text-sm empty:-mt-4!">
      {testing.state === 'running' ? (
        <p className="flex flex-wrap items-center gap-2 text-ink-2">
          <Visible text={startWords.askingModel(model)} />
          <Button size="small" onClick={testing.cancel}>
            {startWords.cancelTest}
          </Button>
        </p>
      ) : problem === undefined ? null : (
        <div className="rounded-md border border-line-2 bg-sunken px-3 py-2 [overflow-wrap:anywhere]">
          <p>
            <Visible text={problem.words} /> {problem.mayPass ? '' : startWords.fixFirst}
          </p>
          <p className="mt-2 flex flex-wrap gap-2 empty:hidden">
            {problem.mayPass ? (
              <Button size="small" disabled={onAnyway === undefined} onClick={onAnyway}>
                {startWords.saveAnyway}
              </Button>
            ) : null}
          </p>
        </div>
      )}
    </div>
  );
}
