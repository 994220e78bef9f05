import { type ReactElement } from 'react';
import 'uplot/dist/uPlot.min.css';
import type { Bars } from './series.js';
/** Bars in groups. The same numbers stand in a table for whoever can't see the drawing. */
export declare function BarPlot({ labels, series }: Bars): ReactElement;
