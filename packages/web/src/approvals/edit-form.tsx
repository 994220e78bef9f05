import { type ApprovalView, describeCall, readArguments } from '@countersign/client';
import { type ReactElement, useEffect, useRef, useState } from 'react';
import { Button } from '../ui/button.js';
import { TextArea } from '../ui/field.js';

/** Editing makes a new call of the same invocation (A7). What is masked can be moved or removed, not seen. */
export function EditForm({
  approval,
  disabled,
  onApprove,
  onCancel,
}: {
  approval: ApprovalView;
  disabled: boolean;
  onApprove: (args: Record<string, unknown>) => void;
  onCancel: () => void;
}): ReactElement {
  const shape = describeCall(approval.toolName, approval.arguments);
  const asCommand = shape.kind === 'shell';
  const [text, setText] = useState(() =>
    shape.kind === 'shell' ? shape.command : JSON.stringify(approval.arguments, null, 2),
  );
  const [error, setError] = useState<string>();
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.querySelector('textarea')?.focus(), []);
  const approve = (): void => {
    if (shape.kind === 'shell') {
      onApprove({ command: text, ...(shape.parameters.length === 0 ? {} : { parameters: shape.parameters }) });
      return;
    }
    const read = readArguments(text);
    if ('error' in read) setError(read.error);
    else onApprove(read.arguments);
  };
  return (
    <div ref={box} className="space-y-2">
      <TextArea
        label={asCommand ? 'Command' : 'Arguments'}
        hint="The agent is told what really ran. ‹masked …› stands for its secret."
        error={error}
        mono
        rows={Math.min(14, Math.max(3, text.split('\n').length + 1))}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setError(undefined);
        }}
      />
      <div className="flex flex-wrap gap-2">
        <Button look="primary" icon="check" disabled={disabled} onClick={approve}>
          Approve once
        </Button>
        <Button look="quiet" onClick={onCancel}>
          Back
        </Button>
      </div>
    </div>
  );
}
