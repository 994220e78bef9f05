import type { Stats } from '@countersign/protocol';
/** Bars in groups: one group a label, one bar a series. */
export interface Bars {
    labels: string[];
    series: {
        label: string;
        colour: 'blue' | 'green' | 'red' | 'amber' | 'ink';
        values: number[];
    }[];
}
export declare function approvalSeries({ approvals }: Stats): Bars;
export declare function toolSeries({ tools }: Stats): Bars;
export declare function tokenSeries({ tokens }: Stats, nameOf: (agentId: string) => string): Bars;
export declare function waitingSeries({ waiting, tools }: Stats): Bars;
