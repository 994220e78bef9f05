import type { ReactElement } from 'react';
/** Which models can be used. Keys are never shown: only where they were found. */
export default function ProvidersPage(): ReactElement;
