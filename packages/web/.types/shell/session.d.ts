export declare function keepSession(session: string): void;
export declare function forgetSession(): void;
/** The ticket of a start URL, taken out of the address at once: it must not stay in the history. */
export declare function takeTicket(): string | undefined;
/** This tab's session, or that of another tab of this very address: a channel reaches no other port. */
export declare function findSession(): Promise<string | undefined>;
export declare function answerOtherTabs(): void;
