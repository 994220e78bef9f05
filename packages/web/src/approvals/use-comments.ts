import type { ApprovalView } from '@countersign/client';
import type { NewRunRequest } from '@countersign/protocol';
import { useMe } from '../data/me.js';
import { keptByChange } from '../data/kept-by-change.js';
import { runOf } from './run-of.js';

type FileComment = NonNullable<NewRunRequest['comments']>[number];

export interface Comments {
  readonly all: readonly FileComment[];
  readonly keep: (all: readonly FileComment[]) => void;
}

const useKept = keptByChange('countersign.comments', isComment);

/** What a person wrote about files of a run, until it is sent back with them (RUN31). They belong to exactly this change. */
export function useComments(approval: ApprovalView): Comments | undefined {
  const { approvalId, effect, decision } = approval;
  const [all, keep] = useKept(`${useMe() ?? ''} ${effect?.effectHash ?? approvalId}`);
  return runOf(approval) !== undefined && decision === undefined ? { all, keep } : undefined;
}

function isComment(item: unknown): item is FileComment {
  if (typeof item !== 'object' || item === null || !('path' in item) || !('text' in item)) return false;
  const { path, text } = item;
  const isLine = !('line' in item) || typeof item.line === 'number';
  return typeof path === 'string' && typeof text === 'string' && isLine;
}
