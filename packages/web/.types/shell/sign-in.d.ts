import type { ReactElement } from 'react';
/** Shown without a session. There is nothing to type here: who may come in gets a link from the server itself. */
export declare function SignIn({ why }: {
    why?: string | undefined;
}): ReactElement;
