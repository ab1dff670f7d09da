/** Everyone signs in with this. */
export const PASSWORD = 'a lantern on the pier'

/** Who publishes. The first is the one to look around with. */
export const developers = [
  'saltworks',
  'northlight-club',
  'quiet-machines',
  'papermoth',
  'tidepool-toys',
] as const
export type Developer = (typeof developers)[number]

/** Who plays. The first is the one to look around with. */
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
