import { isDeepStrictEqual } from 'node:util';
import type { ChangedFile, Effect, WhatChanged } from '@countersign/protocol';
import type { ApprovalRecord, RehearsalRecord } from '../ports/index.js';
import type { SignedEvidence } from './prepared-call.js';

type Shown = Pick<ApprovalRecord, 'callHash' | 'workingDirectory' | 'sandbox' | 'preview' | 'rehearsal'>;

/** What differs between a call as it was last shown and as it is now (CALL7.2). */
export function whatChanged(before: Shown, now: SignedEvidence): WhatChanged[] {
  const found: WhatChanged[] = [];
  if (before.workingDirectory !== now.workingDirectory) found.push('folder');
  if (!isDeepStrictEqual(before.sandbox, now.sandbox)) found.push('sandbox');
  const [old, effect] = [effectOf(before.rehearsal), effectOf(now.rehearsal)];
  const isFile = now.preview !== null || before.preview !== null;
  if (old?.effectHash !== effect?.effectHash) found.push(isFile ? 'content' : 'effect');
  else if (before.preview?.text !== now.preview?.text) found.push('content');
  if (found.length > 0) return found;
  if (before.callHash === now.callHash) return ['rules'];
  return [now.fingerprint === undefined ? 'tool' : 'content'];
}

/** The call with the changes marked that the last question didn't show. */
export function markNew(before: ApprovalRecord, now: SignedEvidence): SignedEvidence {
  const [old, effect] = [effectOf(before.rehearsal), effectOf(now.rehearsal)];
  if (old === undefined || effect === undefined || now.rehearsal === null) return now;
  const shown = new Map(old.files.map((file) => [file.path, plain(file)]));
  const files = effect.files.map((file): ChangedFile => {
    return isDeepStrictEqual(shown.get(file.path), plain(file)) ? file : { ...file, isNew: true };
  });
  return { ...now, rehearsal: { ...now.rehearsal, effect: { ...effect, files } } };
}

/** Without the mark, which doesn't make a change a different one. */
const plain = (file: ChangedFile): object => ({ ...file, isNew: undefined });

function effectOf(rehearsal: RehearsalRecord | null): Effect | undefined {
  return rehearsal !== null && 'effect' in rehearsal ? rehearsal.effect : undefined;
}
