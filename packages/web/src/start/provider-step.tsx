import { isRealProvider, type ProviderStatus } from '@countersign/protocol';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useEffect, useState } from 'react';
import { ProviderForm } from '../providers/provider-form.js';
import { TestResult } from '../providers/test-result.js';
import { problemOf, type TestProblem } from '../providers/test-problem.js';
import { useTest } from '../providers/use-test.js';
import { Button } from '../ui/button.js';
import { Select } from '../form/field.js';
import { startWords } from '../words/start.js';

/** Lets the person choose an existing provider, or add and test a new one. */
export function ProviderStep({
  all,
  chosen,
  problem,
  onProblem,
  onChoose,
}: {
  all: readonly ProviderStatus[];
  chosen: ProviderStatus | undefined;
  /** Why the chosen provider failed. If its key or URL is wrong, the form opens there. */
  problem: TestProblem | undefined;
  onProblem: (problem: TestProblem | undefined) => void;
  onChoose: (id: string) => void;
}): ReactElement {
  const queries = useQueryClient();
  const usable = all.filter(isRealProvider);
  const [mode, setMode] = useState<'choose' | 'add' | 'edit'>('choose');
  // The provider is tested again after each change.
  const [saved, setSaved] = useState({ id: '', times: 0 });
  const [dismissed, setDismissed] = useState<TestProblem>();
  const toFix = chosen?.source === 'stored' && problem !== dismissed && isProviders(problem) ? problem : undefined;
  const isEdited = mode === 'edit' || (mode === 'choose' && toFix !== undefined);
  const choose = (id: string): void => {
    onProblem(undefined);
    onChoose(id);
  };
  const finish = async (id: string): Promise<void> => {
    await queries.invalidateQueries({ queryKey: ['providers'] });
    await queries.invalidateQueries({ queryKey: ['provider-models', id] });
    setMode('choose');
    setSaved({ id, times: saved.times + 1 });
    choose(id);
  };
  const leave = (): void => {
    setMode('choose');
    setDismissed(problem);
  };
  if (mode === 'add' || isEdited || chosen === undefined)
    return (
      <ProviderForm
        key={toFix?.words}
        saved={isEdited ? chosen : undefined}
        problem={isEdited ? toFix : undefined}
        taken={all.filter((each) => each.available || each.source === 'stored').map(({ name }) => name)}
        submit={isEdited ? startWords.save : startWords.addProvider}
        onDone={({ id }) => void finish(id)}
        leave={usable.length === 0 ? null : <Button onClick={leave}>{startWords.cancel}</Button>}
      />
    );
  return (
    <div className="space-y-3">
      <Select
        label={startWords.provider}
        data-landing="always"
        value={chosen.id}
        options={[
          ...usable.map(({ id, name }) => ({ value: id, label: name })),
          { value: '', label: startWords.another },
        ]}
        onChange={(event) => (event.target.value === '' ? setMode('add') : choose(event.target.value))}
      />
      <Tried
        key={chosen.id}
        id={chosen.id}
        saves={chosen.id === saved.id ? saved.times : 0}
        onProblem={onProblem}
        {...(chosen.source === 'stored' ? { onEdit: () => setMode('edit') } : {})}
      />
    </div>
  );
}

function isProviders(problem: TestProblem | undefined): boolean {
  return problem?.field === 'apiKey' || problem?.field === 'baseUrl';
}

/** A provider that was just saved is tested immediately. */
function Tried({
  id,
  saves,
  onProblem,
  onEdit,
}: {
  id: string;
  saves: number;
  onProblem: (problem: TestProblem | undefined) => void;
  onEdit?: () => void;
}): ReactElement {
  const testing = useTest(id);
  useEffect(() => {
    if (saves === 0) return;
    const test = async (): Promise<void> => {
      const result = await testing.askSaved();
      const problem = result === undefined ? undefined : problemOf(result);
      // Other problems are shown with the test.
      if (problem !== undefined && isProviders(problem))
        onProblem({ ...problem, words: startWords.savedButFailed(problem.words) });
    };
    void test();
  }, [saves]);
  return (
    <div className="space-y-2">
      <div className="flex gap-2">
        <Button size="small" disabled={testing.state === 'running'} onClick={() => testing.run()}>
          {startWords.testProvider}
        </Button>
        {onEdit === undefined ? null : (
          <Button size="small" onClick={onEdit}>
            {startWords.edit}
          </Button>
        )}
      </div>
      <TestResult testing={testing} />
    </div>
  );
}
