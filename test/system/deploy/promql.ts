/** What a PromQL expression selects: labels that it filters by, by metric, and groups by. */
export type Selection = { filters: { metric: string; label: string }[]; grouped: string[] }

const METRIC = /\b((?:slipway|process|nodejs)_\w+|up)\b(?:\{([^}]*)\})?/g
const GROUPING = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g

/** The metrics of the service, and `up`, in an expression. */
export const metricsIn = (expr: string): string[] =>
  [...expr.matchAll(METRIC)].map(([, metric]) => metric!)

export function readSelection(expr: string): Selection {
  return {
    filters: [...expr.matchAll(METRIC)].flatMap(([, metric, matchers = '']) =>
      [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label]) => ({
        metric: metric!,
        label: label!,
      })),
    ),
    grouped: [...expr.matchAll(GROUPING)].flatMap(([, labels]) => labels!.match(/\w+/g) ?? []),
  }
}

/** The labels of each metric in the answer of a metrics port. */
export function readMetricLabels(text: string): Map<string, Set<string>> {
  const metrics = new Map<string, Set<string>>()
  for (const [, name, labels = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const known = metrics.get(name!) ?? new Set()
    metrics.set(name!, known)
    for (const [, label] of labels.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)) known.add(label!)
  }
  return metrics
}
