import { createContext, useContext } from 'react';

/** Brings one question before the person, wherever questions are shown at this width. */
export const ReviewContext = createContext<(approvalId: string) => void>(() => undefined);

export function useReview(): (approvalId: string) => void {
  return useContext(ReviewContext);
}
