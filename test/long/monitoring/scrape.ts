/** A value of a metric, as a worker serves it. */
export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

const LINE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"(?:,|$)/y;

/** Parses the text format of Prometheus. Throws at the first line that it does not allow. */
export function parseScrape(text: string): Sample[] {
  return text.split('\n').flatMap((line) => {
    if (line === '' || /^# (HELP|TYPE) [a-zA-Z_:][a-zA-Z0-9_:]* ./.test(line)) return [];
    const [, name = '', labels = '', value = ''] = LINE.exec(line) ?? [];
    if (name === '' || (Number.isNaN(Number(value)) && !/^[+-]?(Inf|NaN)$/.test(value)))
      throw new Error(`not a line of a scrape: ${line}`);
    return [{ name, labels: parseLabels(labels, line), value: Number(value) }];
  });
}

function parseLabels(text: string, line: string): Record<string, string> {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < text.length) {
    const [, name = '', value = ''] = LABEL.exec(text) ?? [];
    if (name === '') throw new Error(`not the labels of a metric: ${line}`);
    labels[name] = value.replace(/\\(.)/g, (_, one: string) => (one === 'n' ? '\n' : one));
  }
  return labels;
}

/** The sum of all samples with that name and these labels; null if there is none. */
export function valueOf(samples: readonly Sample[], name: string, labels: Record<string, string> = {}): number | null {
  const found = samples.filter(
    (one) => one.name === name && Object.entries(labels).every(([label, value]) => one.labels[label] === value),
  );
  return found.length === 0 ? null : found.reduce((sum, { value }) => sum + value, 0);
}
