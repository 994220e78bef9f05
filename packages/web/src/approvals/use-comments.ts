import type { ApprovalView } from '@countersign/client';
import type { NewRunRequest } from '@countersign/protocol';
import { RUN_TOOL } from '@countersign/protocol';
import { useMe } from '../data/me.js';
import { keptByChange } from '../data/kept-by-change.js';

type FileComment = NonNullable<NewRunRequest['comments']>[number];

export interface Comments {
  readonly all: readonly FileComment[];
  readonly keep: (all: readonly FileComment[]) => void;
}

const useKept = keptByChange('countersign.comments', isComment);

/** What a person wrote about files of a run, until it is sent back with them (RUN31). They belong to exactly this change. */
export function useComments({ toolName, approvalId, effect, decision }: ApprovalView): Comments | undefined {
  const [all, keep] = useKept(`${useMe() ?? ''} ${effect?.effectHash ?? approvalId}`);
  return toolName === RUN_TOOL && decision === undefined ? { all, keep } : undefined;
}

function isComment(item: unknown): item is FileComment {
  if (typeof item !== 'object' || item === null || !('path' in item) || !('text' in item)) return false;
  const { path, text } = item;
  const isLine = !('line' in item) || typeof item.line === 'number';
  return typeof path === 'string' && typeof text === 'string' && isLine;
}
