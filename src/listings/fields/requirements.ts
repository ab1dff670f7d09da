import { explain } from '../../core/runtime/reasons.ts'
import { type OperatingSystem, operatingSystems } from './platforms.ts'
import {
  choice,
  type Field,
  invalidField,
  list,
  plainText,
  quoteValue,
  record,
  tooMany,
} from './text.ts'

export const requirementLevels = { minimum: 'Minimum', recommended: 'Recommended' } as const
export const requirementParts = {
  processor: 'Processor',
  memory: 'Memory',
  graphics: 'Graphics',
  storage: 'Storage',
  notes: 'Notes',
} as const

export type RequirementLevel = keyof typeof requirementLevels
export type RequirementPart = keyof typeof requirementParts
/** What a listing needs on one system. Parts that are not known are empty. */
export type SystemRequirements = { os: OperatingSystem } & Record<
  RequirementLevel,
  Record<RequirementPart, string>
>

export const levelNames = Object.keys(requirementLevels) as RequirementLevel[]
export const partNames = Object.keys(requirementParts) as RequirementPart[]

/** Validates requirements and returns them in the order of the systems, each system once. */
export function readRequirements(
  at: Field,
  value: unknown,
  max_length: number,
): SystemRequirements[] {
  const entries = list(at, value)
  if (entries.length > operatingSystems.length)
    invalidField(
      at,
      tooMany(`send at most ${operatingSystems.length}`, operatingSystems.length, entries.length),
    )
  const read = entries.map((entry, i) =>
    readSystem({ ...at, field: `${at.field}[${i}]` }, entry, max_length),
  )
  read.forEach(({ os }, i) => {
    const earlier = read.findIndex((entry) => entry.os === os)
    if (earlier < i)
      invalidField(
        { ...at, field: `${at.field}[${i}].os` },
        explain('named_twice', `${os} is already ${at.field}[${earlier}]; send each system once`),
      )
  })
  return read.toSorted((a, b) => operatingSystems.indexOf(a.os) - operatingSystems.indexOf(b.os))
}

function readSystem(at: Field, value: unknown, max_length: number): SystemRequirements {
  const { os: sent_os, ...levels } = record(at, value)
  refuseUnknown(at, Object.keys(levels), levelNames)
  const os = choice({ ...at, field: `${at.field}.os` }, sent_os, operatingSystems)
  const level = (name: RequirementLevel) =>
    readLevel({ ...at, field: `${at.field}.${name}` }, levels[name], max_length)
  const read = { os, minimum: level('minimum'), recommended: level('recommended') }
  if (levelNames.some((name) => partNames.some((part) => read[name][part]))) return read
  invalidField(
    at,
    explain('no_requirement', 'write at least one requirement, or leave the system out'),
  )
}

function readLevel(at: Field, value: unknown, max_length: number): Record<RequirementPart, string> {
  const sent = value === undefined || value === null ? {} : record(at, value)
  refuseUnknown(at, Object.keys(sent), partNames)
  const part = (name: RequirementPart) =>
    plainText({ ...at, field: `${at.field}.${name}` }, sent[name], max_length)
  return Object.fromEntries(partNames.map((name) => [name, part(name)])) as Record<
    RequirementPart,
    string
  >
}

function refuseUnknown(at: Field, names: readonly string[], known: readonly string[]): void {
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined)
    invalidField(at, `there is no ${quoteValue(unknown)}; the names are ${known.join(', ')}`)
}
