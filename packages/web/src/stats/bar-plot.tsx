import { type ReactElement, useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useSignal } from '../data/use-signal.js';
import { theme } from '../shell/theme.js';
import { useMedia } from '../shell/use-media.js';
import type { Bars } from './series.js';
import { statsWords } from '../words/stats.js';

const HEIGHT = 220;

/** Grouped bars. A table contains the same numbers for screen readers. */
export function BarPlot({ labels, series }: Bars): ReactElement {
  const box = useRef<HTMLDivElement>(null);
  const chosenTheme = useSignal(theme);
  const isDark = useMedia('(prefers-color-scheme: dark)');
  const isEmpty = series.every(({ values }) => values.every((value) => value === 0));
  const shape = JSON.stringify([labels, series]);
  useEffect(() => {
    const element = box.current;
    if (element === null || isEmpty) return undefined;
    const plot = draw(element, { labels, series });
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
    // Redrawn when the numbers or the colours change; `shape` represents the numbers.
  }, [shape, chosenTheme, isDark]);
  if (isEmpty) return <p className="text-sm text-ink-3">{statsWords.noData}</p>;
  return (
    <>
      <div className="mb-1 flex flex-wrap gap-3 text-xs text-ink-2" aria-hidden="true">
        {series.map(({ label, colour }) => (
          <span key={label} className="inline-flex items-center gap-1.5">
            <span className="size-2.5 rounded-sm" style={{ background: `var(--${colourName(colour)})` }} />
            {label}
          </span>
        ))}
      </div>
      <div ref={box} aria-hidden="true" style={{ height: HEIGHT }} />
      <table className="sr-only">
        <thead>
          <tr>
            <th scope="col">{statsWords.name}</th>
            {series.map(({ label }) => (
              <th key={label} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {labels.map((label, index) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              {series.map((each) => (
                <td key={each.label}>{each.values[index]}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function colourName(colour: Bars['series'][number]['colour']): string {
  return colour === 'ink' ? 'ink-3' : colour === 'amber' ? 'amber-line' : colour;
}

function draw(element: HTMLElement, { labels, series }: Bars): uPlot {
  const colourOf = (name: string): string => {
    // A canvas can't use custom properties, so let the browser resolve the colour.
    const probe = document.createElement('span');
    probe.style.color = `var(--${name})`;
    element.append(probe);
    const colour = getComputedStyle(probe).color;
    probe.remove();
    return colour;
  };
  const ink = colourOf('ink-3');
  const line = colourOf('line');
  const font = `12px ${getComputedStyle(element).fontFamily}`;
  const count = series.length;
  const width = 0.8 / count;
  const groups = labels.map((_, index) => index);
  // Each series has its own offset from the centre of its group.
  const positions = series.flatMap((_, at) => groups.map((group) => group + (at - (count - 1) / 2) * width));
  const xs = [...new Set(positions)].sort((a, b) => a - b);
  const columns = series.map((each, at) =>
    xs.map((x) => {
      const group = groups.find((index) => Math.abs(index + (at - (count - 1) / 2) * width - x) < 1e-9);
      return group === undefined ? null : (each.values[group] ?? 0);
    }),
  );
  const isWhole = series.every(({ values }) => values.every((value) => Number.isInteger(value)));
  const bars = uPlot.paths.bars?.({ size: [0.92, 60], gap: 1 });
  const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { show: false }, font };
  return new uPlot(
    {
      width: element.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { time: false, range: [-0.6, labels.length - 0.4] },
        y: { range: (_, __, max) => [0, Math.max(1, max * 1.1)] },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          size: 28,
          splits: () => groups,
          values: () => labels.map((label) => (label.length > 14 ? `${label.slice(0, 13)}…` : label)),
        },
        {
          ...axis,
          size: 44,
          ...(isWhole ? { incrs: [1, 2, 5, 10, 20, 50, 100, 1000, 10_000, 100_000, 1_000_000] } : {}),
        },
      ],
      series: [
        {},
        ...series.map(({ label, colour }) => ({
          label,
          fill: colourOf(colourName(colour)),
          stroke: colourOf(colourName(colour)),
          width: 0,
          points: { show: false },
          ...(bars === undefined ? {} : { paths: bars }),
        })),
      ],
    },
    [xs, ...columns],
    element,
  );
}
