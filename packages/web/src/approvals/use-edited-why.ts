import { editedWhyText } from '@countersign/client';
import type { PolicyVerdict } from '@countersign/protocol';
import { useEffect, useRef, useState } from 'react';

export type CheckEdited = (args: Record<string, unknown>) => Promise<PolicyVerdict>;

const TYPING_MS = 250;

export interface EditedWhy {
  outcome: PolicyVerdict['outcome'];
  text: string;
}

/** The gate's verdict on the edited arguments, shortly after the person stops typing. Undefined until it is known. */
export function useEditedWhy(args: Record<string, unknown> | undefined, check: CheckEdited): EditedWhy | undefined {
  const key = args === undefined ? '' : JSON.stringify(args);
  const [last, setLast] = useState<{ key: string; why: EditedWhy | undefined }>();
  // The function is new on each render; depending on it would send requests in a loop.
  const ask = useRef(check);
  ask.current = check;
  useEffect(() => {
    if (key === '') return;
    let isCurrent = true;
    const tell = (why: EditedWhy | undefined): void => {
      if (isCurrent) setLast({ key, why });
    };
    const timer = setTimeout(() => {
      ask.current(JSON.parse(key) as Record<string, unknown>).then(
        (verdict) => tell({ outcome: verdict.outcome, text: editedWhyText(verdict) }),
        // The problem is reported when the person approves.
        () => tell(undefined),
      );
    }, TYPING_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [key]);
  return last?.key === key ? last.why : undefined;
}
