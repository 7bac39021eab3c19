/** A report as HTML: everything is in it, and it can be read without its script, which draws charts of what the tables have. */
import { encode } from 'html-entities';
import type { Assets } from './assets.js';
import type { Fact } from './facts.js';
import { formatChange, formatValue } from './format.js';
import type { Bars, Chart, Section, Table } from './section.js';

export interface Report {
  readonly title: string;
  readonly about: string;
  readonly facts: readonly Fact[];
  /** Repeats what the report is of. */
  readonly command: string;
  /** Sentences that come first: what was found. */
  readonly findings?: readonly string[];
  readonly sections: readonly Section[];
}

export function page(report: Report, { script, styles, licence }: Assets): string {
  const charts = report.sections.flatMap((section) => section.charts);
  let next = 0;
  const sections = report.sections.map((section, at) => sectionOf(section, at, () => next++));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${encode(report.title)} – Quarry</title>
<style>${styles}</style>
</head>
<body>
<header>
<p class="product">Quarry experiment</p>
<h1>${encode(report.title)}</h1>
<p class="about">${encode(sentence(report.about))}</p>
</header>
<main>
${findingsOf(report.findings ?? [])}
${navigation(report.sections)}
${sections.join('\n')}
<section aria-labelledby="provenance">
<h2 id="provenance">Where this comes from</h2>
<dl class="facts">${report.facts.map(([name, value]) => `<dt>${encode(name)}</dt><dd>${encode(value)}</dd>`).join('')}</dl>
<p>The command that repeats it:</p>
<pre class="command" tabindex="0"><code>${encode(report.command)}</code></pre>
</section>
</main>
<footer><details><summary>Licence of uPlot, which draws the charts</summary><pre>${encode(licence)}</pre></details></footer>
<script type="application/json" id="charts">${embedded(charts)}</script>
<script>${script.replaceAll('</script', '<\\/script')}</script>
</body>
</html>
`;
}

function sentence(text: string): string {
  const upper = text.slice(0, 1).toUpperCase() + text.slice(1);
  return /[.!?]$/u.test(upper) || upper === '' ? upper : `${upper}.`;
}

/** Plain data in a page cannot end its element. */
function embedded(data: unknown): string {
  return JSON.stringify(data).replaceAll('<', '\\u003c');
}

function findingsOf(findings: readonly string[]): string {
  if (findings.length === 0) return '';
  const items = findings.map((finding) => `<li>${encode(finding)}</li>`).join('');
  return `<section aria-labelledby="findings" class="findings"><h2 id="findings">What was found</h2><ul>${items}</ul></section>`;
}

function navigation(sections: readonly Section[]): string {
  if (sections.length < 2) return '';
  const links = sections.map(({ title }, at) => `<a href="#section-${at}">${encode(title)}</a>`);
  return `<nav aria-label="Sections">${links.join('')}<a href="#provenance">Where this comes from</a></nav>`;
}

function sectionOf({ title, about, charts, bars, tables }: Section, at: number, next: () => number): string {
  return `<section aria-labelledby="section-${at}">
<h2 id="section-${at}">${encode(title)}</h2>
${about === '' ? '' : `<p class="about">${encode(about)}</p>`}
<div class="charts">${charts.map((chart) => chartOf(chart, next())).join('\n')}</div>
<div class="bars-of-section">${bars.map(barsOf).join('\n')}</div>
${tables.map((table) => tableOf(table)).join('\n')}
</section>`;
}

const COLOURS = 6;

function chartOf(chart: Chart, number: number): string {
  const keys = chart.lines.map(
    ({ label }, at) =>
      `<span><i class="key line-${(at % COLOURS) + 1}${at >= COLOURS ? ' dashed' : ''}" aria-hidden="true"></i>${encode(label)}</span>`,
  );
  const legend = chart.lines.length > 1 ? `<span class="legend">${keys.join('')}</span>` : '';
  const hasBand = chart.lines.some(({ lows }) => lows !== undefined);
  const note = chart.band ?? 'Lines are medians; the shade reaches from the lowest run to the highest.';
  const band = hasBand ? `<p class="note">${encode(note)}</p>` : '';
  return `<figure class="chart"><figcaption><b>${encode(chart.title)}</b>${legend}</figcaption>
<div class="plot" data-chart="${number}" aria-hidden="true"></div>
<p class="readout" data-readout="${number}" aria-hidden="true">&nbsp;</p>${band}
<details><summary>Values of “${encode(chart.title)}”</summary>${tableOf(valuesOf(chart), true)}</details></figure>`;
}

/** What a chart shows, for those who do not see it. */
function valuesOf({ title, x, unit, lines }: Chart): Table {
  return {
    title,
    head: [x.label, ...lines.map(({ label }) => label)],
    rows: x.values.map((value, at) => [
      x.names?.[at] ?? formatValue(value, x.unit),
      ...lines.map(({ values }) => formatValue(values[at], unit)),
    ]),
  };
}

function barsOf({ title, rows }: Bars): string {
  const largest = Math.max(0.01, ...rows.map(({ change }) => Math.abs(change)));
  const bars = rows.map(({ label, change, value, verdict }) => {
    const width = ((100 * Math.abs(change)) / largest / 2).toFixed(2);
    const side = change < 0 ? 'right' : 'left';
    return `<tr><th scope="row">${encode(label)}</th><td class="bar" aria-hidden="true"><i class="${verdict}" style="${side}:50%;width:${width}%"></i></td><td class="number">${encode(formatChange(change))}</td><td class="number quiet">${encode(value)}</td></tr>`;
  });
  return `<table class="bars"><caption>${encode(title)}</caption><thead class="unseen"><tr><th scope="col">change</th><td></td><th scope="col">difference</th><th scope="col">value</th></tr></thead><tbody>${bars.join('')}</tbody></table>`;
}

function tableOf({ title, head, rows }: Table, isSmall = false): string {
  const heads = head.map((each) => `<th scope="col">${encode(each)}</th>`).join('');
  const body = rows.map(([first = '', ...others]) => {
    const cells = others.map((cell) => `<td class="number">${encode(cell)}</td>`).join('');
    return `<tr><th scope="row">${encode(first)}</th>${cells}</tr>`;
  });
  const caption = isSmall
    ? `<caption class="unseen">${encode(title)}</caption>`
    : `<caption>${encode(title)}</caption>`;
  const label = encode(`${title}, to scroll`);
  return `<div class="wide" tabindex="0" role="region" aria-label="${label}"><table class="values">${caption}<thead><tr>${heads}</tr></thead><tbody>${body.join('')}</tbody></table></div>`;
}
