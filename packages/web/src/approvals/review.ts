import { createContext, useContext } from 'react';

/** Shows an approval to the person, wherever approvals are displayed at this screen width. */
export const ReviewContext = createContext<(approvalId: string) => void>(() => undefined);

export function useReview(): (approvalId: string) => void {
  return useContext(ReviewContext);
}
