import type { Core } from '../../core/runtime/core.ts'
import { MIB } from '../../core/runtime/units.ts'
import { asStoredFile, type DeltaPlan } from './plan.ts'
import { runSigning } from './run-program.ts'

/** Of all signatures of an answer, as they are sent. */
export const MAX_SIGNATURE_BYTES = 64 * MIB
const BASE64_RATIO = 4 / 3
const LINES_PER_BLOCK = 500

type AnswerOptions = { game_uid: string; signatures: boolean; signal: AbortSignal }

/**
 * The lines of an answer: the base, what is known of each entry, the signatures of the base as they
 * are made, and a line that says that nothing is missing.
 */
export async function* deltaAnswer(
  core: Core,
  plan: DeltaPlan | undefined,
  { game_uid, signatures, signal }: AnswerOptions,
): AsyncGenerator<string> {
  if (!plan) {
    yield lineOf({ base: null }) + lineOf({ end: true })
    return
  }
  const { base, entries } = plan
  yield lineOf({ base: { file_uid: base.uid } })
  for (let at = 0; at < entries.length; at += LINES_PER_BLOCK)
    yield entries
      .slice(at, at + LINES_PER_BLOCK)
      .map(({ index, known, base }) =>
        lineOf(
          known
            ? { index, known: { file_uid: known.file_uid, path: known.path } }
            : { index, base: { path: base!.path, size: base!.size, sha256: base!.sha256 } },
        ),
      )
      .join('')
  const paths = signatures
    ? new Set(entries.flatMap(({ base }) => base?.path ?? []))
    : new Set<string>()
  if (paths.size) yield* signatureLines(core, plan, { game_uid, paths: [...paths], signal })
  yield lineOf({ end: true })
}

const lineOf = (value: object) => `${JSON.stringify(value)}\n`

async function* signatureLines(
  core: Core,
  { base }: DeltaPlan,
  { game_uid, paths, signal }: { game_uid: string; paths: string[]; signal: AbortSignal },
): AsyncGenerator<string> {
  const file = asStoredFile(game_uid, base)
  const lines: string[] = []
  let wake = Promise.withResolvers<void>()
  let ended = false
  const signing = runSigning(
    core,
    {
      entries: paths.map((path) => ({ file, path })),
      max_entries: core.config.zip_max_entries,
      max_bytes: Math.floor(MAX_SIGNATURE_BYTES / BASE64_RATIO),
    },
    {
      signal,
      onSignature(index, signature) {
        const { buffer, byteOffset, byteLength } = signature
        const text = Buffer.from(buffer, byteOffset, byteLength).toString('base64')
        lines.push(lineOf({ path: paths[index], signature: text }))
        wake.resolve()
      },
    },
  ).finally(() => {
    ended = true
    wake.resolve()
  })
  signing.catch(() => {})
  while (!ended || lines.length) {
    if (!lines.length) await wake.promise
    wake = Promise.withResolvers()
    yield lines.splice(0).join('')
  }
  await signing
}
