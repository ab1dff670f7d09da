import { Type } from 'typebox'
import { OneOf, TextOf } from '../../core/http/route.ts'
import { architectures, operatingSystems } from './platforms.ts'
import { playables, webProblems } from './web-build.ts'

/** The platform of a build or a file. A build that names none has empty text. */
/** A system that a listing has a file for. */
export const PlatformName = TextOf(operatingSystems)
export const OsName = TextOf([...operatingSystems, ''], 'Empty if the build names none')
export const ArchName = TextOf([...architectures, ''], 'Empty if the build names none')

/** The states of the scan of a file. */
export const scanStates = [
  'scanning',
  'clean',
  'infected',
  'error',
  'quarantined',
  'withdrawn',
] as const
export const ScanState = TextOf(scanStates)

export const PlayableData = Type.Array(OneOf(playables), {
  description: 'Where it can be played without installing it',
})

const Text = Type.String()

/** What the check of a build for browsers found. */
export const WebReportData = Type.Object({
  problem: Type.Union([OneOf(webProblems), Type.Null()], {
    description: 'Why it cannot be played; null if it can',
  }),
  detail: Type.String({
    description: 'The file that is too large or misnamed, or how many files or bytes there are',
  }),
  warnings: Type.Array(
    Type.Object({
      kind: OneOf(['absolute', 'case'], {
        description: 'Leads out of the build, or is spelled with other letters than the file',
      }),
      file: Type.String({ description: 'The file that refers to another one' }),
      reference: Text,
      entry: Type.Optional(Type.String({ description: 'The file that was probably meant' })),
    }),
  ),
})
