export const MODERATION = '/operator/moderation'
export const APPEALS = `${MODERATION}/appeals`
export const DECISIONS = `${MODERATION}/decisions`
export const FIND = `${MODERATION}/find`
export const SWEEPS = `${MODERATION}/sweeps`

/** The page of what moderators decide on. */
export const targetPath = (type: string, id: string) =>
  `${MODERATION}/${type}/${encodeURIComponent(id)}`
