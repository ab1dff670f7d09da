type Snapshot = Record<string, unknown>

const textOf = (value: unknown): string =>
  value !== null && typeof value === 'object'
    ? Object.entries(value)
        .map(([name, part]) => `${name}: ${part}`)
        .join(', ')
    : String(value)

/** The parts of a snapshot that say something, each as texts. */
export const snapshotParts = (snapshot: Snapshot): { name: string; values: string[] }[] =>
  Object.entries(snapshot)
    .map(([name, value]) => ({
      name,
      values: [value]
        .flat()
        .filter((item) => item !== null)
        .map(textOf)
        .filter(Boolean),
    }))
    .filter(({ values }) => values.length > 0)

export type SnapshotFile = { filename: string; size: number; sha256: string; scan: string }

/** The files that a listing had when it was reported. */
export const filesOf = ({ files }: Snapshot): SnapshotFile[] =>
  Array.isArray(files)
    ? files.map((file: Partial<SnapshotFile>) => ({
        filename: file.filename ?? '',
        size: Number(file.size ?? 0),
        sha256: file.sha256 ?? '',
        scan: file.scan ?? '',
      }))
    : []
