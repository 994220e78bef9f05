import { createContext, useContext, useLayoutEffect } from 'react';

/** Tells the card that part of the call is folded. The returned function reverts that. */
export const FoldContext = createContext<() => () => void>(() => () => undefined);

export function useFold(isFolded: boolean): void {
  const report = useContext(FoldContext);
  // Runs before the first paint: if a fold were reported late, it could be approved unseen.
  useLayoutEffect(() => (isFolded ? report() : undefined), [isFolded, report]);
}
