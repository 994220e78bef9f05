import { createContext, useContext, useLayoutEffect } from 'react';

/** Reports to the card that a part of the call is folded away. The function it returns takes that back. */
export const FoldContext = createContext<() => () => void>(() => () => undefined);

export function useFold(isFolded: boolean): void {
  const report = useContext(FoldContext);
  // Before anything is drawn: a fold that is reported late could be signed unseen.
  useLayoutEffect(() => (isFolded ? report() : undefined), [isFolded, report]);
}
