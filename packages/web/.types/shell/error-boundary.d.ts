import { Component, type ReactNode } from 'react';
/** What React has no function for: without it one broken view leaves an empty page. */
export declare class ErrorBoundary extends Component<{
    children: ReactNode;
}, {
    why?: string;
}> {
    state: {
        why?: string;
    };
    static getDerivedStateFromError(error: unknown): {
        why: string;
    };
    render(): ReactNode;
}
