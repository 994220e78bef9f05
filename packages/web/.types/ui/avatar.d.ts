import type { CSSProperties, ReactElement } from 'react';
/** Sets the hue that the `agent-…` classes below it use. */
export declare function agentHue(id: string): CSSProperties;
export declare function Avatar({ id, name, small }: {
    id: string;
    name: string;
    small?: boolean;
}): ReactElement;
