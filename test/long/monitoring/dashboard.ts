import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { REPOSITORY } from '../../commands/project.js';

interface Panel {
  title: string;
  panels?: Panel[];
  targets?: { expr: string }[];
}

/** The queries of the dashboard, by the title of their panel. */
export function dashboardQueries(): { panel: string; expr: string }[] {
  const text = readFileSync(join(REPOSITORY, 'specs/how-to/grafana-dashboard.json'), 'utf8');
  const { panels } = JSON.parse(text) as { panels: Panel[] };
  return panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ panel: title, expr })));
}

export const ALERTS = join(REPOSITORY, 'specs/how-to/prometheus-alerts.yml');

interface Alert {
  alert: string;
  expr: string;
  annotations: { runbook: string };
}

export const alerts = (): Alert[] => {
  const { groups } = parse(readFileSync(ALERTS, 'utf8')) as { groups: { rules: Alert[] }[] };
  return groups.flatMap(({ rules }) => rules);
};

/** The names of the metrics in a query. */
export const metricsIn = (expr: string): string[] => expr.match(/\b(?:llm_tool_test|temporal)_[a-z0-9_]+/g) ?? [];

/** A query as Grafana sends it: with the values of its variables. */
export const filledIn = (expr: string): string =>
  expr.replaceAll('$__rate_interval', '1m').replaceAll('$__range', '1h').replaceAll('$instance', '.*');
