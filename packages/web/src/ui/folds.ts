import { createContext, useContext, useLayoutEffect } from 'react';

/** Tells whoever shows a call that a part of it is folded away. The function it returns says that it no longer is. */
export const FoldContext = createContext<() => () => void>(() => () => undefined);

export function useFold(isFolded: boolean): void {
  const report = useContext(FoldContext);
  // Before anything is drawn: a fold that is reported late could be signed unseen.
  useLayoutEffect(() => (isFolded ? report() : undefined), [isFolded, report]);
}
