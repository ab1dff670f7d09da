import { explain } from '../../core/runtime/reasons.ts'

export const NOTHING_BESIDE = explain(
  'stage_without_head',
  'percent: the channel has no other build on this platform; release this one to all',
)
export const NOT_STAGED = explain('not_staged', 'percent: the channel does not stage this build')
