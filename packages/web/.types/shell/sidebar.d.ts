import type { World } from '@countersign/protocol';
import { type ReactElement } from 'react';
export interface SidebarProps {
    worlds: readonly World[];
    pending: number;
    onGo: () => void;
}
/** Worlds, chats, agents and pages. */
export declare function Sidebar({ worlds, pending, onGo }: SidebarProps): ReactElement;
