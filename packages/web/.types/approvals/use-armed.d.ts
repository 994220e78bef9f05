export declare function useArmed(key: string): boolean;
