import { useMemo } from 'react';
import { keptByChange } from '../data/kept-by-change.js';

const useMarks = keptByChange('countersign.viewed', (path) => typeof path === 'string');

/** The files of a change that a person has marked as viewed. The marks decide nothing. */
export function useViewed(
  change: string,
  person: string | undefined,
): [viewed: ReadonlySet<string>, toggle: (path: string) => void] {
  const [marked, keep] = useMarks(`${person ?? ''} ${change}`);
  const viewed = useMemo(() => new Set(marked), [marked]);
  return [viewed, (path) => keep(viewed.has(path) ? marked.filter((each) => each !== path) : [...marked, path])];
}
