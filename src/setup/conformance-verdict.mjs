/** Judges the results of the YAML REST tests against the list of tests that need features of later versions. */

/** Whether `name` matches `pattern`, in which `*` stands for any characters. */
function matches(pattern, name) {
  const escaped = pattern.split('*').map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'));
  return new RegExp(`^${escaped.join('.*')}$`, 's').test(name);
}

/** The reason why a test is listed, or undefined; a pattern without `*` wins over one with it. */
function reasonFor(later, { file, name }) {
  const patterns = Object.keys(later[file] ?? {}).filter((pattern) => matches(pattern, name));
  const exact = patterns.find((pattern) => !pattern.includes('*'));
  const pattern = exact ?? patterns[0];
  return pattern === undefined ? undefined : { pattern, reason: later[file][pattern] };
}

/**
 * Sorts results into areas and verdicts.
 *
 * @param tests results of the runner: `{file, name, status: 'pass' | 'fail' | 'skip', reason}`
 * @param later test file to title pattern to the feature that is missing
 * @returns `areas` (folder to counts), `expected` (reason to count of failures), `unexpected` (failures that no entry
 *   names), `outgrown` (tests that pass though an entry names them) and `unused` (entries of files that ran, without a test)
 */
export function judge(tests, later) {
  const areas = new Map();
  const expected = new Map();
  const unexpected = [];
  const outgrown = [];
  const used = new Set();
  for (const test of tests) {
    const folder = test.file.slice(0, test.file.lastIndexOf('/'));
    if (!areas.has(folder)) areas.set(folder, { pass: 0, fail: 0, skip: 0 });
    areas.get(folder)[test.status] += 1;
    const listed = reasonFor(later, test);
    if (listed !== undefined) used.add(`${test.file}/${listed.pattern}`);
    if (test.status === 'fail' && listed === undefined) unexpected.push(test);
    if (test.status === 'fail' && listed !== undefined)
      expected.set(listed.reason, (expected.get(listed.reason) ?? 0) + 1);
    if (test.status === 'pass' && listed !== undefined) outgrown.push(test);
  }
  const files = new Set(tests.map((test) => test.file));
  const unused = Object.entries(later)
    .filter(([file]) => files.has(file))
    .flatMap(([file, patterns]) => Object.keys(patterns).map((pattern) => `${file}/${pattern}`))
    .filter((id) => !used.has(id));
  return { areas, expected, unexpected, outgrown, unused };
}

/** Whether the verdict lets the run succeed. */
export function isClean({ unexpected, outgrown, unused }) {
  return unexpected.length + outgrown.length + unused.length === 0;
}

/** The verdict as lines for a person. */
export function describe({ areas, expected, unexpected, outgrown, unused }) {
  const width = Math.max(...[...areas.keys()].map((area) => area.length), 'area'.length);
  const row = (area, { pass, fail, skip }) =>
    `${area.padEnd(width)} ${String(pass).padStart(6)} ${String(fail).padStart(6)} ${String(skip).padStart(7)}`;
  const total = { pass: 0, fail: 0, skip: 0 };
  for (const counts of areas.values()) for (const status of Object.keys(total)) total[status] += counts[status];
  const lines = [`${'area'.padEnd(width)} passed failed skipped`];
  for (const area of [...areas.keys()].sort()) lines.push(row(area, areas.get(area)));
  lines.push(row('total', total));
  const expectedCount = [...expected.values()].reduce((sum, count) => sum + count, 0);
  lines.push('', `${expectedCount} of ${total.fail} failures are expected: they need`);
  for (const [reason, count] of [...expected].sort(([, a], [, b]) => b - a))
    lines.push(`${String(count).padStart(6)}  ${reason}`);
  const list = (title, items) => items.length > 0 && lines.push('', title, ...items.map((item) => `  ${item}`));
  const id = ({ file, name }) => `${file}/${name}`;
  list(
    'unexpected failures:',
    unexpected.map((test) => `${id(test)}  -- ${test.reason}`),
  );
  list('listed as needing a later feature, but these pass:', outgrown.map(id));
  list('listed, but there is no such test:', unused);
  return lines;
}
