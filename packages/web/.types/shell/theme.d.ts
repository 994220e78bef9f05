export type Theme = 'system' | 'light' | 'dark';
export declare function applyTheme(): void;
export declare function chooseTheme(chosen: Theme): void;
export declare function useTheme(): Theme;
