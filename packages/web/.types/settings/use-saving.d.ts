export interface Saving {
    busy: boolean;
    /** What is wrong with a field, as the server named it. */
    errorOf: (field: string) => string | undefined;
    run: (work: () => Promise<unknown>, done: string) => Promise<boolean>;
}
/** Saves, and keeps what is wrong beside the field it is about. */
export declare function useSaving(): Saving;
