import { type ReactElement, type ReactNode } from 'react';
/** How a page opens the list of chats where there is no room for it. */
export declare const OpenSidebar: import("react").Context<(() => void) | undefined>;
/** The bar on top of every page. */
export declare function TopBar({ children }: {
    children: ReactNode;
}): ReactElement;
/** A page that is read from top to bottom. */
export declare function Page({ title, lead, actions, wide, children, }: {
    title: string;
    lead?: ReactNode;
    actions?: ReactNode;
    wide?: boolean;
    children: ReactNode;
}): ReactElement;
export declare function Loading({ what }: {
    what: string;
}): ReactElement;
export declare function Failed({ why }: {
    why: string;
}): ReactElement;
