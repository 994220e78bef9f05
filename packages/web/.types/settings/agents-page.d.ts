import { type ReactElement } from 'react';
/** Who works in this world, on which model, and what each may ask for. */
export default function AgentsPage(): ReactElement;
