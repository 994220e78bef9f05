import type { ReactElement } from 'react';
/** Counts of this world, over all that is kept. */
export default function StatsPage(): ReactElement;
