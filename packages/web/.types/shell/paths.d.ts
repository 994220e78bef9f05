export declare const paths: {
    readonly world: (world: string) => string;
    readonly chat: (world: string, chat: string) => string;
    readonly page: (world: string, page: WorldPage) => string;
    readonly inbox: '/inbox';
    readonly providers: '/providers';
};
export type WorldPage = 'policy' | 'grants' | 'agents' | 'servers' | 'audit' | 'stats' | 'settings' | 'search';
/** The world that was looked at last, for pages that belong to none. */
export declare function rememberWorld(world: string): void;
export declare function rememberedWorld(): string | undefined;
/** `/w/harbour/c/x` → `harbour` */
export declare function worldOf(path: string): string | undefined;
