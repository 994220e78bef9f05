/** Brings one question before the person, wherever questions are shown at this width. */
export declare const ReviewContext: import("react").Context<(approvalId: string) => void>;
export declare function useReview(): (approvalId: string) => void;
