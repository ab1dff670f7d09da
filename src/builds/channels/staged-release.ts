import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { invalidField } from '../../listings/fields/text.ts'
import { uploadField } from '../builds/fields.ts'

export const NOTHING_BESIDE = explain(
  'stage_without_head',
  'percent: the channel has no other build on this platform; release this one to all',
)
export const NOT_STAGED = explain('not_staged', 'percent: the channel does not stage this build')

/** The share of the devices that a build is promoted to; 0 stops a staged release. */
export function readPercent(value: unknown): number {
  if (value === undefined || value === null) return 100
  const is_valid = typeof value === 'number' && Number.isInteger(value)
  if (is_valid && value >= 0 && value <= 100) return value
  refuse(
    'INVALID_CHANNEL',
    { field: 'percent' },
    explain('whole_number', 'percent: send a whole number from 0 to 100', { min: 0, max: 100 }),
  )
}

/** The share of the devices that an uploaded file is for; null if the upload does not say. */
export function readReleasePercent(value: unknown): number | null {
  if (value === undefined || value === null || value === '') return null
  const percent = typeof value === 'string' && /^\d{1,3}$/.test(value) ? Number(value) : value
  if (typeof percent === 'number' && Number.isInteger(percent) && percent >= 1 && percent <= 100)
    return percent
  return invalidField(
    uploadField('percent'),
    explain('whole_number', 'send a whole number from 1 to 100', { min: 1, max: 100 }),
  )
}
