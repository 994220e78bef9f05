/** A plot that is readable in light and dark mode: horizontal bars on a log scale, all in one colour except ours. */
export function bars({ title, unit, rows }) {
  const width = 720;
  const left = 210;
  const right = 90;
  const step = 26;
  const top = 44;
  const height = top + rows.length * step + 14;
  const values = rows.map(({ value }) => value);
  const low = Math.log10(Math.min(...values) / 1.6);
  const high = Math.log10(Math.max(...values));
  const x = (value) => left + ((Math.log10(value) - low) / (high - low || 1)) * (width - left - right);
  const lines = rows.map(({ name, value, ours }, index) => {
    const y = top + index * step;
    return `<text x="${left - 10}" y="${y + 15}" text-anchor="end">${escape(name)}</text>
  <rect x="${left}" y="${y + 3}" width="${Math.max(2, x(value) - left).toFixed(1)}" height="16" rx="2" class="${ours ? 'ours' : 'peer'}"/>
  <text x="${(x(value) + 6).toFixed(1)}" y="${y + 15}">${format(value)} ${unit}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escape(title)}">
  <style>
    text { font: 13px system-ui, sans-serif; fill: #24292f }
    .title { font-weight: 600 }
    .peer { fill: #9aa4af } .ours { fill: #2b50aa }
    @media (prefers-color-scheme: dark) { text { fill: #d7dde3 } .peer { fill: #5c6772 } .ours { fill: #7f9df0 } }
  </style>
  <text x="10" y="22" class="title">${escape(title)}</text>
  ${lines.join('\n  ')}
</svg>
`;
}

/** A line chart by history length, with log scales on both axes. */
export function curves({ title, unit, xs, rows }) {
  const width = 720;
  const height = 340;
  const box = { left: 60, right: 170, top: 44, bottom: 44 };
  const values = rows.flatMap(({ points }) => points);
  const [low, high] = [Math.log10(Math.min(...values) / 1.3), Math.log10(Math.max(...values) * 1.3)];
  const x = (value) => box.left + (Math.log10(value) / Math.log10(xs.at(-1))) * (width - box.left - box.right);
  const y = (value) => box.top + (1 - (Math.log10(value) - low) / (high - low)) * (height - box.top - box.bottom);
  const labels = spread(rows.map(({ points }) => y(points.at(-1))));
  const drawn = rows.map(({ name, points, ours }, index) => {
    const path = points.map((value, at) => `${x(xs[at]).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
    return `<polyline points="${path}" class="${ours ? 'ours' : 'peer'}"/>
  <text x="${width - box.right + 8}" y="${(labels[index] + 4).toFixed(1)}">${escape(name)} ${format(points.at(-1))} ${unit}</text>`;
  });
  const ticks = xs.map(
    (value) => `<text x="${x(value).toFixed(1)}" y="${height - 20}" text-anchor="middle">${value}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escape(title)}">
  <style>
    text { font: 12px system-ui, sans-serif; fill: #24292f }
    .title { font-size: 13px; font-weight: 600 }
    polyline { fill: none; stroke-width: 2 } .peer { stroke: #9aa4af } .ours { stroke: #2b50aa; stroke-width: 3 }
    @media (prefers-color-scheme: dark) { text { fill: #d7dde3 } .peer { stroke: #5c6772 } .ours { stroke: #7f9df0 } }
  </style>
  <text x="10" y="22" class="title">${escape(title)}</text>
  ${drawn.join('\n  ')}
  ${ticks.join('\n  ')}
  <text x="${(box.left + width - box.right) / 2}" y="${height - 4}" text-anchor="middle">messages before the turn</text>
</svg>
`;
}

/** Moves overlapping labels apart. */
function spread(wanted) {
  const order = wanted.map((y, index) => ({ y, index })).toSorted((a, b) => a.y - b.y);
  for (let at = 1; at < order.length; at += 1) order[at].y = Math.max(order[at].y, order[at - 1].y + 15);
  const placed = [];
  for (const { y, index } of order) placed[index] = y;
  return placed;
}

export function format(value) {
  if (value >= 100) return String(Math.round(value));
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
