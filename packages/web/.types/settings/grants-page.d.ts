import type { ReactElement } from 'react';
/** Decisions that go on counting, each with a way to take it back. */
export default function GrantsPage(): ReactElement;
