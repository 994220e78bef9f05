import { createContext, useContext, useLayoutEffect } from 'react';

/** Tells the card that part of the call is folded away. The returned function undoes that. */
export const FoldContext = createContext<() => () => void>(() => () => undefined);

export function useFold(isFolded: boolean): void {
  const report = useContext(FoldContext);
  // Before the first paint: a fold that is reported late could be approved unseen.
  useLayoutEffect(() => (isFolded ? report() : undefined), [isFolded, report]);
}
