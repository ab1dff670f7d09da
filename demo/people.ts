/** The password of all demo accounts. */
export const PASSWORD = 'a lantern on the pier'

/** The developers. The first is the suggested account. */
export const developers = [
  'saltworks',
  'northlight-club',
  'quiet-machines',
  'papermoth',
  'tidepool-toys',
] as const
export type Developer = (typeof developers)[number]

/** The players. The first is the suggested account. */
export const players = [
  'wren',
  'ostrava',
  'mako-9',
  'lindqvist',
  'ibis',
  'petra-k',
  'juniper',
  'hollow-bird',
  'ask-me-later',
  'tamsin',
  'koji',
  'dredge',
].map((name) => (name.length < 4 ? `${name}-plays` : name))

export const mailOf = (username: string) => `${username}@demo.example`
